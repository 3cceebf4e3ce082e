/* SPDX-License-Identifier: Apache-2.0 */
/* cl/cpu/pack.clh: the plain form, and that of the device's own instructions where it has them, give the bytes that
 * C gives. A device takes only one of the two in its kernels. */
#include "kernel_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 512, VALUES = 128, LINE_BYTES = 64, FORMS = 2 };

static const char kernel_source[] = "kernel void lines(global const float *v, global ulong *out)\n"
                                    "{\n"
                                    "    const size_t i = get_global_id(0);\n"
                                    "    float values[128] __attribute__((aligned(64)));\n"
                                    "    for (uint k = 0; k < 128; k++)\n"
                                    "        values[k] = v[128 * i + k];\n"
                                    "    vstore8(LINE_INSIDE(i4, values), 2 * i, out);\n"
                                    "    for (uint k = 0; k < 128; k++)\n"
                                    "        values[k] *= 14.5f;\n"
                                    "    vstore8(LINE_INSIDE(i8, values), 2 * i + 1, out);\n"
                                    "}\n";

static cl_program build(const char *options)
{
    static const char *const names[] = {"base/paste.clh", "base/half.clh", "base/rounding.clh",
                                        "base/types.clh", "cpu/pack.clh"};
    const char *source[COUNT(names) + 1];
    cl_program program;
    cl_int status;

    for (size_t i = 0; i < COUNT(names); i++)
        source[i] = kernel_text_of(names[i]);
    source[COUNT(names)] = kernel_source;
    program = clCreateProgramWithSource(harness.cl, COUNT(source), source, NULL, &status);
    expect_cl(status, "clCreateProgramWithSource");
    expect_cl(clBuildProgram(program, 1, &harness.device, options, NULL, NULL), "clBuildProgram");
    for (size_t i = 0; i < COUNT(names); i++)
        free((char *)(uintptr_t)source[i]);
    return program;
}

static cl_mem filled(const void *data, size_t size_bytes)
{
    cl_int status;
    const cl_mem buffer = clCreateBuffer(harness.cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size_bytes,
                                         (void *)(uintptr_t)data, &status);

    expect_cl(status, "clCreateBuffer");
    return buffer;
}

static void run(cl_program program, const char *name, const cl_mem *buffers, cl_uint count)
{
    const size_t items = LINES;
    cl_int status;
    const cl_kernel kernel = clCreateKernel(program, name, &status);

    expect_cl(status, "clCreateKernel");
    for (cl_uint k = 0; k < count; k++)
        expect_cl(clSetKernelArg(kernel, k, sizeof(buffers[k]), &buffers[k]), "clSetKernelArg");
    expect_cl(clEnqueueNDRangeKernel(harness.queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL), name);
    clReleaseKernel(kernel);
}

static void read_back(cl_mem buffer, void *data, size_t size_bytes)
{
    expect_cl(clEnqueueReadBuffer(harness.queue, buffer, CL_TRUE, 0, size_bytes, data, 0, NULL, NULL),
              "read");
}

static const char plain[] = "-cl-std=CL1.2 -D CLQ_PLAIN_PACK", own[] = "-cl-std=CL1.2";

/* Runs the kernel on its input, which it releases, and gets what it wrote. */
static void pack(const char *options, cl_mem input, void *out, size_t out_bytes)
{
    const cl_program program = build(options);
    const cl_mem buffers[] = {input, filled(out, out_bytes)};

    run(program, "lines", buffers, COUNT(buffers));
    read_back(buffers[1], out, out_bytes);
    for (size_t k = 0; k < COUNT(buffers); k++)
        clReleaseMemObject(buffers[k]);
    clReleaseProgram(program);
}

static uint8_t packed(const float *v, size_t byte, bool int4)
{
    const int low = (int)nearbyintf(int4 ? v[2 * byte] : 14.5f * v[byte]);
    const int high = int4 ? (int)nearbyintf(v[2 * byte + 1]) : 0;

    return int4 ? (uint8_t)((low & 15) | (high & 15) << 4) : (uint8_t)low;
}

static void expect_packed(const char *options)
{
    static float values[LINES][VALUES];
    static uint8_t out[LINES][FORMS][LINE_BYTES];
    struct random random = random_of(harness.seed);
    cl_mem input;

    for (size_t i = 0; i < LINES; i++)
        for (size_t k = 0; k < VALUES; k++)
            values[i][k] = 0.25f * (float)random_from(&random, -32, 29);
    input = filled(values, sizeof(values));
    memset(out, 0, sizeof(out));
    pack(options, input, out, sizeof(out));
    for (size_t i = 0; i < LINES; i++)
        for (size_t form = 0; form < FORMS; form++)
            for (size_t byte = 0; byte < LINE_BYTES; byte++)
                if (out[i][form][byte] != packed(values[i], byte, form == 0))
                    fail_msg("%s: line %zu, form %zu, byte %zu: %u, not %u", options, i, form, byte,
                             out[i][form][byte], packed(values[i], byte, form == 0));
}

/* Quarters, so that ties are among them; in both scales they round into the range. */
static void lines_are_packed(void **state)
{
    (void)state;
    expect_packed(plain);
    expect_packed(own);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines_are_packed)};

    return HARNESS_RUN(argc, argv, "lines", tests);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* cl/cpu/pack.clh: the plain form, and that of the device's own instructions where it has them, give the
 * bytes that C gives. A device takes only one of the two in its kernels. */
#include "kernel_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 512, VALUES = 128, LINE_BYTES = 64 };

/* Of values that round into int4, 14.5 times these, both moved to where the unsigned types are, 56 and 7168
 * times these, and of any values. */
enum form {
    INSIDE_I4,
    INSIDE_I8,
    INSIDE_U8,
    INSIDE_U4,
    INSIDE_E4M3,
    INSIDE_E5M2,
    ANY_I4,
    ANY_I8,
    ANY_U8,
    ANY_U4,
    ANY_E4M3,
    ANY_E5M2,
    FORMS
};

static const char kernel_source[] =
    "#if !CLQ_AVX512\n" /* where a kernel has but the line of its own type */
    "CLQ_LINES(i4) CLQ_LINES(i8) CLQ_LINES(u8) CLQ_LINES(u4) CLQ_LINES(e4m3) CLQ_LINES(e5m2)\n"
    "#endif\n"
    "kernel void lines(global const float *v, global const float *any, global ulong *out)\n"
    "{\n"
    "    const size_t i = get_global_id(0);\n"
    "    float values[128] __attribute__((aligned(64)));\n"
    "    for (uint k = 0; k < 128; k++)\n"
    "        values[k] = v[128 * i + k];\n"
    "    vstore8(LINE_INSIDE(i4, values), 12 * i, out);\n"
    "    for (uint k = 0; k < 128; k++)\n"
    "        values[k] *= 14.5f;\n"
    "    vstore8(LINE_INSIDE(i8, values), 12 * i + 1, out);\n"
    "    for (uint k = 0; k < 128; k++)\n"
    "        values[k] += 128.0f;\n"
    "    vstore8(LINE_INSIDE(u8, values), 12 * i + 2, out);\n"
    "    for (uint k = 0; k < 128; k++)\n"
    "        values[k] = v[128 * i + k] + 8.0f;\n"
    "    vstore8(LINE_INSIDE(u4, values), 12 * i + 3, out);\n"
    "    for (uint k = 0; k < 128; k++)\n"
    "        values[k] = v[128 * i + k] * 56.0f;\n"
    "    vstore8(LINE_INSIDE(e4m3, values), 12 * i + 4, out);\n"
    "    for (uint k = 0; k < 128; k++)\n"
    "        values[k] *= 128.0f;\n"
    "    vstore8(LINE_INSIDE(e5m2, values), 12 * i + 5, out);\n"
    "    for (uint k = 0; k < 128; k++)\n"
    "        values[k] = any[128 * i + k];\n"
    "    vstore8(LINE(i4, values), 12 * i + 6, out);\n"
    "    vstore8(LINE(i8, values), 12 * i + 7, out);\n"
    "    vstore8(LINE(u8, values), 12 * i + 8, out);\n"
    "    vstore8(LINE(u4, values), 12 * i + 9, out);\n"
    "    vstore8(LINE(e4m3, values), 12 * i + 10, out);\n"
    "    vstore8(LINE(e5m2, values), 12 * i + 11, out);\n"
    "}\n";

static cl_program build(const char *options)
{
    static const char *const names[] = {"base/parameters.clh", "base/larger.clh", "cpu/pack.clh"};
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

static const char plain[] = "-cl-std=CL1.2 -D CLQ_AVX512=0", own[] = "-cl-std=CL1.2";

/* Runs the kernel on its inputs, which it releases, and gets what it wrote. */
static void pack(const char *options, cl_mem inside, cl_mem any, void *out, size_t out_bytes)
{
    const cl_program program = build(options);
    const cl_mem buffers[] = {inside, any, filled(out, out_bytes)};

    run(program, "lines", buffers, COUNT(buffers));
    read_back(buffers[2], out, out_bytes);
    for (size_t k = 0; k < COUNT(buffers); k++)
        clReleaseMemObject(buffers[k]);
    clReleaseProgram(program);
}

static int rounded(float v, enum form form)
{
    static const float ends[FORMS][2] = {
        [ANY_I4] = {-8, 7}, [ANY_I8] = {-128, 127}, [ANY_U8] = {0, 255}, [ANY_U4] = {0, 15}};

    switch (form) {
    case INSIDE_I4:
        return (int)nearbyintf(v);
    case INSIDE_I8:
        return (int)nearbyintf(14.5f * v);
    case INSIDE_U8:
        return (int)nearbyintf(14.5f * v + 128.0f);
    case INSIDE_U4:
        return (int)nearbyintf(v + 8.0f);
    default:
        return isnan(v) ? 0 : (int)nearbyintf(fminf(fmaxf(v, ends[form][0]), ends[form][1]));
    }
}

static bool is_pair(enum form form)
{
    return form == INSIDE_I4 || form == INSIDE_U4 || form == ANY_I4 || form == ANY_U4;
}

static uint8_t packed(const float *v, size_t byte, enum form form)
{
    if (form == INSIDE_E4M3 || form == INSIDE_E5M2)
        return (uint8_t)(form == INSIDE_E4M3 ? reference_round(56.0f * v[byte], REFERENCE_E4M3)
                                             : reference_round(7168.0f * v[byte], REFERENCE_E5M2));
    if (form == ANY_E4M3 || form == ANY_E5M2)
        return (uint8_t)reference_round(v[byte], form == ANY_E4M3 ? REFERENCE_E4M3 : REFERENCE_E5M2);
    if (!is_pair(form))
        return (uint8_t)rounded(v[byte], form);
    return (uint8_t)((rounded(v[2 * byte], form) & 15) | (rounded(v[2 * byte + 1], form) & 15) << 4);
}

/* Ties, both ends and what is just past them, what no integer holds, infinities and NaNs. */
static float any_value(struct random *random)
{
    static const float odd[] = {-0.5f,    -8.5f,   7.5f,     -128.5f, 127.5f,  255.5f,   32768.0f,  -32769.0f,
                                65535.5f, 0x1p31f, -0x1p31f, 3e38f,   -3e38f,  INFINITY, -INFINITY, NAN,
                                -NAN,     1e-40f,  -0.0f,    0.0f,    -1e-40f, 464.0f,   -464.5f,   61440.0f};

    if (random_below(random, 4) == 0)
        return odd[random_below(random, COUNT(odd))];
    if (random_below(random, 4) ==
        0) { /* of few bits, so that ties of float8 are among them, subnormal ones too */
        const float size = ldexpf((float)random_below(random, 64), (int)random_from(random, -24, 12));

        return random_below(random, 2) ? size : -size;
    }
    return 0.25f * (float)random_from(random, -1200, 1200);
}

static void expect_packed(const char *options)
{
    static float inside[LINES][VALUES], any[LINES][VALUES];
    static uint8_t out[LINES][FORMS][LINE_BYTES];
    struct random random = random_of(harness.seed);

    for (size_t i = 0; i < LINES; i++)
        for (size_t k = 0; k < VALUES; k++) {
            inside[i][k] = 0.25f * (float)random_from(&random, -32, 29);
            any[i][k] = any_value(&random);
        }
    memset(out, 0, sizeof(out));
    pack(options, filled(inside, sizeof(inside)), filled(any, sizeof(any)), out, sizeof(out));
    for (size_t i = 0; i < LINES; i++)
        for (enum form form = 0; form < FORMS; form++)
            for (size_t byte = 0; byte < LINE_BYTES; byte++) {
                const uint8_t expected = packed(form < ANY_I4 ? inside[i] : any[i], byte, form);

                if (out[i][form][byte] != expected)
                    fail_msg("%s: line %zu, form %d, byte %zu: %u, not %u", options, i, (int)form, byte,
                             out[i][form][byte], expected);
            }
}

/* Quarters, so that ties are among them; in both scales they round into the range. And any values. */
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

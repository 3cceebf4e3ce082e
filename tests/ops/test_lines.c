/* SPDX-License-Identifier: Apache-2.0 */
/* cl/cpu/lines.clh: the plain form, and that of the device's own instructions where it has them, give the bytes that
 * C gives. A device takes only one of the two in its kernels. */
#include "kernel_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINES = 512,
    VALUES = 128,
    LINE_BYTES = 64,
    FORMS = 2,
    TYPES = 3,
    NIBBLE_BYTES = 16,
    TABLE = 16,
    MOST_BUFFERS = 4
};

static const char kernel_source[] = "kernel void lines(global const float *v, global ulong *out, "
                                    "global int *there)\n"
                                    "{\n"
                                    "    const size_t i = get_global_id(0);\n"
                                    "    float values[128] __attribute__((aligned(64)));\n"
                                    "    for (uint k = 0; k < 128; k++)\n"
                                    "        values[k] = v[128 * i + k];\n"
                                    "    vstore8(LINE_INSIDE(i4, values), 2 * i, out);\n"
                                    "    for (uint k = 0; k < 128; k++)\n"
                                    "        values[k] *= 14.5f;\n"
                                    "    vstore8(LINE_INSIDE(i8, values), 2 * i + 1, out);\n"
                                    "    *there = 1;\n"
                                    "}\n"
                                    "kernel void packs(global const float *v, global ulong *out, "
                                    "global int *there)\n"
                                    "{\n"
                                    "    *there = PACKS(i8);\n"
                                    "#if PACKS(i8)\n"
                                    "    const size_t i = get_global_id(0);\n"
                                    "    float values[128] __attribute__((aligned(64)));\n"
                                    "    for (uint k = 0; k < 128; k++)\n"
                                    "        values[k] = v[128 * i + k];\n"
                                    "    vstore8(LINE_OF(i8, values), 3 * i, out);\n"
                                    "    vstore8(LINE_OF(u8, values), 3 * i + 1, out);\n"
                                    "    vstore8(LINE_OF(i4, values), 3 * i + 2, out);\n"
                                    "#endif\n"
                                    "}\n"
                                    "kernel void looks(global const ushort *results, global const uchar "
                                    "*nibbles, global ulong *out, global int *there)\n"
                                    "{\n"
                                    "    *there = TABLES;\n"
                                    "#if TABLES\n"
                                    "    const size_t i = get_global_id(0);\n"
                                    "    ushort table[32] __attribute__((aligned(64)));\n"
                                    "    for (uint k = 0; k < 32; k++)\n"
                                    "        table[k] = results[k & 15];\n"
                                    "    vstore8(clq_look_up(table, nibbles + 16 * i), i, out);\n"
                                    "#endif\n"
                                    "}\n";

static cl_program build(const char *options)
{
    static const char *const names[] = {"base/paste.clh", "base/half.clh", "base/rounding.clh",
                                        "base/types.clh", "cpu/hints.clh", "cpu/lines.clh"};
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

static const char plain[] = "-cl-std=CL1.2 -D PREFETCH=0", own[] = "-cl-std=CL1.2 -D PREFETCH=1";

/* Runs a kernel on its inputs, which it releases, and gets what it wrote. False: the device has no such instruction. */
static bool ran(const char *options, const char *name, const cl_mem *inputs, cl_uint count, void *out,
                size_t out_bytes)
{
    const cl_program program = build(options);
    cl_mem buffers[MOST_BUFFERS];
    cl_int there = 0;

    memcpy(buffers, inputs, count * sizeof(*inputs));
    buffers[count] = filled(out, out_bytes);
    buffers[count + 1] = filled(&there, sizeof(there));
    run(program, name, buffers, count + 2);
    read_back(buffers[count], out, out_bytes);
    read_back(buffers[count + 1], &there, sizeof(there));
    for (cl_uint k = 0; k < count + 2; k++)
        clReleaseMemObject(buffers[k]);
    clReleaseProgram(program);
    return there != 0;
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
    assert_true(ran(options, "lines", &input, 1, out, sizeof(out)));
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

static int saturated(float v, int low, int high)
{
    if (isnan(v))
        return 0;
    return v < (float)low ? low : v > (float)high ? high : (int)nearbyintf(v);
}

static uint8_t packed_any(const float *v, size_t byte, size_t type)
{
    switch (type) {
    case 0:
        return (uint8_t)saturated(v[byte], -128, 127);
    case 1:
        return (uint8_t)saturated(v[byte], 0, 255);
    default:
        return (uint8_t)((saturated(v[2 * byte], -8, 7) & 15) | (saturated(v[2 * byte + 1], -8, 7) & 15)
                                                                    << 4);
    }
}

/* Ties at every end of a range, what no integer holds, and what is no number, each in every lane. */
static void lines_saturate(void **state)
{
    static const float special[] = {
        NAN,    -NAN,   INFINITY, -INFINITY, 3e38f,  -3e38f, 2147483648.0f, -2147483648.0f,
        3e9f,   -3e9f,  32768.5f, -32769.0f, 127.5f, 126.5f, -128.5f,       -129.5f,
        255.5f, 254.5f, 7.5f,     6.5f,      -8.5f,  -7.5f,  -0.5f,         0.5f,
        -0.0f,  1e-40f, 256.0f,   -9.0f,     128.0f, 8.0f,   65536.0f,      -1.0f};
    static float values[LINES][VALUES];
    static uint8_t out[LINES][TYPES][LINE_BYTES];
    struct random random = random_of(harness.seed);
    cl_mem input;

    (void)state;
    for (size_t i = 0; i < LINES; i++)
        for (size_t k = 0; k < VALUES; k++)
            values[i][k] = i < COUNT(special) ? special[(i + k) % COUNT(special)]
                                              : 0.25f * (float)random_from(&random, -1200, 1200);
    input = filled(values, sizeof(values));
    if (!ran(own, "packs", &input, 1, out, sizeof(out)))
        skip();
    for (size_t i = 0; i < LINES; i++)
        for (size_t type = 0; type < TYPES; type++)
            for (size_t byte = 0; byte < LINE_BYTES; byte++)
                if (out[i][type][byte] != packed_any(values[i], byte, type))
                    fail_msg("line %zu, type %zu, byte %zu: %u, not %u", i, type, byte, out[i][type][byte],
                             packed_any(values[i], byte, type));
}

static void results_are_looked_up(void **state)
{
    static uint8_t nibbles[LINES][NIBBLE_BYTES];
    static uint16_t out[LINES][2 * NIBBLE_BYTES], results[TABLE];
    struct random random = random_of(harness.seed);
    cl_mem inputs[2];

    (void)state;
    for (size_t k = 0; k < TABLE; k++)
        results[k] = (uint16_t)random_bits(&random);
    for (size_t i = 0; i < LINES; i++)
        for (size_t k = 0; k < NIBBLE_BYTES; k++)
            nibbles[i][k] = (uint8_t)random_bits(&random);
    inputs[0] = filled(results, sizeof(results));
    inputs[1] = filled(nibbles, sizeof(nibbles));
    if (!ran(own, "looks", inputs, 2, out, sizeof(out)))
        skip();
    for (size_t i = 0; i < LINES; i++)
        for (size_t k = 0; k < 2 * NIBBLE_BYTES; k++)
            assert_int_equal(out[i][k], results[nibbles[i][k / 2] >> 4 * (k % 2) & 15]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines_are_packed), cmocka_unit_test(lines_saturate),
                                       cmocka_unit_test(results_are_looked_up)};

    return HARNESS_RUN(argc, argv, "lines", tests);
}

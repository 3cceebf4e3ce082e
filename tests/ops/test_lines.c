/* SPDX-License-Identifier: Apache-2.0 */
/* cl/cpu/pack.clh: the plain form, and those of the device's own instructions where it has them, give the
 * bytes that C gives. A device takes only one of them in its kernels. */
#include "kernel_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TYPES           7
#define TEXT_OF(number) TEXT(number)
#define TEXT(number)    #number
enum { LINES = 512, VALUES = 128, LINE_BYTES = 64, FORMS = 2 * TYPES };

/* Values from -8 to 7.25 round into the range of the type once multiplied and moved. */
#define EACH_TYPE(X)                                                                                         \
    X(0, i4, I4, 1.0f, 0.0f)                                                                                 \
    X(1, i8, I8, 14.5f, 0.0f)                                                                                \
    X(2, u8, U8, 14.5f, 128.0f)                                                                              \
    X(3, u4, U4, 1.0f, 8.0f)                                                                                 \
    X(4, e4m3, E4M3, 56.0f, 0.0f)                                                                            \
    X(5, e5m2, E5M2, 7168.0f, 0.0f)                                                                          \
    X(6, e2m1, E2M1, 0.75f, 0.0f)

static const struct type {
    enum reference_type type;
    float factor, moved;
} types[] = {
#define ROW(n, t, id, factor, moved) {REFERENCE_##id, factor, moved},
    EACH_TYPE(ROW)};
_Static_assert(COUNT(types) == TYPES, "a type has no line");

/* Of values that round into the range, and of any. */
#define PLAIN(n, t, id, factor, moved) "CLQ_LINES(" #t ")\n"
#define STORED(n, t, id, factor, moved)                                                                      \
    "    for (uint k = 0; k < 128; k++)\n"                                                                   \
    "        values[k] = v[128 * i + k] * " #factor " + " #moved ";\n"                                       \
    "    vstore8(LINE_INSIDE(" #t ", values), TYPES * 2 * i + " #n ", out);\n"                               \
    "    vstore8(LINE(" #t ", others), TYPES * (2 * i + 1) + " #n ", out);\n"
/* AVX2's instructions, on a device that would take AVX-512's. */
static const char halves_source[] = "#if defined(HALVES) && defined(__AVX2__)\n"
                                    "#define CLQ_PACK_BYTES 32\n"
                                    "#endif\n";
/* A kernel has but the line of its own type where these are not instructions. */
/* clang-format off */
static const char kernel_source[] =
    "#define TYPES " TEXT_OF(TYPES) "\n"
    "#if CLQ_PACK_BYTES == 0\n"
    EACH_TYPE(PLAIN)
    "#endif\n"
    "kernel void lines(global const float *v, global const float *any, global ulong *out)\n"
    "{\n"
    "    const size_t i = get_global_id(0);\n"
    "    float values[128] __attribute__((aligned(64)));\n"
    "    float others[128] __attribute__((aligned(64)));\n"
    "    for (uint k = 0; k < 128; k++)\n"
    "        others[k] = any[128 * i + k];\n"
    EACH_TYPE(STORED)
    "}\n";
/* clang-format on */

static cl_program build(const char *options)
{
    static const char *const names[] = {"base/rounding.clh", "cpu/pack.clh"};
    const char *source[COUNT(names) + 2] = {halves_source};
    cl_program program;
    cl_int status;

    for (size_t i = 0; i < COUNT(names); i++)
        source[1 + i] = kernel_text_of(names[i]);
    source[COUNT(source) - 1] = kernel_source;
    program = clCreateProgramWithSource(harness.cl, COUNT(source), source, NULL, &status);
    expect_cl(status, "clCreateProgramWithSource");
    expect_cl(clBuildProgram(program, 1, &harness.device, options, NULL, NULL), "clBuildProgram");
    for (size_t i = 0; i < COUNT(names); i++)
        free((char *)(uintptr_t)source[1 + i]);
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

static const char plain[] = "-cl-std=CL1.2 -D CLQ_PACK_BYTES=0", own[] = "-cl-std=CL1.2",
                  halves[] = "-cl-std=CL1.2 -D HALVES";

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

static unsigned rounded(const float *v, size_t k, size_t form)
{
    const struct type *type = &types[form % TYPES];

    return (unsigned)reference_round(form < TYPES ? v[k] * type->factor + type->moved : v[k], type->type);
}

static uint8_t packed(const float *v, size_t byte, size_t form)
{
    return (uint8_t)(reference_types[types[form % TYPES].type].bits == 4
                         ? (rounded(v, 2 * byte, form) & 15) | rounded(v, 2 * byte + 1, form) << 4
                         : rounded(v, byte, form));
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
        for (size_t form = 0; form < FORMS; form++)
            for (size_t byte = 0; byte < LINE_BYTES; byte++) {
                const uint8_t expected = packed(form < TYPES ? inside[i] : any[i], byte, form);

                if (out[i][form][byte] != expected)
                    fail_msg("%s: line %zu, form %zu, byte %zu: %u, not %u", options, i, form, byte,
                             out[i][form][byte], expected);
            }
}

/* Quarters, so that ties are among them; in both scales they round into the range. And any values. */
TEST(lines_are_packed)
{
    expect_packed(plain);
    expect_packed(own);
    expect_packed(halves);
}

HARNESS_MAIN("lines")

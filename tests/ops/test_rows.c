/* SPDX-License-Identifier: Apache-2.0 */
/* Index arithmetic where no buffer reaches: rows numbered past 2^32 and offsets past 2^40, by the kernels'
 * own code. */
#include "kernel_text.h"

#include <stdlib.h>
#include <string.h>

#include "args/types.h"

enum { MOST = 4096, DIMS = 8 };

struct places_args {
    struct clq_dim dim[DIMS];
    clq_u32 dims, reserved;
};

static const char kernel_text[] =
    "struct places_args {\n"
    "    struct clq_dim dim[8];\n"
    "    clq_u32 dims, reserved;\n"
    "};\n"
    "kernel void places(global const long *rows, global long *out, const struct places_args a)\n"
    "{\n"
    "    const size_t i = get_global_id(0);\n"
    "    const struct clq_place place = clq_place_of(rows[i], a.dim, a.dims);\n"
    "    out[4 * i] = place.x;\n"
    "    out[4 * i + 1] = place.y;\n"
    "    out[4 * i + 2] = place.scale;\n"
    "    out[4 * i + 3] = place.zero_point;\n"
    "}\n";

static cl_program build(void)
{
    static const char *const names[] = {"index/place.clh"};
    const char *source[COUNT(names) + 1];
    cl_program program;
    cl_int status;

    for (size_t i = 0; i < COUNT(names); i++)
        source[i] = kernel_text_of(names[i]);
    source[COUNT(names)] = kernel_text;
    program = clCreateProgramWithSource(harness.cl, COUNT(source), source, NULL, &status);
    expect_cl(status, "clCreateProgramWithSource");
    expect_cl(clBuildProgram(program, 1, &harness.device, "-cl-std=CL1.2", NULL, NULL), "clBuildProgram");
    for (size_t i = 0; i < COUNT(names); i++)
        free((char *)(uintptr_t)source[i]);
    return program;
}

/* As args/types.h defines it. */
static struct clq_divisor divisor_of(int64_t d)
{
    clq_u32 shift = 0;

    while ((INT64_C(1) << shift) < d)
        shift++;
    return (struct clq_divisor){
        .magic = (clq_u64)((((unsigned __int128)1 << (63 + shift)) + (clq_u64)d - 1) / (clq_u64)d),
        .shift = shift};
}

/* Sizes whose product is up to 2^50, and strides with which no offset leaves 62 bits. */
static void any_dims(struct places_args *args, struct random *random, int64_t *count)
{
    int bits = 50;

    memset(args, 0, sizeof(*args));
    args->dims = (clq_u32)random_from(random, 1, DIMS);
    *count = 1;
    for (clq_u32 d = 0; d < args->dims; d++) {
        const int mine = (int)random_from(random, 0, bits < 34 ? bits : 34);
        const int64_t size = random_from(random, 1, INT64_C(1) << mine);
        const int64_t room = (INT64_C(1) << 58) / size;

        args->dim[d] = (struct clq_dim){.size = size,
                                        .by_size = divisor_of(size),
                                        .x = random_below(random, room),
                                        .y = random_below(random, room),
                                        .scale = random_below(random, 4) ? 0 : random_below(random, room),
                                        .zero_point = random_below(random, 2)};
        *count *= size;
        bits -= mine;
    }
}

static void expect_place(const struct places_args *args, int64_t row, const int64_t *got)
{
    int64_t place[4] = {0, 0, 0, 0};
    int64_t rest = row;

    for (clq_u32 d = 0; d < args->dims; d++) {
        const int64_t index = rest % args->dim[d].size;

        rest /= args->dim[d].size;
        place[0] += index * args->dim[d].x;
        place[1] += index * args->dim[d].y;
        place[2] += index * args->dim[d].scale;
        place[3] += index * args->dim[d].zero_point;
    }
    for (int k = 0; k < 4; k++)
        if (got[k] != place[k])
            fail_msg("row %lld, number %d: %lld, not %lld", (long long)row, k, (long long)got[k],
                     (long long)place[k]);
}

TEST(rows_past_2_32)
{
    static int64_t rows[MOST], out[4 * MOST];
    const size_t count = harness.small ? 64 : MOST, calls = harness.small ? 4 : 100;
    struct random random = random_of(harness.seed);
    const cl_program program = build();
    cl_int status;
    const cl_kernel kernel = clCreateKernel(program, "places", &status);
    const cl_mem in = clCreateBuffer(harness.cl, CL_MEM_READ_WRITE, sizeof(rows), NULL, NULL);
    const cl_mem result = clCreateBuffer(harness.cl, CL_MEM_READ_WRITE, sizeof(out), NULL, NULL);

    expect_cl(status, "clCreateKernel");
    for (size_t call = 0; call < calls; call++) {
        struct places_args args;
        int64_t total;

        any_dims(&args, &random, &total);
        for (size_t i = 0; i < count; i++)
            rows[i] = i == 0 ? total - 1 : random_below(&random, total);
        expect_cl(clSetKernelArg(kernel, 0, sizeof(in), &in), "clSetKernelArg");
        expect_cl(clSetKernelArg(kernel, 1, sizeof(result), &result), "clSetKernelArg");
        expect_cl(clSetKernelArg(kernel, 2, sizeof(args), &args), "clSetKernelArg");
        expect_cl(harness_write(harness.queue, in, 0, count * 8, rows), "write");
        expect_cl(clEnqueueNDRangeKernel(harness.queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL),
                  "enqueue");
        expect_cl(clEnqueueReadBuffer(harness.queue, result, CL_TRUE, 0, count * 32, out, 0, NULL, NULL),
                  "read");
        for (size_t i = 0; i < count; i++)
            expect_place(&args, rows[i], &out[4 * i]);
    }
    clReleaseMemObject(in);
    clReleaseMemObject(result);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

HARNESS_MAIN("rows")

/* SPDX-License-Identifier: Apache-2.0 */
/* The device header beside clq_dequantize: every type, scale, zero point and offset, one, four and eight
 * elements at a time, and every rule of indices give the same bytes.
 *
 *   test_header FILE [OPTIONS]     clquant.clh, and options of the build beside the test's */
#include <clquant/clquant.h>

#include "args/type_rows.h"
#include "tests.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { E8M0 = 7, ELEMENTS = 4096, ROW = 8, ROWS = ELEMENTS / ROW, SKIP = 8, TRIES = 60 };

static const char kernels[] = {
#include "read_cl.inc"
    , 0};

/* Every type of q has a test; as a name alone, which is the test's too. */
#define TEXT(word)        TEXT_PASTED(word)
#define TEXT_PASTED(word) #word
#define NAME(t, id)       TEXT(CLQ_TYPE_NAME(t)),
#define IS_Q(t, id)       (CLQ_TYPE_ROLES(t) & CLQ_ROLE_QUANTIZED) != 0,
static const char *const names[] = {CLQ_VALUE_TYPES(NAME)};
enum { COUNT = sizeof names / sizeof *names };
static const bool is_q[COUNT] = {CLQ_VALUE_TYPES(IS_Q)};
static const char *const block_names[] = {CLQ_BLOCK_TYPES(NAME)};
enum { BLOCK_COUNT = sizeof block_names / sizeof *block_names };
static const DLDataType values[] = {{0, 0, 0}, CLQ_FLOAT32, CLQ_FLOAT16,       CLQ_BFLOAT16, CLQ_INT8,
                                    CLQ_UINT8, CLQ_INT32,   CLQ_FLOAT8_E8M0FNU}; /* numbered as in read.cl */

static struct {
    char *header;
    const char *options;
    clq_context *context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel undo, gather, load, move;
    uint64_t random;
} test = {.random = 1, .options = ""};

static uint64_t draw(uint64_t below)
{
    test.random = test.random * 6364136223846793005u + 1442695040888963407u;
    return (test.random >> 33) % below;
}

static void take(clq_status status)
{
    if (status != CLQ_OK)
        fail_msg("%s: %s", clq_status_name(status), clq_error_detail());
}

static cl_mem bytes_of(size_t size, const void *bytes)
{
    cl_int code = CL_SUCCESS;
    const cl_mem buffer =
        clCreateBuffer(clq_context_cl(test.context), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size,
                       (void *)(size_t)bytes, &code);

    take(code);
    return buffer;
}

/* Any bits: infinities, NaN and subnormals are among them, and half are near 1. */
static cl_mem random_values(DLDataType type, size_t count)
{
    uint32_t *const bits = calloc(count + SKIP, sizeof *bits);
    cl_mem buffer;

    for (size_t i = 0; i < count; i++) {
        const uint32_t any = (uint32_t)draw(UINT64_C(1) << 31) << 1 ^ (uint32_t)draw(UINT64_C(1) << 31);
        const bool near = type.code != kDLInt && type.code != kDLUInt && draw(2) == 0;

        if (type.bits == 32)
            bits[i] = near ? (any & 0x83ffffff) | 0x3c000000 : any;
        else if (type.bits == 16)
            ((uint16_t *)bits)[i] = (uint16_t)(near ? (any & 0x83ff) | 0x3c00 : any);
        else
            ((uint8_t *)bits)[i] = (uint8_t)any;
    }
    buffer = bytes_of((count + SKIP) * sizeof *bits, bits);
    free(bits);
    return buffer;
}

static void build(const char *name)
{
    const cl_device_id device = clq_context_device(test.context);
    const char *texts[] = {test.header, kernels};
    char options[256], log[4096] = "";
    cl_int code = CL_SUCCESS;

    snprintf(options, sizeof options, "-cl-std=CL1.2 -D NAME=%s %s", name, test.options);
    test.program = clCreateProgramWithSource(clq_context_cl(test.context), 2, texts, NULL, &code);
    take(code);
    code = clBuildProgram(test.program, 1, &device, options, NULL, NULL);
    if (code != CL_SUCCESS) {
        clGetProgramBuildInfo(test.program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        fail_msg("%s: %s", name, log);
    }
    test.undo = clCreateKernel(test.program, "undo", &code);
    take(code);
    test.gather = clCreateKernel(test.program, "gather", &code);
    take(code);
    test.load = clCreateKernel(test.program, "load", &code);
    take(code);
    test.move = clCreateKernel(test.program, "move", &code);
    take(code);
}

static void end_build(void)
{
    clReleaseKernel(test.undo);
    clReleaseKernel(test.gather);
    clReleaseKernel(test.load);
    clReleaseKernel(test.move);
    clReleaseProgram(test.program);
}

/* Arguments of 4 and 8 bytes behind the buffers. */
static void run(cl_kernel kernel, const cl_mem *buffers, cl_uint num_buffers, const void *const *others,
                const size_t *sizes, cl_uint num_others, size_t global)
{
    for (cl_uint i = 0; i < num_buffers; i++)
        take(clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]));
    for (cl_uint i = 0; i < num_others; i++)
        take(clSetKernelArg(kernel, num_buffers + i, sizes[i], others[i]));
    take(clEnqueueNDRangeKernel(test.queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
}

static void read_back(cl_mem buffer, size_t size, void *bytes)
{
    take(clEnqueueReadBuffer(test.queue, buffer, CL_TRUE, 0, size, bytes, 0, NULL, NULL));
}

struct choice {
    const char *type;
    cl_uint width, scale, added, y, how, skip;
};

static void compare(const struct choice *c, cl_mem q, cl_mem scales, cl_mem added)
{
    static unsigned char ours[4 * ELEMENTS], headers[4 * ELEMENTS];
    const bool dynamic = c->how == CLQ_DEQUANTIZE_DYNAMIC;
    int64_t shape[] = {dynamic ? ROWS : 1, dynamic ? ROW : ELEMENTS}, rows[] = {ROWS}, columns[] = {ELEMENTS};
    const size_t size = (size_t)ELEMENTS * values[c->y].bits / 8;
    const cl_mem outs[] = {bytes_of(size, ours), bytes_of(size, ours)};
    DLTensor q_view = clq_tensor_view(q, clq_dtype_parse(c->type), 2, shape),
             scales_view = clq_tensor_view(scales, values[c->scale], 1, dynamic ? rows : columns),
             added_view = clq_tensor_view(added, values[c->added], 1, dynamic ? rows : columns),
             y_view = clq_tensor_view(outs[0], values[c->y], 2, shape);

    q_view.byte_offset = c->skip;
    take(clq_dequantize(
        test.context, test.queue,
        &(struct clq_dequantize_desc){.q = &q_view,
                                      .scales = &scales_view,
                                      .zero_points = !dynamic && c->added > 0 ? &added_view : NULL,
                                      .offsets = dynamic && c->added > 0 ? &added_view : NULL,
                                      .y = &y_view,
                                      .axis = -1,
                                      .mode = c->how},
        0, NULL, NULL));
    read_back(outs[0], size, ours);
    run(test.undo, (const cl_mem[]){q, scales, added, outs[1]}, 4,
        (const void *const[]){&c->width, &c->scale, &c->added, &c->y, &c->how, &c->skip},
        (const size_t[]){4, 4, 4, 4, 4, 4}, 6, ELEMENTS / c->width);
    read_back(outs[1], size, headers);
    for (size_t i = 0; i < size; i++)
        if (ours[i] != headers[i])
            fail_msg("%s, width %u, scale %u, added %u, y %u, mode %u, skip %u: byte %zu is 0x%02x, the "
                     "header's 0x%02x",
                     c->type, c->width, c->scale, c->added, c->y, c->how, c->skip, i, ours[i], headers[i]);
    clReleaseMemObject(outs[0]);
    clReleaseMemObject(outs[1]);
}

/* Each width, mode, and type of a scale and of what is added comes; y is float32 mostly,
 * for each other type is a kernel more. */
static void every_element_is_as_the_library_has_it(void **state)
{
    const char *const type = (const char *)*state;
    const DLDataType dtype = clq_dtype_parse(type);
    const cl_mem q = random_values(dtype, ELEMENTS);

    build(type);
    for (cl_uint i = 0; i < TRIES; i++) {
        struct choice c = {.type = type,
                           .width = (const cl_uint[]){1, 4, 8}[i % 3],
                           .how = i / 3 % 3,
                           .scale = (const cl_uint[]){1, 2, 3, E8M0}[i / 9 % 4],
                           .y = 1};

        if (c.scale == E8M0 && c.how == CLQ_DEQUANTIZE_DYNAMIC) /* beside floats, without an offset */
            c.scale = type[0] == 'f' ? E8M0 : 1;
        else
            c.added = c.how == CLQ_DEQUANTIZE_DYNAMIC ? (cl_uint)draw(2) * c.scale : (cl_uint)draw(7);
        c.y = i % 10 == 9 && type[0] == 'i' ? (cl_uint)(2 + draw(2)) : 1;
        c.skip = (cl_uint)draw(2) * (dtype.bits == 32 ? 4 : 3);
        const cl_mem scales = random_values(values[c.scale], ELEMENTS),
                     added = random_values(values[c.added], ELEMENTS);

        compare(&c, q, scales, added);
        clReleaseMemObject(scales);
        clReleaseMemObject(added);
    }
    clReleaseMemObject(q);
    end_build();
}

/* Any bytes, of which a scale may be infinite or NaN. */
static void every_block_is_as_the_library_has_it(void **state)
{
    enum { BLOCK = 32 };
    static uint32_t ours[ELEMENTS], headers[ELEMENTS];
    const char *const type = (const char *)*state;
    const cl_mem q = random_values(CLQ_UINT8, ELEMENTS), y = bytes_of(sizeof ours, ours),
                 loaded = bytes_of(sizeof headers, headers);
    int64_t blocks[] = {1, ELEMENTS / BLOCK}, shape[] = {1, ELEMENTS};

    build(type);
    for (cl_uint i = 0; i < 6; i++) {
        const cl_uint width = (const cl_uint[]){1, 4, 8}[i % 3], skip = i / 3 * 2;
        DLTensor q_view = clq_tensor_view(q, clq_dtype_parse(type), 2, blocks),
                 y_view = clq_tensor_view(y, CLQ_FLOAT32, 2, shape);

        q_view.byte_offset = skip;
        take(clq_dequantize(
            test.context, test.queue,
            &(struct clq_dequantize_desc){.q = &q_view, .y = &y_view, .mode = CLQ_DEQUANTIZE_DYNAMIC}, 0,
            NULL, NULL));
        run(test.load, (const cl_mem[]){q, loaded}, 2, (const void *const[]){&width, &skip},
            (const size_t[]){4, 4}, 2, ELEMENTS / width);
        read_back(y, sizeof ours, ours);
        read_back(loaded, sizeof headers, headers);
        for (size_t n = 0; n < ELEMENTS; n++)
            if (ours[n] != headers[n])
                fail_msg("%s, width %u, skip %u: value %zu is %08x, the header's %08x", type, width, skip, n,
                         ours[n], headers[n]);
    }
    end_build();
    clReleaseMemObject(q);
    clReleaseMemObject(y);
    clReleaseMemObject(loaded);
}

enum { BATCHES = 5, SIZE = 7, ENTRIES = 64, MOST_LENGTH = 3 };

/* Indices around what is valid, and some far away; those of int64 past 32 bits too. */
static int64_t random_index(int64_t most, bool wide)
{
    if (draw(8) == 0)
        return wide ? (int64_t)(test.random * 0x9e3779b97f4a7c15u) : (int32_t)(test.random >> 20);
    return (int64_t)draw((uint64_t)most + 8) - 4;
}

static cl_mem random_indices(size_t count, int64_t most, bool wide)
{
    int64_t wides[2 * ENTRIES];
    int32_t narrows[2 * ENTRIES];

    for (size_t i = 0; i < count; i++) {
        wides[i] = random_index(most, wide);
        narrows[i] = (int32_t)wides[i];
    }
    return bytes_of(count * (wide ? sizeof *wides : sizeof *narrows), wide ? (const void *)wides : narrows);
}

static void compare_places(cl_mem cache, int64_t length, bool wide, bool pairs, bool slots, cl_uint policy)
{
    const int64_t entries = pairs || slots ? ENTRIES : BATCHES, batches = BATCHES, size = SIZE;
    const cl_mem indices = random_indices((size_t)(pairs ? 2 * entries : entries),
                                          slots   ? BATCHES * SIZE
                                          : pairs ? SIZE
                                                  : SIZE,
                                          wide);
    float fill[ENTRIES * MOST_LENGTH], ours[ENTRIES * MOST_LENGTH], headers[ENTRIES * MOST_LENGTH],
        one = 1.0f;
    const size_t bytes = (size_t)(entries * length) * sizeof(float);
    const cl_uint bits = wide ? 64 : 32, has_pairs = pairs, has_slots = slots;
    int64_t cache_shape[] = {BATCHES, SIZE, 1}, y_shape[] = {entries, length, 1}, one_shape[] = {1},
            indices_shape[] = {entries, 2};
    cl_mem outs[2], scale = bytes_of(sizeof one, &one);
    DLTensor q = clq_tensor_view(cache, CLQ_INT32, 3, cache_shape),
             scales = clq_tensor_view(scale, CLQ_FLOAT32, 1, one_shape),
             index = clq_tensor_view(indices, wide ? CLQ_INT64 : CLQ_INT32, pairs ? 2 : 1, indices_shape), y;

    for (size_t i = 0; i < sizeof fill / sizeof *fill; i++)
        fill[i] = -1.0f;
    outs[0] = bytes_of(bytes, fill);
    outs[1] = bytes_of(bytes, fill);
    y = clq_tensor_view(outs[0], CLQ_FLOAT32, 3, y_shape);
    take(clq_dequantize(test.context, test.queue,
                        &(struct clq_dequantize_desc){.q = &q,
                                                      .scales = &scales,
                                                      .indices = &index,
                                                      .y = &y,
                                                      .axis = 1,
                                                      .out_of_range = policy,
                                                      .index_kind = slots ? CLQ_SLOTS : CLQ_INDICES_BY_SHAPE},
                        0, NULL, NULL));
    read_back(outs[0], bytes, ours);
    run(test.gather, (const cl_mem[]){cache, indices, outs[1]}, 3,
        (const void *const[]){&batches, &size, &length, &bits, &has_pairs, &has_slots, &policy},
        (const size_t[]){8, 8, 8, 4, 4, 4, 4}, 7, (size_t)entries);
    read_back(outs[1], bytes, headers);
    for (int64_t i = 0; i < entries * length; i++)
        if (ours[i] != headers[i])
            fail_msg("entry %" PRId64 ", element %" PRId64 " of %" PRId64
                     ", int%u, pairs %d, slots %d, policy %u: %g, the header's %g",
                     i / length, i % length, length, bits, pairs, slots, policy, (double)ours[i],
                     (double)headers[i]);
    clReleaseMemObject(outs[0]);
    clReleaseMemObject(outs[1]);
    clReleaseMemObject(scale);
    clReleaseMemObject(indices);
}

TEST(every_index_is_as_the_library_has_it)
{
    int32_t numbers[BATCHES * SIZE];
    cl_mem cache;

    for (int i = 0; i < BATCHES * SIZE; i++)
        numbers[i] = i;
    cache = bytes_of(sizeof numbers, numbers);
    build("int32");
    for (int i = 0; i < 60; i++) {
        const bool wide = i % 2 == 1, pairs = i / 2 % 2 == 1, slots = i % 5 == 4;

        compare_places(cache, slots ? 1 : 1 + i % MOST_LENGTH, wide, pairs && !slots, slots,
                       slots ? CLQ_DROP : (cl_uint)(i / 4 % 3));
    }
    end_build();
    clReleaseMemObject(cache);
}

/* Rows of any length, from and to any byte, by any number of lanes: and nothing beside them. */
TEST(every_row_that_moves_has_its_bytes)
{
    enum { ROOM = 512 };
    unsigned char numbers[ROOM], expected[ROOM], found[ROOM];
    cl_mem src;

    for (size_t i = 0; i < ROOM; i++)
        numbers[i] = (unsigned char)(i * 7 + 1);
    src = bytes_of(sizeof numbers, numbers);
    build("int32");
    for (int i = 0; i < 200; i++) {
        const cl_uint bytes = (cl_uint)draw(300), from = (cl_uint)draw(100), lanes = 1 + (cl_uint)draw(40),
                      to = i % 2 ? from % 16 : (cl_uint)draw(100);
        cl_mem dst;

        memset(expected, 0xee, sizeof expected);
        dst = bytes_of(sizeof expected, expected);
        memcpy(expected + to, numbers + from, bytes);
        run(test.move, (const cl_mem[]){src, dst}, 2, (const void *const[]){&bytes, &from, &to},
            (const size_t[]){4, 4, 4}, 3, lanes);
        read_back(dst, sizeof found, found);
        if (memcmp(found, expected, sizeof found) != 0)
            fail_msg("%u bytes from %u to %u by %u lanes", bytes, from, to, lanes);
        clReleaseMemObject(dst);
    }
    end_build();
    clReleaseMemObject(src);
}

static char *read_header(const char *path)
{
    FILE *const file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;

    if (file == NULL || getdelim(&text, &size, '\0', file) < 0)
        fprintf(stderr, "%s cannot be read\n", path);
    if (file != NULL)
        fclose(file);
    return text;
}

int main(int argc, char **argv)
{
    int failed;

    for (size_t i = 0; i < COUNT; i++)
        if (is_q[i])
            tests_add((struct CMUnitTest){.name = names[i],
                                          .test_func = every_element_is_as_the_library_has_it,
                                          .initial_state = (void *)(size_t)names[i]});
    for (size_t i = 0; i < BLOCK_COUNT; i++)
        tests_add((struct CMUnitTest){.name = block_names[i],
                                      .test_func = every_block_is_as_the_library_has_it,
                                      .initial_state = (void *)(size_t)block_names[i]});
    test.header = argc > 1 ? read_header(argv[1]) : NULL;
    if (test.header == NULL)
        return 2;
    if (argc > 2)
        test.options = argv[2];
    if (clq_context_create(NULL, &test.context) != CLQ_OK ||
        clq_queue_create(test.context, 0, &test.queue) != CLQ_OK) {
        printf("SKIPPED: %s\n", clq_error_detail());
        return 77;
    }
    failed = tests_run("header", NULL, NULL);
    clq_queue_destroy(test.queue);
    clq_context_destroy(test.context);
    free(test.header);
    return failed;
}

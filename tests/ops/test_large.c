/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors past 2^31 elements and 2^32 bytes: a small x that repeats in a y of a little over 1 GiB, and rows
 * and entries far apart in large buffers, of which no more than these and what
 * stands around them is touched. And results past what a CPU's caches hold. */
#include "dequantize.h"
#include "tensor.h"

#include <string.h>

enum { FILLING = 0x5a, MOST_BYTES = 256, PERIOD = 7 };
#define ROW_BYTES (INT64_C(1) << 15)
#define ROWS      ((INT64_C(1) << 15) + 3) /* of 2^16 elements: 2^31 and three rows */

static void make(struct tensor *tensor, enum reference_type type, int rank, const int64_t *shape)
{
    const struct layout layout = layout_dense(type, 1, rank, shape);

    tensor_init(tensor, &layout);
}

/* From `least` on, in steps of 1/8, 97 of them. */
static void fill(struct tensor *tensor, double least)
{
    for (int64_t i = 0, slots = tensor_slots(tensor); i < slots; i++)
        tensor_set_slot(tensor, i, least + (double)(i * 31 % 97) / 8);
}

static cl_mem buffer_of(uint64_t size_bytes)
{
    cl_int status;
    const cl_mem mem = clCreateBuffer(harness.cl, CL_MEM_READ_WRITE, size_bytes, NULL, &status);

    expect_cl(status, "clCreateBuffer");
    return mem;
}

static void fill_with(cl_mem mem, size_t size_bytes)
{
    static const unsigned char filling = FILLING;

    expect_cl(clEnqueueFillBuffer(harness.queue, mem, &filling, 1, 0, size_bytes, 0, NULL, NULL),
              "clEnqueueFillBuffer");
}

static unsigned char *map_between_guards(cl_mem mem, size_t size_bytes)
{
    cl_int status;
    unsigned char *bytes =
        clEnqueueMapBuffer(harness.queue, mem, CL_TRUE, CL_MAP_READ, 0, size_bytes, 0, NULL, NULL, &status);

    expect_cl(status, "clEnqueueMapBuffer");
    for (size_t i = 0; i < GUARD; i++)
        assert_true(bytes[i] == FILLING && bytes[size_bytes - 1 - i] == FILLING);
    return bytes;
}

/* Runs the call into a filled buffer, and maps it. */
static unsigned char *quantize(const DLTensor *x, const DLTensor *scales, DLTensor *y, size_t size_bytes)
{
    const struct clq_quantize_desc desc = {.x = x, .scales = scales, .y = y, .axis = CLQ_AXIS_FIRST};

    y->data = buffer_of(size_bytes);
    y->byte_offset = GUARD;
    fill_with(y->data, size_bytes);
    expect_status(clq_quantize(harness.context, harness.queue, &desc, 0, NULL, NULL), CLQ_OK, "clq_quantize");
    return map_between_guards(y->data, size_bytes);
}

static void release(cl_mem mem, void *bytes)
{
    expect_cl(clEnqueueUnmapMemObject(harness.queue, mem, bytes, 0, NULL, NULL), "clEnqueueUnmapMemObject");
    expect_cl(clFinish(harness.queue), "clFinish");
    clReleaseMemObject(mem);
}

/* A row that every row of x repeats, and a scale for each row: the rows of y repeat with the scales. */
TEST(rows_past_2_31)
{
    const size_t size_bytes = (size_t)(ROWS * ROW_BYTES) + 2 * GUARD;
    const int64_t near[2] = {PERIOD, 2 * ROW_BYTES};
    int64_t shape[2] = {ROWS, 2 * ROW_BYTES}, repeat[2] = {0, 1};
    struct tensor row, scales, few, expected;
    struct reference_tensor as[3];
    unsigned char *bytes;
    DLTensor x, y;

    if (harness.small || !buffer_fits(size_bytes))
        skip();
    make(&row, REFERENCE_F16, 2, (const int64_t[]){1, 2 * ROW_BYTES});
    make(&scales, REFERENCE_F32, 1, (const int64_t[]){ROWS});
    make(&few, REFERENCE_F32, 1, (const int64_t[]){PERIOD});
    make(&expected, REFERENCE_I4, 2, near);
    fill(&row, -6);
    for (int64_t i = 0; i < ROWS; i++)
        tensor_set(&scales, i, (double)(1 + i % PERIOD) / 2);
    for (int64_t i = 0; i < PERIOD; i++)
        tensor_set(&few, i, (double)(1 + i) / 2);
    as[0] = tensor_reference(&row, row.image);
    as[0].shape[0] = PERIOD;
    as[0].strides[0] = 0;
    as[1] = tensor_reference(&few, few.image);
    as[2] = tensor_reference(&expected, expected.image);
    reference_quantize(
        &(struct reference_quantize_desc){.x = &as[0], .scales = &as[1], .y = &as[2], .axis = 0});
    assert_true(tensor_upload(&row, harness.queue) && tensor_upload(&scales, harness.queue));
    x = row.dl;
    x.shape = shape;
    x.strides = repeat;
    y = expected.dl;
    y.shape = shape;
    bytes = quantize(&x, &scales.dl, &y, size_bytes);
    for (int64_t i = 0; i < ROWS; i++)
        if (memcmp(bytes + GUARD + i * ROW_BYTES,
                   expected.image + expected.dl.byte_offset + i % PERIOD * ROW_BYTES, ROW_BYTES) != 0)
            fail_msg("row %lld of %lld differs", (long long)i, (long long)ROWS);
    release(y.data, bytes);
    tensor_clear(&expected);
    tensor_clear(&few);
    tensor_clear(&scales);
    tensor_clear(&row);
}

/* One element that repeats over a single dimension of more than 2^31. */
TEST(one_dimension_past_2_31)
{
    int64_t shape[1] = {ROWS * 2 * ROW_BYTES}, stride[1] = {0}, one[1] = {1};
    const size_t size_bytes = (size_t)shape[0] / 2 + 2 * GUARD;
    struct tensor x, scale;
    DLTensor y = {.device.device_type = kDLOpenCL, .ndim = 1, .dtype = CLQ_INT4, .shape = shape};
    unsigned char *bytes;

    if (harness.small || !buffer_fits(size_bytes))
        skip();
    make(&x, REFERENCE_F32, 1, one);
    make(&scale, REFERENCE_F32, 1, one);
    tensor_set(&x, 0, -5.0);
    tensor_set(&scale, 0, 2.0); /* -2.5: -2, 0xe */
    assert_true(tensor_upload(&x, harness.queue) && tensor_upload(&scale, harness.queue));
    x.dl.shape = shape;
    x.dl.strides = stride;
    bytes = quantize(&x.dl, &scale.dl, &y, size_bytes);
    assert_int_equal(bytes[GUARD], 0xee);
    if (memcmp(bytes + GUARD, bytes + GUARD + 1, (size_t)shape[0] / 2 - 1) != 0)
        fail_msg("some element differs");
    release(y.data, bytes);
    tensor_clear(&x);
    tensor_clear(&scale);
}

static void write_at(cl_mem mem, int64_t at, const void *bytes, int64_t size)
{
    expect_cl(harness_write(harness.queue, mem, (size_t)at, (size_t)size, bytes), "clEnqueueWriteBuffer");
}

static void fill_around(cl_mem mem, int64_t at, int64_t size)
{
    unsigned char bytes[2 * GUARD + MOST_BYTES];

    memset(bytes, FILLING, sizeof(bytes));
    write_at(mem, at - GUARD, bytes, size + 2 * GUARD);
}

/* The bytes that are expected, and the filling around them. */
static void expect_at(cl_mem mem, int64_t at, const void *expected, int64_t size)
{
    unsigned char got[2 * GUARD + MOST_BYTES], filling[GUARD];

    memset(filling, FILLING, sizeof(filling));
    expect_cl(clEnqueueReadBuffer(harness.queue, mem, CL_TRUE, (size_t)(at - GUARD), (size_t)size + 2 * GUARD,
                                  got, 0, NULL, NULL),
              "clEnqueueReadBuffer");
    assert_memory_equal(got + GUARD, expected, (size_t)size);
    assert_memory_equal(got, filling, GUARD);
    assert_memory_equal(got + GUARD + size, filling, GUARD);
}

static const unsigned char *values(const struct tensor *tensor, int64_t at)
{
    return tensor->image + tensor->dl.byte_offset + at;
}

/* Rows side by side, whose bytes of y are then expected of rows far apart. */
static void check_far_rows(enum reference_type from, enum reference_type to, uint32_t mode)
{
    enum { NEAR = 7, COLUMNS = 48 };
    const int64_t shape[2] = {NEAR, COLUMNS}, q_bytes = COLUMNS * reference_types[from].bits / 8,
                  y_bytes = COLUMNS * 2;
    const int64_t q_step = (INT64_C(3) << 28) + 64,
                  y_step = (INT64_C(3) << 28) + 96; /* bytes of a row to the next */
    const uint64_t size_bytes = 6 * (uint64_t)y_step + MOST_BYTES + 2 * GUARD;
    int64_t q_strides[2] = {q_step * COLUMNS / q_bytes, 1}, y_strides[2] = {y_step / 2, 1};
    struct tensor q, scales, y;
    struct reference_tensor as[3];
    DLTensor far_q, far_y;

    if (harness.small || !buffer_fits(size_bytes))
        skip();
    make(&q, from, 2, shape);
    make(&scales, REFERENCE_F32, 1, &shape[1]);
    make(&y, to, 2, shape);
    fill(&q, -6);
    fill(&scales, 0.5);
    as[0] = tensor_reference(&q, q.image);
    as[1] = tensor_reference(&scales, scales.image);
    as[2] = tensor_reference(&y, y.image);
    reference_dequantize(&(struct reference_dequantize_desc){
        .q = &as[0],
        .scale = &as[1],
        .y = &as[2],
        .axis = 1,
        .mode = mode == CLQ_DEQUANTIZE_MULTIPLY ? REFERENCE_UNDO_MULTIPLY : REFERENCE_UNDO_DIVIDE});
    assert_true(tensor_upload(&scales, harness.queue));
    far_q = q.dl;
    far_q.data = buffer_of(size_bytes);
    far_q.byte_offset = 0;
    far_q.strides = q_strides;
    far_y = y.dl;
    far_y.data = buffer_of(size_bytes);
    far_y.byte_offset = GUARD;
    far_y.strides = y_strides;
    for (int64_t row = 0; row < NEAR; row++) {
        write_at(far_q.data, row * q_step, values(&q, row * q_bytes), q_bytes);
        fill_around(far_y.data, GUARD + row * y_step, y_bytes);
    }
    expect_status(clq_dequantize(harness.context, harness.queue,
                                 &(struct clq_dequantize_desc){
                                     .q = &far_q, .scales = &scales.dl, .y = &far_y, .mode = mode},
                                 0, NULL, NULL),
                  CLQ_OK, "far rows");
    for (int64_t row = 0; row < NEAR; row++)
        expect_at(far_y.data, GUARD + row * y_step, values(&y, row * y_bytes), y_bytes);
    clReleaseMemObject(far_y.data);
    clReleaseMemObject(far_q.data);
    tensor_clear(&y);
    tensor_clear(&scales);
    tensor_clear(&q);
}

TEST(far_rows)
{
    check_far_rows(REFERENCE_I8, REFERENCE_BF16, CLQ_DEQUANTIZE_MULTIPLY);
    check_far_rows(REFERENCE_I4, REFERENCE_F16, CLQ_DEQUANTIZE_DIVIDE);
}

/* A cache of int4 with 2^31 nibbles a batch; its scales and offsets stand six floats apart. */
enum { BATCHES = 3, COLUMNS = 32, LENGTH = 2, SCALE_STEP = 6 };
#define POSITIONS (INT64_C(1) << 26)

static const struct {
    int64_t batch, start;
    bool dropped;
} entries[] = {
    {0, 0, false},
    {2, POSITIONS - LENGTH, false},
    {1, POSITIONS / 2 + 1, false},
    {2, POSITIONS - LENGTH + 1, true},
    {0, POSITIONS - LENGTH, false},
    {2, 12345, false},
    {BATCHES, 0, true},
    {1, INT64_C(1) << 32, true}, /* 0 in 32 bits */
    {INT64_C(1) << 32, 0, true},
    {1, 0, false},
};
enum { ENTRIES = COUNT(entries) };

/* The rows side by side. */
struct near_entries {
    struct tensor q, scales, offsets, indices, y;
};

static void make_near(struct near_entries *t)
{
    const int64_t shape[3] = {ENTRIES, LENGTH, COLUMNS}, places[2] = {ENTRIES, 2};
    struct reference_tensor as[4];

    make(&t->q, REFERENCE_I4, 3, shape);
    make(&t->scales, REFERENCE_F32, 2, shape);
    make(&t->offsets, REFERENCE_F32, 2, shape);
    make(&t->indices, REFERENCE_I64, 2, places);
    make(&t->y, REFERENCE_F16, 3, shape);
    fill(&t->q, -6);
    fill(&t->scales, 0.5);
    fill(&t->offsets, -4);
    memset(t->y.image, FILLING, t->y.size_bytes);
    as[0] = tensor_reference(&t->q, t->q.image);
    as[1] = tensor_reference(&t->scales, t->scales.image);
    as[2] = tensor_reference(&t->offsets, t->offsets.image);
    as[3] = tensor_reference(&t->y, t->y.image);
    reference_dequantize(&(struct reference_dequantize_desc){.q = &as[0],
                                                             .scale = &as[1],
                                                             .zero_points = &as[2],
                                                             .y = &as[3],
                                                             .axis = 2,
                                                             .mode = REFERENCE_UNDO_DYNAMIC});
    for (int64_t i = 0; i < ENTRIES; i++) {
        const size_t bytes = LENGTH * COLUMNS * 2;
        const int64_t place[2] = {entries[i].batch, entries[i].start};

        memcpy(t->indices.image + t->indices.dl.byte_offset + (size_t)i * sizeof(place), place,
               sizeof(place));
        if (entries[i].dropped)
            memset(t->y.image + t->y.dl.byte_offset + (size_t)i * bytes, FILLING, bytes);
    }
    assert_true(tensor_upload(&t->indices, harness.queue) && tensor_fill(&t->y, harness.queue, FILLING));
}

/* Writes each row of the entries, its scale and its offset where the indices find them. */
static void place_entries(const struct near_entries *t, const struct clq_dequantize_desc *desc)
{
    for (int64_t row = 0; row < ENTRIES * LENGTH; row++) {
        const int64_t place =
            entries[row / LENGTH].batch * POSITIONS + entries[row / LENGTH].start + row % LENGTH;

        if (entries[row / LENGTH].dropped)
            continue;
        write_at(desc->q->data, place * COLUMNS / 2, values(&t->q, row * COLUMNS / 2), COLUMNS / 2);
        write_at(desc->scales->data, place * SCALE_STEP * 4, values(&t->scales, row * 4), 4);
        write_at(desc->offsets->data, place * SCALE_STEP * 4, values(&t->offsets, row * 4), 4);
    }
}

TEST(far_entries)
{
    const uint64_t scale_bytes = BATCHES * POSITIONS * SCALE_STEP * 4;
    int64_t shape[3] = {BATCHES, POSITIONS, COLUMNS}, strides[2] = {POSITIONS * SCALE_STEP, SCALE_STEP};
    struct near_entries t;
    DLTensor q, scales, offsets;
    const struct clq_dequantize_desc desc = {.q = &q,
                                             .scales = &scales,
                                             .offsets = &offsets,
                                             .indices = &t.indices.dl,
                                             .y = &t.y.dl,
                                             .mode = CLQ_DEQUANTIZE_DYNAMIC,
                                             .axis = 1};

    if (harness.small || !buffer_fits(scale_bytes))
        skip();
    make_near(&t);
    q = t.q.dl;
    q.shape = shape;
    q.byte_offset = 0;
    q.data = buffer_of(BATCHES * POSITIONS * COLUMNS / 2);
    scales = t.scales.dl;
    scales.shape = shape;
    scales.strides = strides;
    scales.byte_offset = 0;
    scales.data = buffer_of(scale_bytes);
    offsets = scales;
    offsets.data = buffer_of(scale_bytes);
    place_entries(&t, &desc);
    expect_status(clq_dequantize(harness.context, harness.queue, &desc, 0, NULL, NULL), CLQ_OK,
                  "far entries");
    assert_true(tensor_holds(&t.y, harness.queue, t.y.image, "y"));
    clReleaseMemObject(offsets.data);
    clReleaseMemObject(scales.data);
    clReleaseMemObject(q.data);
    tensor_clear(&t.q);
    tensor_clear(&t.scales);
    tensor_clear(&t.offsets);
    tensor_clear(&t.indices);
    tensor_clear(&t.y);
}

/* A CPU stores whole lines past its caches where rows begin lines. Of these entries the first of a batch
 * does, and hardly another one. */
TEST(entries_between_lines)
{
    enum { ROW = 128, STEP = ROW + 8, TOKENS = (4 << 20) / ROW + 8, ALL = 2 * TOKENS };
    const size_t size_bytes = (size_t)ALL * STEP + 2 * GUARD;
    int64_t shape[3] = {2, TOKENS, ROW}, apart[3] = {TOKENS * STEP, STEP, 1};
    int64_t each[3] = {ALL, 1, ROW}, repeat[3] = {0, 0, 1};
    struct tensor row, scale, expected, slots;
    struct reference_tensor as[3];
    DLTensor updates, cache;
    unsigned char *bytes;

    _Static_assert(TOKENS * STEP % GUARD == 0 && STEP % GUARD != 0, "batches begin lines, and others not");
    if (harness.small)
        skip();
    make(&row, REFERENCE_F16, 1, &shape[2]);
    make(&scale, REFERENCE_F32, 1, (const int64_t[]){1});
    make(&expected, REFERENCE_I8, 1, &shape[2]);
    make(&slots, REFERENCE_I32, 1, each);
    fill(&row, -6);
    tensor_set(&scale, 0, 0.25);
    for (int i = 0; i < ALL; i++)
        tensor_set(&slots, i, i);
    as[0] = tensor_reference(&row, row.image);
    as[1] = tensor_reference(&scale, scale.image);
    as[2] = tensor_reference(&expected, expected.image);
    reference_quantize(
        &(struct reference_quantize_desc){.x = &as[0], .scales = &as[1], .y = &as[2], .axis = 0});
    assert_true(tensor_upload(&row, harness.queue) && tensor_upload(&scale, harness.queue) &&
                tensor_upload(&slots, harness.queue));
    updates = row.dl;
    updates.ndim = 3;
    updates.shape = each;
    updates.strides = repeat;
    cache = expected.dl;
    cache.ndim = 3;
    cache.shape = shape;
    cache.strides = apart;
    cache.data = buffer_of(size_bytes);
    cache.byte_offset = GUARD;
    fill_with(cache.data, size_bytes);
    expect_status(clq_quantize_scatter(harness.context, harness.queue,
                                       &(struct clq_quantize_scatter_desc){.cache = &cache,
                                                                           .indices = &slots.dl,
                                                                           .updates = &updates,
                                                                           .scales = &scale.dl,
                                                                           .axis = 1,
                                                                           .index_kind = CLQ_SLOTS,
                                                                           .out_of_range = CLQ_DROP,
                                                                           .unique = 1},
                                       0, NULL, NULL),
                  CLQ_OK, "clq_quantize_scatter");
    bytes = map_between_guards(cache.data, size_bytes);
    for (int i = 0; i < ALL; i++) {
        const unsigned char *at = bytes + GUARD + (size_t)i * STEP;

        if (memcmp(at, values(&expected, 0), ROW) != 0)
            fail_msg("position %d differs", i);
        for (int k = ROW; k < STEP; k++)
            assert_int_equal(at[k], FILLING);
    }
    release(cache.data, bytes);
    tensor_clear(&row);
    tensor_clear(&scale);
    tensor_clear(&expected);
    tensor_clear(&slots);
}

HARNESS_MAIN("large")

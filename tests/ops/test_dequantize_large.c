/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors past 2^32 bytes: rows and entries far apart in large buffers, of which no more than these and what stands
 * around them is touched. */
#include "dequantize_case.h"

#include <string.h>

enum { FILLING = 0x5a, MOST_BYTES = 256 };

static cl_mem large_buffer(uint64_t size_bytes)
{
    cl_int status;
    const cl_mem mem = clCreateBuffer(harness.cl, CL_MEM_READ_WRITE, size_bytes, NULL, &status);

    expect_cl(status, "clCreateBuffer");
    return mem;
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

/* A case of rows side by side, whose bytes of y are then expected of rows far apart. */
static void check_far_rows(const struct dequantize_types *types, int axis)
{
    enum { ROWS = 7, COLUMNS = 48 };
    const struct dequantize_shape near = {.rank = 2, .q = {ROWS, COLUMNS}, .axis = axis};
    const struct dequantize_case c = dequantize_case_of("far rows", types, &near);
    const bool int4 = types->q == REFERENCE_I4;
    const int64_t q_step = (INT64_C(3) << 28) + 64,
                  y_step = (INT64_C(3) << 28) + 96; /* bytes of a row to the next */
    const int64_t q_bytes = int4 ? COLUMNS / 2 : COLUMNS, y_bytes = COLUMNS * 2;
    const uint64_t size_bytes = 6 * (uint64_t)y_step + MOST_BYTES + 2 * GUARD;
    int64_t q_strides[2] = {int4 ? 2 * q_step : q_step, 1}, y_strides[2] = {y_step / 2, 1};
    struct dequantize_tensors t = {.report = NULL};
    const struct parts parts = dequantize_parts(&t, &c);
    struct clq_dequantize_desc desc;
    DLTensor q, y;
    cl_mem far_q, far_y;

    if (harness.small || !buffer_fits(size_bytes))
        skip();
    far_q = large_buffer(size_bytes);
    far_y = large_buffer(size_bytes);
    parts_init(&parts);
    dequantize_tensors_fill(&t, &c);
    assert_true(parts_upload(&parts, harness.queue));
    dequantize_tensors_apply(&t, &c);
    desc = dequantize_desc_of(&t, &c);
    q = t.q.dl;
    q.data = far_q;
    q.byte_offset = 0;
    q.strides = q_strides;
    y = t.y.dl;
    y.data = far_y;
    y.byte_offset = GUARD;
    y.strides = y_strides;
    desc.q = &q;
    desc.y = &y;
    for (int64_t row = 0; row < ROWS; row++) {
        write_at(far_q, row * q_step, values(&t.q, row * q_bytes), q_bytes);
        fill_around(far_y, GUARD + row * y_step, y_bytes);
    }
    expect_status(clq_dequantize(harness.context, harness.queue, &desc, 0, NULL, NULL), CLQ_OK, c.name);
    for (int64_t row = 0; row < ROWS; row++)
        expect_at(far_y, GUARD + row * y_step, values(&t.y, row * y_bytes), y_bytes);
    clReleaseMemObject(far_y);
    clReleaseMemObject(far_q);
    parts_clear(&parts);
}

static void far_rows(void **state)
{
    const struct dequantize_types int8 = {.q = REFERENCE_I8,
                                          .scale = REFERENCE_F32,
                                          .zero = REFERENCE_F32,
                                          .y = REFERENCE_BF16,
                                          .mode = CLQ_DEQUANTIZE_MULTIPLY};
    const struct dequantize_types int4 = {
        .q = REFERENCE_I4, .scale = REFERENCE_F32, .zero = REFERENCE_I4, .y = REFERENCE_F16};

    (void)state;
    check_far_rows(&int8, 1);
    check_far_rows(&int4, 0);
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

/* The rows side by side, as a case without indices. */
static struct dequantize_case near_entries(void)
{
    const struct dequantize_types types = {.q = REFERENCE_I4,
                                           .scale = REFERENCE_F32,
                                           .zero = REFERENCE_F32,
                                           .y = REFERENCE_F16,
                                           .mode = CLQ_DEQUANTIZE_DYNAMIC};
    const struct dequantize_shape near = {.rank = 3, .q = {ENTRIES, LENGTH, COLUMNS}};

    return dequantize_case_of("far entries", &types, &near);
}

/* Writes each row of the entries, its scale and its offset where the indices find them. */
static void place_entries(const struct dequantize_tensors *t, cl_mem cache, cl_mem scales, cl_mem offsets)
{
    for (int64_t row = 0; row < ENTRIES * LENGTH; row++) {
        const int64_t place =
            entries[row / LENGTH].batch * POSITIONS + entries[row / LENGTH].start + row % LENGTH;

        if (entries[row / LENGTH].dropped)
            continue;
        write_at(cache, place * COLUMNS / 2, values(&t->q, row * COLUMNS / 2), COLUMNS / 2);
        write_at(scales, place * SCALE_STEP * 4, values(&t->scale, row * 4), 4);
        write_at(offsets, place * SCALE_STEP * 4, values(&t->zero_points, row * 4), 4);
    }
}

static void far_entries(void **state)
{
    const struct dequantize_case c = near_entries();
    const uint64_t cache_bytes = BATCHES * POSITIONS * COLUMNS / 2,
                   scale_bytes = BATCHES * POSITIONS * SCALE_STEP * 4;
    const int64_t index_shape[2] = {ENTRIES, 2}, entry_bytes = LENGTH * COLUMNS * 2;
    const struct layout layout = layout_dense(REFERENCE_I64, 1, 2, index_shape);
    int64_t cache_shape[3] = {BATCHES, POSITIONS, COLUMNS},
            scale_strides[2] = {POSITIONS * SCALE_STEP, SCALE_STEP};
    struct dequantize_tensors t = {.report = NULL};
    const struct parts parts = dequantize_parts(&t, &c);
    struct clq_dequantize_desc desc;
    struct tensor indices;
    DLTensor q, scale, offset;

    (void)state;
    if (harness.small || !buffer_fits(scale_bytes))
        skip();
    parts_init(&parts);
    dequantize_tensors_fill(&t, &c);
    assert_true(parts_upload(&parts, harness.queue));
    parts_fill_images(&parts, FILLING);
    dequantize_tensors_apply(&t, &c);
    tensor_init(&indices, &layout);
    for (int64_t i = 0; i < ENTRIES; i++) {
        scatter_set_index(&indices, i, entries[i].batch, entries[i].start);
        if (entries[i].dropped)
            memset(t.y.image + t.y.dl.byte_offset + i * entry_bytes, FILLING, (size_t)entry_bytes);
    }
    assert_true(tensor_upload(&indices, harness.queue) && tensor_fill(&t.y, harness.queue, FILLING));
    q = t.q.dl;
    q.shape = cache_shape;
    q.byte_offset = 0;
    q.data = large_buffer(cache_bytes);
    scale = t.scale.dl;
    scale.shape = cache_shape;
    scale.strides = scale_strides;
    scale.byte_offset = 0;
    scale.data = large_buffer(scale_bytes);
    offset = scale;
    offset.data = large_buffer(scale_bytes);
    place_entries(&t, q.data, scale.data, offset.data);
    desc = dequantize_desc_of(&t, &c);
    desc.q = &q;
    desc.scales = &scale;
    desc.offsets = &offset;
    desc.indices = &indices.dl;
    desc.axis = 1;
    expect_status(clq_dequantize(harness.context, harness.queue, &desc, 0, NULL, NULL), CLQ_OK, c.name);
    assert_true(tensor_holds(&t.y, harness.queue, t.y.image, "y"));
    clReleaseMemObject(offset.data);
    clReleaseMemObject(scale.data);
    clReleaseMemObject(q.data);
    tensor_clear(&indices);
    parts_clear(&parts);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(far_rows), cmocka_unit_test(far_entries)};

    return HARNESS_RUN(argc, argv, "dequantize large", tests);
}

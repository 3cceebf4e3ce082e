/* SPDX-License-Identifier: Apache-2.0 */
/* clq_move_rows as engines that keep a cache call it. The harness has its random calls; these are what users
 * do, and what they pay. */
#include "harness.h"

#include <string.h>

enum { PAGES = 6, PAGE = 4, ROW = 16, CACHE = PAGES * PAGE * ROW };

static const DLDevice opencl = {kDLOpenCL, 0};

/* A buffer of bytes, each of which is its number, from `first` on. */
static cl_mem numbered(size_t size, int first)
{
    unsigned char bytes[4096];
    cl_int code = CL_SUCCESS;
    cl_mem buffer;

    assert_true(size <= sizeof bytes);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)((size_t)first + i * 7);
    buffer = clCreateBuffer(harness.cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size > 0 ? size : 1, bytes,
                            &code);
    expect_cl(code, "clCreateBuffer");
    return buffer;
}

static cl_mem indices_of(const int32_t *indices, size_t count)
{
    cl_int code = CL_SUCCESS;
    cl_mem buffer = clCreateBuffer(harness.cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   count * sizeof *indices, (void *)(uintptr_t)indices, &code);

    expect_cl(code, "clCreateBuffer");
    return buffer;
}

static void read_bytes(cl_mem buffer, void *bytes, size_t size)
{
    expect_cl(clEnqueueReadBuffer(harness.queue, buffer, CL_TRUE, 0, size, bytes, 0, NULL, NULL), "read");
}

static DLTensor tensor(cl_mem buffer, DLDataType dtype, int ndim, int64_t *shape)
{
    return (DLTensor){.data = buffer, .device = opencl, .ndim = ndim, .dtype = dtype, .shape = shape};
}

/* A call with pages of one buffer, and slots or coordinates on both sides. */
struct moves {
    cl_mem cache, from, to;
    DLTensor pages, src_indices, dst_indices;
    int64_t shape[3], count[2];
    struct clq_move_rows_desc desc;
};

static void moves_make(struct moves *m, const int32_t *from, const int32_t *to, int64_t count, int64_t k)
{
    *m = (struct moves){.shape = {PAGES, PAGE, ROW}, .count = {count, k}};
    m->cache = numbered(CACHE, 0);
    m->from = indices_of(from, (size_t)(count * k));
    m->to = indices_of(to, (size_t)(count * k));
    m->pages = tensor(m->cache, CLQ_UINT8, 3, m->shape);
    m->src_indices = tensor(m->from, CLQ_INT32, k > 1 ? 2 : 1, m->count);
    m->dst_indices = tensor(m->to, CLQ_INT32, k > 1 ? 2 : 1, m->count);
    m->desc = (struct clq_move_rows_desc){.src = &m->pages,
                                          .src_indices = &m->src_indices,
                                          .dst_indices = &m->dst_indices,
                                          .dst = &m->pages,
                                          .src_index_kind = CLQ_SLOTS,
                                          .dst_index_kind = CLQ_SLOTS};
}

static void moves_clear(struct moves *m)
{
    clReleaseMemObject(m->cache);
    clReleaseMemObject(m->from);
    clReleaseMemObject(m->to);
}

static size_t workspace_of(const struct moves *m)
{
    size_t bytes = 0;

    expect_status(clq_move_rows_workspace(harness.context, &m->desc, &bytes), CLQ_OK, "workspace");
    return bytes;
}

static void run(const struct moves *m)
{
    expect_status(clq_move_rows(harness.context, harness.queue, &m->desc, 0, NULL, NULL), CLQ_OK,
                  "move_rows");
}

/* Slots are rows of the cache: each has the bytes that row from[slot] had, or its own where that is -1. */
static void expect_rows(const struct moves *m, const int *from)
{
    unsigned char found[CACHE], expected[CACHE];

    for (int i = 0; i < CACHE; i++) {
        const int row = i / ROW, of = from[row] < 0 ? row : from[row];

        expected[i] = (unsigned char)((of * ROW + i % ROW) * 7);
    }
    read_bytes(m->cache, found, sizeof found);
    assert_memory_equal(found, expected, sizeof found);
}

/* Twelve rows lie two by two in half-empty pages, and go to the first three pages: a row may be read from
 * where another goes. */
TEST(defragments_a_half_empty_cache_in_place)
{
    int32_t from[12], to[12];
    int now[PAGES * PAGE];
    struct moves m;

    for (int i = 0; i < PAGES * PAGE; i++)
        now[i] = -1;
    for (int i = 0; i < 12; i++) {
        from[i] = i / 2 * PAGE + i % 2;
        to[i] = i;
        now[i] = from[i];
    }
    moves_make(&m, from, to, 12, 1);
    assert_true(workspace_of(&m) >= 12 * ROW);
    run(&m);
    expect_rows(&m, now);
    moves_clear(&m);
}

/* The same with a workspace of the caller's, at an odd place, around which nothing changes. */
TEST(takes_a_workspace_for_the_rows_in_between)
{
    const int32_t from[3] = {0, 1, 2}, to[3] = {1, 2, 0};
    int now[PAGES * PAGE];
    unsigned char around[8];
    struct moves m;
    size_t bytes;

    for (int i = 0; i < PAGES * PAGE; i++)
        now[i] = i < 3 ? (i + 2) % 3 : -1;
    moves_make(&m, from, to, 3, 1);
    bytes = workspace_of(&m);
    assert_true(bytes > 0 && bytes + 8 <= 4096);
    m.desc.workspace = numbered(bytes + 8, 1);
    m.desc.workspace_offset_bytes = 4;
    run(&m);
    expect_rows(&m, now);
    expect_cl(
        clEnqueueReadBuffer(harness.queue, m.desc.workspace, CL_TRUE, bytes + 4, 4, around, 0, NULL, NULL),
        "read");
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(around[i], (unsigned char)(1 + (bytes + 4 + i) * 7));
    clReleaseMemObject(m.desc.workspace);
    moves_clear(&m);
}

/* No row that is read is written: nothing lies in between. */
TEST(forks_a_sequence_and_pays_nothing)
{
    const int32_t from[4] = {0, 1, 2, 3}, to[4] = {12, 13, 14, 15};
    int now[PAGES * PAGE];
    struct moves m;

    for (int i = 0; i < PAGES * PAGE; i++)
        now[i] = i >= 12 && i < 16 ? i - 12 : -1;
    moves_make(&m, from, to, 4, 1);
    m.desc.unique = 1;
    assert_int_equal(workspace_of(&m), 0);
    run(&m);
    expect_rows(&m, now);
    moves_clear(&m);
}

/* src and dst of one buffer whose bytes lie apart need no workspace either. */
TEST(copies_from_one_half_of_a_buffer_to_the_other)
{
    const int32_t from[2] = {0, 3}, to[2] = {2, 5};
    int now[PAGES * PAGE];
    DLTensor upper;
    struct moves m;

    for (int i = 0; i < PAGES * PAGE; i++)
        now[i] = i == 14 ? 0 : i == 17 ? 3 : -1;
    moves_make(&m, from, to, 2, 1);
    m.shape[0] = PAGES / 2;
    upper = m.pages;
    upper.byte_offset = CACHE / 2;
    m.desc.dst = &upper;
    assert_int_equal(workspace_of(&m), 0);
    run(&m);
    expect_rows(&m, now);
    moves_clear(&m);
}

/* Two entries go to slot 5: the later one has no source, and so the first wins. */
TEST(an_entry_without_a_source_wins_nothing)
{
    const int32_t from[3] = {1, -1, 99}, to[3] = {5, 5, 5};
    struct clq_report report = {0};
    int now[PAGES * PAGE];
    struct moves m;

    for (int i = 0; i < PAGES * PAGE; i++)
        now[i] = i == 5 ? 1 : -1;
    moves_make(&m, from, to, 3, 1);
    m.desc.report = indices_of((const int32_t[4]){0}, 4);
    run(&m);
    expect_rows(&m, now);
    read_bytes(m.desc.report, &report, sizeof report);
    assert_int_equal(report.dropped, 1);
    assert_int_equal(report.first, 3);
    expect_status(clq_move_rows_check_indices(harness.context, harness.queue, &m.desc, 0, NULL),
                  CLQ_ERROR_INDEX, "check_indices");
    assert_string_equal(clq_error_detail(),
                        "src_indices[2] is slot 99: it must be from 0 to 23, for the cache "
                        "has 6 batches of 4 on axis 1, or -1, which skips the entry");
    clReleaseMemObject(m.desc.report);
    moves_clear(&m);
}

/* An index for each of pages and positions; -1 is the last one where that is asked for. */
TEST(moves_rows_by_their_coordinates)
{
    const int32_t from[4] = {0, 1, -1, -1}, to[4] = {-1, 0, 0, 1};
    int now[PAGES * PAGE];
    struct moves m;

    for (int i = 0; i < PAGES * PAGE; i++)
        now[i] = i == 20 ? 1 : i == 1 ? 23 : -1;
    moves_make(&m, from, to, 2, 2);
    m.desc.src_index_kind = m.desc.dst_index_kind = CLQ_ND;
    m.desc.src_out_of_range = m.desc.dst_out_of_range = CLQ_WRAP;
    run(&m);
    expect_rows(&m, now);
    moves_clear(&m);
}

HARNESS_MAIN("ops.move_rows")

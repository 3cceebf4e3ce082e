/* SPDX-License-Identifier: Apache-2.0 */
/* Device tensors: made, written, read and mapped; and what is refused. */
#include "harness.h"

#include <string.h>

static DLManagedTensor *make(DLDataType dtype, int rank, const int64_t *shape)
{
    DLManagedTensor *tensor = NULL;

    expect_status(clq_tensor_create(harness.context, dtype, rank, shape, &tensor), CLQ_OK,
                  "clq_tensor_create");
    assert_non_null(tensor);
    return tensor;
}

static size_t buffer_bytes(const DLTensor *tensor)
{
    size_t size_bytes = 0;

    expect_cl(clGetMemObjectInfo(tensor->data, CL_MEM_SIZE, sizeof(size_bytes), &size_bytes, NULL),
              "clGetMemObjectInfo");
    return size_bytes;
}

TEST(sizes_of_every_type)
{
    static const struct {
        DLDataType dtype;
        int rank;
        int64_t shape[2];
        size_t bytes;
    } rows[] = {
        {{kDLFloat, 32, 1}, 2, {3, 5}, 60}, {{kDLFloat, 16, 1}, 2, {3, 5}, 30},
        {{kDLBfloat, 16, 1}, 1, {7}, 14},   {{kDLInt, 8, 1}, 2, {3, 5}, 15},
        {{kDLUInt, 8, 1}, 0, {0}, 1},       {{kDLInt, 32, 1}, 0, {0}, 4},
        {{kDLInt, 64, 1}, 1, {3}, 24},      {{kDLInt, 4, 1}, 2, {3, 6}, 9},
        {{kDLInt, 4, 2}, 2, {3, 3}, 9},     {{kDLInt, 4, 8}, 2, {3, 2}, 24},
        {{kDLFloat, 32, 1}, 2, {0, 5}, 0},  {{kDLInt, 4, 1}, 1, {0}, 0},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        DLManagedTensor *tensor = make(rows[i].dtype, rows[i].rank, rows[i].shape);
        size_t size_bytes = 99;

        expect_status(clq_tensor_size_bytes(&tensor->dl_tensor, &size_bytes), CLQ_OK,
                      "clq_tensor_size_bytes");
        assert_int_equal(size_bytes, rows[i].bytes);
        assert_int_equal(buffer_bytes(&tensor->dl_tensor), rows[i].bytes ? rows[i].bytes : 1);
        assert_int_equal(tensor->dl_tensor.ndim, rows[i].rank);
        assert_int_equal(tensor->dl_tensor.device.device_type, kDLOpenCL);
        assert_true(rows[i].rank == 0 || tensor->dl_tensor.shape != rows[i].shape); /* it has its own */
        assert_memory_equal(tensor->dl_tensor.shape, rows[i].shape, (size_t)rows[i].rank * sizeof(int64_t));
        clq_tensor_destroy(tensor);
    }
}

TEST(what_is_written_is_read)
{
    const int64_t shape[2] = {4, 6};
    DLManagedTensor *tensor = make(CLQ_INT8, 2, shape);
    char in[24], out[24];
    cl_event done = NULL;
    void *mapped = NULL;

    for (int i = 0; i < 24; i++)
        in[i] = (char)(i * 5);
    expect_status(clq_tensor_write(harness.queue, &tensor->dl_tensor, CL_TRUE, in, 24, 0, NULL, NULL), CLQ_OK,
                  "write");
    memset(out, 0, sizeof(out));
    expect_status(clq_tensor_read(harness.queue, &tensor->dl_tensor, CL_FALSE, out, 24, 0, NULL, &done),
                  CLQ_OK, "read");
    expect_cl(clWaitForEvents(1, &done), "clWaitForEvents");
    clReleaseEvent(done);
    assert_memory_equal(in, out, 24);
    expect_status(clq_tensor_map(harness.queue, &tensor->dl_tensor, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
                                 &mapped, 0, NULL, NULL),
                  CLQ_OK, "map");
    assert_memory_equal(mapped, in, 24);
    ((char *)mapped)[7] = 99;
    expect_status(clq_tensor_unmap(harness.queue, &tensor->dl_tensor, mapped, 0, NULL, NULL), CLQ_OK,
                  "unmap");
    expect_status(clq_tensor_read(harness.queue, &tensor->dl_tensor, CL_TRUE, out, 24, 0, NULL, NULL), CLQ_OK,
                  "read");
    in[7] = 99;
    assert_memory_equal(in, out, 24);
    tensor->deleter(tensor); /* as any reader of DLPack frees it */
}

/* A view that begins within the buffer moves its own bytes and no others. */
TEST(a_view_moves_its_own_bytes)
{
    const int64_t shape[1] = {16};
    int64_t part_shape[1] = {5};
    DLManagedTensor *tensor = make(CLQ_INT8, 1, shape);
    char all[16], part[5] = {1, 2, 3, 4, 5}, expected[16];
    DLTensor view = tensor->dl_tensor;

    memset(all, 9, sizeof(all));
    memset(expected, 9, sizeof(expected));
    memcpy(expected + 3, part, 5);
    view.shape = part_shape;
    view.byte_offset = 3;
    expect_status(clq_tensor_write(harness.queue, &tensor->dl_tensor, CL_TRUE, all, 16, 0, NULL, NULL),
                  CLQ_OK, "write");
    expect_status(clq_tensor_write(harness.queue, &view, CL_TRUE, part, 5, 0, NULL, NULL), CLQ_OK, "write");
    expect_status(clq_tensor_read(harness.queue, &tensor->dl_tensor, CL_TRUE, all, 16, 0, NULL, NULL), CLQ_OK,
                  "read");
    assert_memory_equal(all, expected, 16);
    memset(part, 0, sizeof(part));
    expect_status(clq_tensor_read(harness.queue, &view, CL_TRUE, part, 5, 0, NULL, NULL), CLQ_OK, "read");
    assert_memory_equal(part, expected + 3, 5);
    clq_tensor_destroy(tensor);
}

TEST(nothing_moves_for_an_empty_tensor)
{
    const int64_t shape[2] = {0, 3};
    DLManagedTensor *tensor = make(CLQ_FLOAT32, 2, shape);
    cl_event wait, done[2] = {NULL, NULL};
    cl_int status;

    if (harness.small) { /* Oclgrind would wait for the user event for ever */
        clq_tensor_destroy(tensor);
        skip();
    }
    wait = clCreateUserEvent(harness.cl, &status);
    expect_cl(status, "clCreateUserEvent");
    expect_status(clq_tensor_write(harness.queue, &tensor->dl_tensor, CL_FALSE, NULL, 0, 1, &wait, &done[0]),
                  CLQ_OK, "write");
    expect_status(clq_tensor_read(harness.queue, &tensor->dl_tensor, CL_FALSE, NULL, 0, 1, &wait, &done[1]),
                  CLQ_OK, "read");
    for (int i = 0; i < 2; i++) {
        expect_cl(clGetEventInfo(done[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL),
                  "info");
        assert_int_not_equal(status, CL_COMPLETE);
    }
    expect_cl(clSetUserEventStatus(wait, CL_COMPLETE), "clSetUserEventStatus");
    expect_cl(clWaitForEvents(2, done), "clWaitForEvents");
    clReleaseEvent(wait);
    clReleaseEvent(done[0]);
    clReleaseEvent(done[1]);
    clq_tensor_destroy(tensor);
}

/* Whoever blocks learns what became of the wait list, although there is nothing to move. */
TEST(blocking_on_an_empty_tensor_waits)
{
    const int64_t shape[1] = {0};
    DLManagedTensor *tensor = make(CLQ_FLOAT32, 1, shape);
    cl_int status;
    cl_event failed = clCreateUserEvent(harness.cl, &status);

    expect_cl(status, "clCreateUserEvent");
    expect_cl(clSetUserEventStatus(failed, CL_OUT_OF_RESOURCES), "clSetUserEventStatus");
    expect_status(clq_tensor_write(harness.queue, &tensor->dl_tensor, CL_TRUE, NULL, 0, 1, &failed, NULL),
                  CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "write");
    expect_status(clq_tensor_read(harness.queue, &tensor->dl_tensor, CL_TRUE, NULL, 0, 1, &failed, NULL),
                  CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "read");
    clReleaseEvent(failed);
    clq_tensor_destroy(tensor);
}

/* Bytes that another queue wrote behind a blocking write are there to stay:
 * the write is over when it returns. */
TEST(a_blocking_write_is_over_when_it_returns)
{
    enum { TRIES = 50 };
    const int64_t shape[1] = {64};
    DLManagedTensor *tensor = make(CLQ_INT8, 1, shape);
    cl_command_queue second = NULL;
    char old[64], new[64], got[64];

    memset(old, 1, sizeof(old));
    memset(new, 2, sizeof(new));
    expect_status(clq_queue_create(harness.context, 0, &second), CLQ_OK, "clq_queue_create");
    for (int i = 0; i < TRIES; i++) {
        cl_event written = NULL;
        cl_int reached = CL_QUEUED;

        expect_status(clq_tensor_write(harness.queue, &tensor->dl_tensor, CL_TRUE, old, sizeof(old), 0, NULL,
                                       i % 2 ? &written : NULL),
                      CLQ_OK, "write");
        if (i % 2) {
            expect_cl(
                clGetEventInfo(written, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(reached), &reached, NULL),
                "clGetEventInfo");
            assert_int_equal(reached, CL_COMPLETE);
            clReleaseEvent(written);
        }
        expect_status(clq_tensor_write(second, &tensor->dl_tensor, CL_TRUE, new, sizeof(new), 0, NULL, NULL),
                      CLQ_OK, "write");
        expect_status(
            clq_tensor_read(harness.queue, &tensor->dl_tensor, CL_TRUE, got, sizeof(got), 0, NULL, NULL),
            CLQ_OK, "read");
        assert_memory_equal(got, new, sizeof(got));
    }
    clq_queue_destroy(second);
    clq_tensor_destroy(tensor);
}

TEST(a_view_stands_in_the_callers_buffer)
{
    int64_t shape[2] = {2, 3};
    const float in[6] = {1, 2, 3, 4, 5, 6};
    float out[6] = {0};
    cl_int status;
    cl_mem buffer = clCreateBuffer(harness.cl, CL_MEM_READ_WRITE, sizeof(in), NULL, &status);
    const DLTensor view = clq_tensor_view(buffer, CLQ_FLOAT32, 2, shape);

    expect_cl(status, "clCreateBuffer");
    assert_ptr_equal(view.data, buffer);
    assert_ptr_equal(view.shape, shape);
    assert_null(view.strides);
    expect_status(clq_tensor_write(harness.queue, &view, CL_TRUE, in, sizeof(in), 0, NULL, NULL), CLQ_OK,
                  "write");
    expect_status(clq_tensor_read(harness.queue, &view, CL_TRUE, out, sizeof(out), 0, NULL, NULL), CLQ_OK,
                  "read");
    assert_memory_equal(in, out, sizeof(in));
    clReleaseMemObject(buffer);
}

/* Freed through the tensor's own deleter, whoever made it. */
static int deleted;
static void count_deleted(DLManagedTensor *tensor)
{
    (void)tensor;
    deleted++;
}

TEST(a_tensor_is_destroyed_by_its_deleter)
{
    DLManagedTensor own = {.deleter = count_deleted}, without = {.deleter = NULL};

    deleted = 0;
    clq_tensor_destroy(&own);
    clq_tensor_destroy(&without);
    clq_tensor_destroy(NULL);
    assert_int_equal(deleted, 1);
}

TEST(refuses_to_make)
{
    static const struct {
        DLDataType dtype;
        int rank;
        int64_t shape[9];
        clq_status status;
    } rows[] = {
        {{kDLFloat, 64, 1}, 1, {4}, CLQ_ERROR_TYPE},
        {{kDLInt, 4, 4}, 1, {4}, CLQ_ERROR_TYPE},
        {{kDLInt, 8, 1}, 9, {1, 1, 1, 1, 1, 1, 1, 1, 1}, CLQ_ERROR_RANK},
        {{kDLInt, 8, 1}, -1, {0}, CLQ_ERROR_RANK},
        {{kDLInt, 4, 1}, 0, {0}, CLQ_ERROR_RANK},
        {{kDLInt, 8, 1}, 2, {4, -1}, CLQ_ERROR_SHAPE},
        {{kDLInt, 4, 1}, 2, {4, 5}, CLQ_ERROR_SHAPE},
        {{kDLInt, 32, 1}, 2, {INT64_C(1) << 31, INT64_C(1) << 30}, CLQ_ERROR_OVERFLOW},
        {{kDLInt, 8, 1}, 2, {INT64_C(1) << 32, INT64_C(1) << 31}, CLQ_ERROR_OVERFLOW},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        DLManagedTensor *tensor = (DLManagedTensor *)&tensor;

        expect_status(clq_tensor_create(harness.context, rows[i].dtype, rows[i].rank, rows[i].shape, &tensor),
                      rows[i].status, "clq_tensor_create");
        assert_null(tensor);
        assert_true(strlen(clq_error_detail()) > 15);
    }
}

TEST(refuses_to_move)
{
    const int64_t shape[2] = {4, 6};
    int64_t strides[2] = {8, 1}, long_shape[2] = {4, 7};
    DLManagedTensor *tensor = make(CLQ_INT8, 2, shape);
    DLTensor view = tensor->dl_tensor;
    char bytes[64] = {0};
    void *mapped = bytes;

    expect_status(clq_tensor_write(harness.queue, NULL, CL_TRUE, bytes, 24, 0, NULL, NULL), CLQ_ERROR_NULL,
                  "tensor");
    expect_status(clq_tensor_write(harness.queue, &view, CL_TRUE, NULL, 24, 0, NULL, NULL), CLQ_ERROR_NULL,
                  "host");
    expect_status(clq_tensor_write(harness.queue, &view, CL_TRUE, bytes, 23, 0, NULL, NULL), CLQ_ERROR_SIZE,
                  "size");
    expect_status(clq_tensor_read(harness.queue, &view, CL_TRUE, bytes, 25, 0, NULL, NULL), CLQ_ERROR_SIZE,
                  "size");
    expect_status(clq_tensor_read(harness.queue, &view, CL_TRUE, bytes, 24, 1, NULL, NULL),
                  CL_INVALID_EVENT_WAIT_LIST, "wait list");
    view.strides = strides;
    expect_status(clq_tensor_read(harness.queue, &view, CL_TRUE, bytes, 24, 0, NULL, NULL), CLQ_ERROR_LAYOUT,
                  "strides");
    view.strides = NULL;
    view.shape = long_shape;
    expect_status(clq_tensor_read(harness.queue, &view, CL_TRUE, bytes, 28, 0, NULL, NULL), CLQ_ERROR_SIZE,
                  "buffer");
    view.shape = tensor->dl_tensor.shape;
    view.byte_offset = UINT64_MAX - 8;
    expect_status(clq_tensor_read(harness.queue, &view, CL_TRUE, bytes, 24, 0, NULL, NULL),
                  CLQ_ERROR_OVERFLOW, "offset");
    expect_status(clq_tensor_map(harness.queue, &view, CL_TRUE, CL_MAP_READ, &mapped, 0, NULL, NULL),
                  CLQ_ERROR_OVERFLOW, "map");
    assert_null(mapped);
    expect_status(clq_tensor_map(harness.queue, &tensor->dl_tensor, CL_TRUE, 8, &mapped, 0, NULL, NULL),
                  CLQ_ERROR_VALUE, "flags of nothing");
    assert_non_null(strstr(clq_error_detail(), "flags is 0x8: it must be made of CL_MAP_READ (1), "));
    assert_int_not_equal(clq_tensor_unmap(harness.queue, &tensor->dl_tensor, bytes, 0, NULL, NULL), CLQ_OK);
    assert_non_null(strstr(clq_error_detail(), "and must be what clq_tensor_map gave"));
    expect_status(clq_tensor_write(NULL, &tensor->dl_tensor, CL_TRUE, bytes, 24, 0, NULL, NULL),
                  CLQ_ERROR_NULL, "write without a queue");
    expect_status(clq_tensor_map(NULL, &tensor->dl_tensor, CL_TRUE, CL_MAP_READ, &mapped, 0, NULL, NULL),
                  CLQ_ERROR_NULL, "map without a queue");
    expect_status(clq_tensor_unmap(NULL, &tensor->dl_tensor, bytes, 0, NULL, NULL), CLQ_ERROR_NULL,
                  "unmap without a queue");
    clq_tensor_destroy(tensor);
}

static cl_mem buffer_with(cl_context context, cl_mem_flags flags)
{
    cl_int status;
    cl_mem buffer = clCreateBuffer(context, flags, 64, NULL, &status);

    expect_cl(status, "clCreateBuffer");
    return buffer;
}

static cl_mem whole_of(cl_mem buffer)
{
    const cl_buffer_region whole = {0, 64};
    cl_int status;
    cl_mem part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &whole, &status);

    expect_cl(status, "clCreateSubBuffer");
    return part;
}

enum move { WRITE, READ, MAP_WRITE, MAP_OVER, MAP_READ, MOVES };

static clq_status move(enum move what, const DLTensor *tensor)
{
    static const cl_map_flags flags[] = {
        [MAP_WRITE] = CL_MAP_WRITE, [MAP_OVER] = CL_MAP_WRITE_INVALIDATE_REGION, [MAP_READ] = CL_MAP_READ};
    static char bytes[64];
    void *mapped = NULL;
    clq_status status;

    if (what == WRITE)
        return clq_tensor_write(harness.queue, tensor, CL_TRUE, bytes, 64, 0, NULL, NULL);
    if (what == READ)
        return clq_tensor_read(harness.queue, tensor, CL_TRUE, bytes, 64, 0, NULL, NULL);
    status = clq_tensor_map(harness.queue, tensor, CL_TRUE, flags[what], &mapped, 0, NULL, NULL);
    assert_true((status == CLQ_OK) == (mapped != NULL));
    if (mapped != NULL)
        expect_status(clq_tensor_unmap(harness.queue, tensor, mapped, 0, NULL, NULL), CLQ_OK, "unmap");
    expect_cl(clFinish(harness.queue), "clFinish");
    return status;
}

TEST(the_host_moves_what_it_may)
{
    static const struct {
        cl_mem_flags flag;
        bool writes, reads;
        const char *sentence;
    } rows[] = {
        {CL_MEM_READ_WRITE, true, true, ""},
        {CL_MEM_READ_ONLY, true, true, ""}, /* for kernels */
        {CL_MEM_HOST_NO_ACCESS, false, false,
         "tensor.data was created with CL_MEM_HOST_NO_ACCESS: the host must be allowed to access it"},
        {CL_MEM_HOST_READ_ONLY, false, true,
         "tensor.data was created with CL_MEM_HOST_READ_ONLY: the host must be allowed to write it"},
        {CL_MEM_HOST_WRITE_ONLY, true, false,
         "tensor.data was created with CL_MEM_HOST_WRITE_ONLY: the host must be allowed to read it"},
    };
    int64_t shape[1] = {64};

    for (size_t i = 0; i < 2 * COUNT(rows); i++) {
        const size_t row = i / 2;
        cl_mem buffer = buffer_with(harness.cl, rows[row].flag), part = whole_of(buffer);
        const DLTensor view = clq_tensor_view(i % 2 ? part : buffer, CLQ_INT8, 1, shape);

        for (enum move what = WRITE; what < MOVES; what++) {
            const bool may = what == READ || what == MAP_READ ? rows[row].reads : rows[row].writes;

            expect_status(move(what, &view), may ? CLQ_OK : CLQ_ERROR_VALUE, rows[row].sentence);
            if (!may)
                assert_string_equal(clq_error_detail(), rows[row].sentence);
        }
        clReleaseMemObject(part);
        clReleaseMemObject(buffer);
    }
}

TEST(a_part_outlives_its_callers_hold_on_the_whole)
{
    int64_t shape[1] = {64};
    cl_mem buffer = buffer_with(harness.cl, CL_MEM_READ_WRITE), part = whole_of(buffer);
    const DLTensor view = clq_tensor_view(part, CLQ_INT8, 1, shape);

    clReleaseMemObject(buffer);
    for (enum move what = WRITE; what < MOVES; what++)
        expect_status(move(what, &view), CLQ_OK, "a part");
    clReleaseMemObject(part);
}

TEST(a_buffer_of_another_context_is_not_moved)
{
    int64_t shape[1] = {64};
    cl_int status;
    cl_context other = clCreateContext(NULL, 1, &harness.device, NULL, NULL, &status);
    cl_mem buffer;
    DLTensor view;

    expect_cl(status, "clCreateContext");
    buffer = buffer_with(other, CL_MEM_READ_WRITE);
    view = clq_tensor_view(buffer, CLQ_INT8, 1, shape);
    for (enum move what = WRITE; what < MOVES; what++) {
        expect_status(move(what, &view), CLQ_ERROR_VALUE, "another context");
        assert_non_null(strstr(clq_error_detail(), "it must be of the one that the call runs in"));
    }
    clReleaseMemObject(buffer);
    clReleaseContext(other);
}

HARNESS_MAIN("tensor")

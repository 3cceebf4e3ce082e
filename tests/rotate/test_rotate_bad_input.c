/* SPDX-License-Identifier: Apache-2.0 */
/* One row for each rule: the status, a word of the sentence, nothing written, no event made. */
#include "refused.h"

#include <clquant/rotate.h>
#include <stdio.h>
#include <string.h>

enum { N = 16, ROWS = 4, BYTES = ROWS * N * 4, OFFSET = 64, PART = 512 };

/* A call that is right, for a row to spoil. */
struct call {
    clq_context *context;
    cl_command_queue queue;
    DLTensor x, y;
    int64_t x_shape[9], y_shape[9], x_strides[9];
    struct clq_rotate_rows_desc given;
    const struct clq_rotate_rows_desc *desc;
    cl_uint num_wait;
    const cl_event *wait;
};

static cl_mem x_mem, y_mem, y_part;
static clq_rotation *rotation, *foreign;
static cl_event some_event;

static void make_call(struct call *c)
{
    const DLTensor tensor = {
        .device.device_type = kDLOpenCL, .ndim = 2, .dtype = CLQ_FLOAT32, .byte_offset = OFFSET};

    *c = (struct call){.context = harness.context, .queue = harness.queue, .x = tensor, .y = tensor};
    for (int d = 0; d < 9; d++)
        c->x_shape[d] = c->y_shape[d] = c->x_strides[d] = d == 0 ? ROWS : d == 1 ? N : 1;
    c->x_strides[0] = N;
    c->x_strides[1] = 1;
    c->x.data = x_mem;
    c->x.shape = c->x_shape;
    c->y.data = y_mem;
    c->y.shape = c->y_shape;
    c->given = (struct clq_rotate_rows_desc){.rotation = rotation, .x = &c->x, .y = &c->y};
    c->desc = &c->given;
}

SPOIL(no_context, c->context = NULL)
SPOIL(no_queue, c->queue = NULL)
SPOIL(no_desc, c->desc = NULL)
SPOIL(no_rotation, c->given.rotation = NULL)
SPOIL(foreign_rotation, c->given.rotation = foreign)
SPOIL(reserved, c->given.reserved[3] = 7)
SPOIL(no_x, c->given.x = NULL)
SPOIL(no_y, c->given.y = NULL)
SPOIL(no_data, c->y.data = NULL)
SPOIL(host_tensor, c->x.device.device_type = kDLCPU)
SPOIL(half, c->x.dtype = CLQ_FLOAT16)
SPOIL(lanes, c->y.dtype.lanes = 2)
SPOIL(scalar, c->x.ndim = 0)
SPOIL(rank, c->x.ndim = 9)
SPOIL(negative_shape, c->x_shape[0] = -1)
SPOIL(huge_shape, c->x_shape[0] = INT64_MAX)
SPOIL(past_32_bits, c->x_shape[0] = c->y_shape[0] = (int64_t)1 << 27)
SPOIL(offset_past_32_bits, c->x.byte_offset = (uint64_t)1 << 33)
SPOIL(offset_past_64_bits, c->x.byte_offset = UINT64_MAX - 3)
SPOIL(other_rank, c->y.ndim = 1; c->y_shape[0] = ROWS * N)
SPOIL(other_shape, c->y_shape[0] = ROWS - 1)
SPOIL(no_multiple, c->x_shape[1] = c->y_shape[1] = N + 1)
SPOIL(strides, c->x.strides = c->x_strides; c->x_strides[0] = N + 1)
SPOIL(odd_offset, c->x.byte_offset = OFFSET + 2)
SPOIL(short_x, c->x.byte_offset = OFFSET + 4)
SPOIL(short_y, c->y.byte_offset = PART + 4)
SPOIL(in_place, c->x = c->y)
SPOIL(overlap, c->x.data = y_mem; c->x.byte_offset = OFFSET + BYTES - 4)
SPOIL(overlap_of_part, c->x.data = y_part; c->x.byte_offset = 0; c->y.byte_offset = PART - 4)
SPOIL(list_without_length, c->wait = &some_event)
SPOIL(length_without_list, c->num_wait = 1)

static const struct bad {
    void (*spoil)(struct call *);
    clq_status status;
    const char *says;
} bads[] = {
    {no_context, CLQ_ERROR_NULL, "context"},
    {no_queue, CLQ_ERROR_NULL, "queue"},
    {no_desc, CLQ_ERROR_NULL, "desc"},
    {no_rotation, CLQ_ERROR_NULL, "rotation"},
    {foreign_rotation, CLQ_ERROR_VALUE, "rotation"},
    {reserved, CLQ_ERROR_VALUE, "reserved[3]"},
    {no_x, CLQ_ERROR_NULL, "x is NULL"},
    {no_y, CLQ_ERROR_NULL, "y is NULL"},
    {no_data, CLQ_ERROR_NULL, "y.data"},
    {host_tensor, CLQ_ERROR_VALUE, "x.device"},
    {half, CLQ_ERROR_TYPE, "x is no float32"},
    {lanes, CLQ_ERROR_TYPE, "y is no float32"},
    {scalar, CLQ_ERROR_RANK, "x.ndim is 0"},
    {rank, CLQ_ERROR_RANK, "x: "},
    {negative_shape, CLQ_ERROR_SHAPE, "x: "},
    {huge_shape, CLQ_ERROR_OVERFLOW, "x: "},
    {past_32_bits, CLQ_ERROR_OVERFLOW, "2^31"},
    {offset_past_32_bits, CLQ_ERROR_OVERFLOW, "2^31"},
    {offset_past_64_bits, CLQ_ERROR_OVERFLOW, "2^31"},
    {other_rank, CLQ_ERROR_SHAPE, "y.ndim is 1"},
    {other_shape, CLQ_ERROR_SHAPE, "y.shape[0] is 3"},
    {no_multiple, CLQ_ERROR_SHAPE, "x.shape[1] is 17"},
    {strides, CLQ_ERROR_LAYOUT, "x.strides"},
    {odd_offset, CLQ_ERROR_LAYOUT, "x.byte_offset is 66"},
    {short_x, CLQ_ERROR_SIZE, "x ends at byte"},
    {short_y, CLQ_ERROR_SIZE, "y ends at byte"},
    {in_place, CLQ_ERROR_OVERLAP, "overlaps"},
    {overlap, CLQ_ERROR_OVERLAP, "overlaps"},
    {overlap_of_part, CLQ_ERROR_OVERLAP, "overlaps"},
    {list_without_length, CL_INVALID_EVENT_WAIT_LIST, "num_wait is 0"},
    {length_without_list, CL_INVALID_EVENT_WAIT_LIST, "num_wait is 1"},
};

static void bad_calls_are_refused(void **state)
{
    unsigned char filled[PART + BYTES], got[sizeof filled];

    (void)state;
    memset(filled, 0x5a, sizeof filled);
    expect_cl(harness_write(harness.queue, y_mem, 0, sizeof filled, filled), "clEnqueueWriteBuffer");
    for (size_t i = 0; i < COUNT(bads); i++) {
        cl_event done = NULL;
        struct call c;
        clq_status status;

        make_call(&c);
        bads[i].spoil(&c);
        clq_error_set(CLQ_OK, "%s", "");
        status = clq_rotate_rows(c.context, c.queue, c.desc, c.num_wait, c.wait, &done);
        if (status != bads[i].status || done != NULL || strstr(clq_error_detail(), bads[i].says) == NULL)
            fail_msg("row %zu: %s: '%s', not '%s'", i, clq_status_name(status), clq_error_detail(),
                     bads[i].says);
    }
    expect_cl(clFinish(harness.queue), "clFinish");
    expect_cl(clEnqueueReadBuffer(harness.queue, y_mem, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL),
              "clEnqueueReadBuffer");
    assert_memory_equal(got, filled, sizeof got);
}

/* What the table spoils is right before it is spoilt, also side by side in one buffer. */
static void the_call_itself_is_right(void **state)
{
    struct call c;

    (void)state;
    make_call(&c);
    expect_status(clq_rotate_rows(c.context, c.queue, c.desc, 0, NULL, NULL), CLQ_OK, "as it is");
    make_call(&c);
    c.x.data = y_mem;
    c.x.byte_offset = OFFSET + BYTES;
    expect_status(clq_rotate_rows(c.context, c.queue, c.desc, 0, NULL, NULL), CLQ_OK, "side by side");
    make_call(&c);
    c.x.data = y_part;
    c.x.byte_offset = 0;
    expect_status(clq_rotate_rows(c.context, c.queue, c.desc, 0, NULL, NULL), CLQ_OK, "in a part of it");
    expect_cl(clFinish(harness.queue), "clFinish");
}

static void bad_rotations_are_refused(void **state)
{
    clq_rotation *made = rotation;

    (void)state;
    expect_status(clq_rotation_create(harness.context, 100, &made), CLQ_ERROR_VALUE, "100");
    assert_null(made);
    assert_non_null(strstr(clq_error_detail(), "n is 100"));
    expect_status(clq_rotation_create(harness.context, 8192, &made), CLQ_ERROR_VALUE, "8192");
    expect_status(clq_rotation_create(NULL, 64, &made), CLQ_ERROR_NULL, "no context");
    expect_status(clq_rotation_create(harness.context, 64, NULL), CLQ_ERROR_NULL, "nowhere to put it");
    clq_rotation_destroy(NULL);
}

static int prepare(void **state)
{
    clq_context *other = NULL;
    cl_int status;

    (void)state;
    x_mem = clCreateBuffer(harness.cl, CL_MEM_READ_WRITE, OFFSET + BYTES, NULL, &status);
    expect_cl(status, "clCreateBuffer");
    y_mem = clCreateBuffer(harness.cl, CL_MEM_READ_WRITE, PART + BYTES, NULL, &status);
    expect_cl(status, "clCreateBuffer");
    y_part = clCreateSubBuffer(y_mem, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
                               &(cl_buffer_region){.origin = PART, .size = BYTES}, &status);
    expect_cl(status, "clCreateSubBuffer");
    some_event = clCreateUserEvent(harness.cl, &status);
    expect_cl(status, "clCreateUserEvent");
    expect_status(clq_rotation_create(harness.context, N, &rotation), CLQ_OK, "clq_rotation_create");
    expect_status(clq_context_create(&harness.desc, &other), CLQ_OK, "clq_context_create");
    expect_status(clq_rotation_create(other, N, &foreign), CLQ_OK, "clq_rotation_create");
    clq_context_destroy(other);
    return 0;
}

static int clear(void **state)
{
    (void)state;
    clq_rotation_destroy(rotation);
    clq_rotation_destroy(foreign);
    clReleaseEvent(some_event);
    clReleaseMemObject(y_part);
    clReleaseMemObject(y_mem);
    clReleaseMemObject(x_mem);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(bad_calls_are_refused, prepare, clear),
        cmocka_unit_test_setup_teardown(the_call_itself_is_right, prepare, clear),
        cmocka_unit_test(bad_rotations_are_refused),
    };

    return HARNESS_RUN(argc, argv, "rotate_bad_input", tests);
}

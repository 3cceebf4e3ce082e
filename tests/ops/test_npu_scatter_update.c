/* SPDX-License-Identifier: Apache-2.0 */
/* The documented calls npu_scatter_nd_update and scatter_update, and the same in place: what they refuse.
 * What they compute is harness.documented.* */
#include "refused.h"

#include <string.h>

enum { INPUT, INDICES, UPDATES, OUTPUT, BUFFERS };
enum { ND, ND_IN_PLACE, UPDATE, UPDATE_IN_PLACE };
static const unsigned char fillings[BUFFERS] = {
    [INPUT] = 0x41, [INDICES] = 0, [UPDATES] = 0x40, [OUTPUT] = 0x42};

/* A call that is right, for a row to spoil. With coordinates: input int8 (4, 8, 16), indices int32 (3, 2, 2),
 * updates (3, 2, 16). With starts: indices (3), updates (3, 2, 16). */
struct call {
    cl_mem buffers[BUFFERS];
    DLTensor tensors[BUFFERS];
    int64_t shapes[BUFFERS][9], strides[BUFFERS][9];
    const DLTensor *arguments[BUFFERS];
    int which, axis;
    clq_context *context;
    cl_command_queue queue;
    cl_uint num_wait;
};

static void make_bad_call(struct call *c, int which)
{
    static const int64_t shapes[BUFFERS][9] = {[INPUT] = {4, 8, 16, 1, 1, 1, 1, 1, 1},
                                               [INDICES] = {3, 2, 2, 1, 1, 1, 1, 1, 1},
                                               [UPDATES] = {3, 2, 16, 1, 1, 1, 1, 1, 1},
                                               [OUTPUT] = {4, 8, 16, 1, 1, 1, 1, 1, 1}};
    const int ranks[BUFFERS] = {3, which < UPDATE ? 3 : 1, 3, 3};
    const DLDataType dtypes[BUFFERS] = {CLQ_INT8, CLQ_INT32, CLQ_INT8, CLQ_INT8};

    *c = (struct call){.which = which, .axis = 1, .context = harness.context, .queue = harness.queue};
    memcpy(c->shapes, shapes, sizeof(shapes));
    refused_make(c->buffers, fillings, BUFFERS);
    for (int i = 0; i < BUFFERS; i++) {
        c->tensors[i] = refused_tensor(c->buffers[i], dtypes[i], ranks[i], c->shapes[i]);
        c->arguments[i] = &c->tensors[i];
    }
}

static clq_status run_bad_call(const struct call *c, cl_event *done)
{
    const DLTensor *const *a = c->arguments;

    switch (c->which) {
    case ND:
        return clq_npu_scatter_nd_update(c->context, c->queue, a[INPUT], a[INDICES], a[UPDATES], a[OUTPUT],
                                         c->num_wait, NULL, done);
    case ND_IN_PLACE:
        return clq_npu_scatter_nd_update_(c->context, c->queue, a[INPUT], a[INDICES], a[UPDATES], c->num_wait,
                                          NULL, done);
    case UPDATE:
        return clq_scatter_update(c->context, c->queue, a[INPUT], a[INDICES], a[UPDATES], c->axis, a[OUTPUT],
                                  c->num_wait, NULL, done);
    default:
        return clq_scatter_update_(c->context, c->queue, a[INPUT], a[INDICES], a[UPDATES], c->axis,
                                   c->num_wait, NULL, done);
    }
}

SPOIL(no_input, c->arguments[INPUT] = NULL)
SPOIL(no_indices, c->arguments[INDICES] = NULL)
SPOIL(no_updates, c->arguments[UPDATES] = NULL)
SPOIL(no_output, c->arguments[OUTPUT] = NULL)
SPOIL(no_context, c->context = NULL)
SPOIL(wait_missing, c->num_wait = 1)
SPOIL(indices_flat, c->tensors[INDICES].ndim = 0)
SPOIL(indices_deep, c->tensors[INDICES].ndim = 9)
SPOIL(indices_wide, c->shapes[INDICES][2] = 4)
SPOIL(indices_none, c->shapes[INDICES][2] = 0)
SPOIL(indices_half, c->tensors[INDICES].dtype = CLQ_FLOAT16)
SPOIL(updates_deep, c->tensors[UPDATES].ndim = 4)
SPOIL(updates_many, c->shapes[UPDATES][1] = 3)
SPOIL(updates_wide, c->shapes[UPDATES][2] = 15)
SPOIL(updates_int32, c->tensors[UPDATES].dtype = CLQ_INT32)
SPOIL(output_long, c->shapes[OUTPUT][0] = 5)
SPOIL(output_half, c->tensors[OUTPUT].dtype = CLQ_UINT8)
SPOIL(output_is_input, c->tensors[OUTPUT].data = c->buffers[INPUT])
SPOIL(output_is_updates, c->tensors[OUTPUT].data = c->buffers[INDICES])
SPOIL(gaps, memcpy(c->strides[UPDATES], (int64_t[]){40, 16, 1}, 3 * sizeof(int64_t));
      c->tensors[UPDATES].strides = c->strides[UPDATES])
SPOIL(axis_first, c->axis = 0)
SPOIL(axis_past, c->axis = 3)
SPOIL(axis_low, c->axis = -3)
SPOIL(triples, c->tensors[INDICES].ndim = 2; c->shapes[INDICES][1] = 3)
SPOIL(few_indices, c->shapes[INDICES][0] = 2)
SPOIL(long_updates, c->shapes[UPDATES][1] = 9)

static const struct bad_row {
    int which;
    struct refused_row row;
} bad_rows[] = {
    {ND, {"no input", no_input, CLQ_ERROR_NULL, "input is NULL: it must be a tensor"}},
    {ND, {"no indices", no_indices, CLQ_ERROR_NULL, "indices is NULL: it must be a tensor"}},
    {ND, {"no updates", no_updates, CLQ_ERROR_NULL, "updates is NULL: it must be a tensor"}},
    {ND, {"no output", no_output, CLQ_ERROR_NULL, "output is NULL: it must be a tensor"}},
    {ND, {"no context", no_context, CLQ_ERROR_NULL, "context is NULL: it must be a context"}},
    {ND_IN_PLACE,
     {"a wait list that is missing", wait_missing, CL_INVALID_EVENT_WAIT_LIST,
      "num_wait is 1 and wait is NULL: a wait list has both or neither"}},
    {ND, {"indices of rank 0", indices_flat, CLQ_ERROR_RANK, "indices.ndim is 0: it must be from 1 to 8"}},
    {ND, {"indices of rank 9", indices_deep, CLQ_ERROR_RANK, "indices.ndim is 9: it must be from 0 to 8"}},
    {ND,
     {"more indices than dimensions", indices_wide, CLQ_ERROR_SHAPE,
      "indices.shape[2] is 4: it must be from 1 to 3, the dimensions of input"}},
    {ND_IN_PLACE,
     {"an entry of no index", indices_none, CLQ_ERROR_SHAPE,
      "indices.shape[2] is 0: it must be from 1 to 3, the dimensions of input"}},
    {ND,
     {"indices of floats", indices_half, CLQ_ERROR_TYPE,
      "indices.dtype is float16: it must be int32 or int64"}},
    {ND,
     {"updates of another rank", updates_deep, CLQ_ERROR_RANK,
      "updates.ndim is 4: it must be 3, the 2 of indices but its last, and the 1 of input behind its first "
      "2"}},
    {ND,
     {"more updates than indices", updates_many, CLQ_ERROR_SHAPE,
      "updates.shape[1] is 3: it must be indices.shape[1], 2"}},
    {ND,
     {"rows that are shorter", updates_wide, CLQ_ERROR_SHAPE,
      "updates.shape[2] is 15: it must be input.shape[2], 16"}},
    {ND,
     {"updates of another type", updates_int32, CLQ_ERROR_TYPE,
      "updates.dtype is int32: it must be that of output, int8, or both must be float32, float16 or "
      "bfloat16"}},
    {ND_IN_PLACE,
     {"updates of another type, in place", updates_int32, CLQ_ERROR_TYPE,
      "updates.dtype is int32: it must be that of input, int8, or both must be float32, float16 or "
      "bfloat16"}},
    {ND,
     {"a longer output", output_long, CLQ_ERROR_SHAPE, "input.shape[0] is 4: it must be output.shape[0], 5"}},
    {ND,
     {"an output of another type", output_half, CLQ_ERROR_TYPE,
      "updates.dtype is int8: it must be that of output, uint8, or both must be float32, float16 or "
      "bfloat16"}},
    {ND,
     {"the output is the input", output_is_input, CLQ_ERROR_OVERLAP,
      "output shares bytes of its buffer with input: their byte ranges must be disjoint"}},
    {UPDATE,
     {"the output is the indices", output_is_updates, CLQ_ERROR_OVERLAP,
      "output shares bytes of its buffer with indices: their byte ranges must be disjoint"}},
    {ND,
     {"rows that no one step leads through", gaps, CLQ_ERROR_LAYOUT,
      "updates.strides[0] is 40: it must be 32, for dimensions 0 to 1 are taken as one"}},
    {UPDATE, {"no data", no_input, CLQ_ERROR_NULL, "data is NULL: it must be a tensor"}},
    {UPDATE_IN_PLACE, {"no starts", no_indices, CLQ_ERROR_NULL, "indices is NULL: it must be a tensor"}},
    {UPDATE, {"nothing to write", no_updates, CLQ_ERROR_NULL, "updates is NULL: it must be a tensor"}},
    {UPDATE, {"no output of starts", no_output, CLQ_ERROR_NULL, "output is NULL: it must be a tensor"}},
    {UPDATE,
     {"the first axis", axis_first, CLQ_ERROR_AXIS,
      "axis is 0 (CLQ_AXIS_FIRST): it must be from 1 to 2 or from -2 to -1, any of the 3 dimensions of "
      "output "
      "but the first"}},
    {UPDATE_IN_PLACE,
     {"an axis past the rank", axis_past, CLQ_ERROR_AXIS,
      "axis is 3: it must be from 1 to 2 or from -2 to -1, any of the 3 dimensions of data but the first"}},
    {UPDATE_IN_PLACE,
     {"the first axis from the end", axis_low, CLQ_ERROR_AXIS,
      "axis is -3: it must be from 1 to 2 or from -2 to -1, any of the 3 dimensions of data but the first"}},
    {UPDATE,
     {"triples", triples, CLQ_ERROR_SHAPE, "indices.shape[1] is 3: it must be 2, a batch and a start"}},
    {UPDATE,
     {"fewer starts", few_indices, CLQ_ERROR_SHAPE, "indices.shape[0] is 2: it must be updates.shape[0], 3"}},
    {UPDATE_IN_PLACE,
     {"entries that are too long", long_updates, CLQ_ERROR_SHAPE,
      "updates.shape[1] is 9: it must be at most data.shape[1], 8"}},
    {UPDATE,
     {"data of another size", output_long, CLQ_ERROR_SHAPE,
      "data.shape[0] is 4: it must be output.shape[0], 5"}},
};

static void refuses(void **state)
{
    const struct bad_row *bad = *state;
    cl_event done = NULL;
    struct call c;

    make_bad_call(&c, bad->which);
    bad->row.spoil(&c);
    refused_expect(run_bad_call(&c, &done), bad->row.status, bad->row.sentence, bad->row.name);
    refused_expect_nothing(&done, c.buffers, fillings, BUFFERS);
    refused_release(c.buffers, BUFFERS);
}

TEST(the_calls_themselves_are_right)
{
    for (int which = ND; which <= UPDATE_IN_PLACE; which++) {
        const bool copies = which == ND || which == UPDATE;
        struct call c;

        make_bad_call(&c, which);
        expect_status(run_bad_call(&c, NULL), CLQ_OK, "the call");
        expect_cl(clFinish(harness.queue), "clFinish");
        assert_int_equal(refused_untouched(c.buffers[OUTPUT], fillings[OUTPUT]), !copies);
        assert_int_equal(refused_untouched(c.buffers[INPUT], fillings[INPUT]), copies);
        refused_release(c.buffers, BUFFERS);
    }
}

TEST_OF_ROWS(refuses, bad_rows, row.name)

HARNESS_MAIN("npu_scatter_update")

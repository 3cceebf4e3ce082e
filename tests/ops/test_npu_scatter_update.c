/* SPDX-License-Identifier: Apache-2.0 */
/* The documented calls npu_scatter_nd_update and scatter_update, and the same in place: what they refuse.
 * What they compute is harness.documented.* */
#include "refused.h"

#include <string.h>

enum { INPUT, INDICES, UPDATES, OUTPUT, BUFFERS };
enum { ND, ND_IN_PLACE, UPDATE, UPDATE_IN_PLACE };

/* With coordinates: input int8 (4, 8, 16), indices int32 (3, 2, 2), updates (3, 2, 16). With starts: indices
 * (3), updates (3, 2, 16). */
static const struct refused_tensor given[BUFFERS] = {
    [INPUT] = {0x41, CLQ_INT8, 3, {4, 8, 16, 1, 1, 1, 1, 1, 1}},
    [INDICES] = {0, CLQ_INT32, 3, {3, 2, 2, 1, 1, 1, 1, 1, 1}},
    [UPDATES] = {0x40, CLQ_INT8, 3, {3, 2, 16, 1, 1, 1, 1, 1, 1}},
    [OUTPUT] = {0x42, CLQ_INT8, 3, {4, 8, 16, 1, 1, 1, 1, 1, 1}}};

struct call {
    struct refused_call r;
    int which, axis;
};

static void make_call(struct call *c, int which)
{
    c->which = which;
    c->axis = 1;
    refused_make(&c->r, given, BUFFERS);
    c->r.tensors[INDICES].ndim = which < UPDATE ? 3 : 1;
}

static clq_status run_call(const struct call *c, cl_event *done)
{
    const struct refused_call *const r = &c->r;
    const DLTensor *const *a = r->arguments;

    switch (c->which) {
    case ND:
        return clq_npu_scatter_nd_update(r->context, r->queue, a[INPUT], a[INDICES], a[UPDATES], a[OUTPUT],
                                         r->num_wait, NULL, done);
    case ND_IN_PLACE:
        return clq_npu_scatter_nd_update_(r->context, r->queue, a[INPUT], a[INDICES], a[UPDATES], r->num_wait,
                                          NULL, done);
    case UPDATE:
        return clq_scatter_update(r->context, r->queue, a[INPUT], a[INDICES], a[UPDATES], c->axis, a[OUTPUT],
                                  r->num_wait, NULL, done);
    default:
        return clq_scatter_update_(r->context, r->queue, a[INPUT], a[INDICES], a[UPDATES], c->axis,
                                   r->num_wait, NULL, done);
    }
}

REFUSES(make_call, run_call)

REFUSED(ND, "no input", CLQ_ERROR_NULL, NO("input"), r->arguments[INPUT] = NULL)
REFUSED(ND, "no indices", CLQ_ERROR_NULL, NO("indices"), r->arguments[INDICES] = NULL)
REFUSED(ND, "no updates", CLQ_ERROR_NULL, NO("updates"), r->arguments[UPDATES] = NULL)
REFUSED(ND, "no output", CLQ_ERROR_NULL, NO("output"), r->arguments[OUTPUT] = NULL)
REFUSED(ND, "no context", CLQ_ERROR_NULL, NO_CONTEXT, r->context = NULL)
REFUSED(ND_IN_PLACE, "a wait list that is missing", CL_INVALID_EVENT_WAIT_LIST, NO_WAIT_LIST, r->num_wait = 1)
REFUSED(ND, "indices of rank 0", CLQ_ERROR_RANK, "indices.ndim is 0: it must be from 1 to 8",
        r->tensors[INDICES].ndim = 0)
REFUSED(ND, "indices of rank 9", CLQ_ERROR_RANK, "indices.ndim is 9: it must be from 0 to 8",
        r->tensors[INDICES].ndim = 9)
REFUSED(ND, "more indices than dimensions", CLQ_ERROR_SHAPE,
        "indices.shape[2] is 4: it must be from 1 to 3, the dimensions of input", r->shapes[INDICES][2] = 4)
REFUSED(ND_IN_PLACE, "an entry of no index", CLQ_ERROR_SHAPE,
        "indices.shape[2] is 0: it must be from 1 to 3, the dimensions of input", r->shapes[INDICES][2] = 0)
REFUSED(ND, "indices of floats", CLQ_ERROR_TYPE, "indices.dtype is float16: it must be int32 or int64",
        r->tensors[INDICES].dtype = CLQ_FLOAT16)
REFUSED(ND, "updates of another rank", CLQ_ERROR_RANK,
        "updates.ndim is 4: it must be 3, the 2 of indices but its last, and the 1 of input behind its first "
        "2",
        r->tensors[UPDATES].ndim = 4)
REFUSED(ND, "more updates than indices", CLQ_ERROR_SHAPE,
        "updates.shape[1] is 3: it must be indices.shape[1], 2", r->shapes[UPDATES][1] = 3)
REFUSED(ND, "rows that are shorter", CLQ_ERROR_SHAPE, "updates.shape[2] is 15: it must be input.shape[2], 16",
        r->shapes[UPDATES][2] = 15)
REFUSED(ND, "updates of another type", CLQ_ERROR_TYPE,
        "updates.dtype is int32: it must be that of output, int8, or both must be float32, float16 or "
        "bfloat16",
        r->tensors[UPDATES].dtype = CLQ_INT32)
REFUSED(ND_IN_PLACE, "updates of another type, in place", CLQ_ERROR_TYPE,
        "updates.dtype is int32: it must be that of input, int8, or both must be float32, float16 or "
        "bfloat16",
        r->tensors[UPDATES].dtype = CLQ_INT32)
REFUSED(ND, "a longer output", CLQ_ERROR_SHAPE, "input.shape[0] is 4: it must be output.shape[0], 5",
        r->shapes[OUTPUT][0] = 5)
REFUSED(ND, "an output of another type", CLQ_ERROR_TYPE,
        "updates.dtype is int8: it must be that of output, uint8, or both must be float32, float16 or "
        "bfloat16",
        r->tensors[OUTPUT].dtype = CLQ_UINT8)
REFUSED(ND, "the output is the input", CLQ_ERROR_OVERLAP, SHARES("output", "input"),
        r->tensors[OUTPUT].data = r->buffers[INPUT])
REFUSED(UPDATE, "the output is the indices", CLQ_ERROR_OVERLAP, SHARES("output", "indices"),
        r->tensors[OUTPUT].data = r->buffers[INDICES])
REFUSED(ND, "rows that no one step leads through", CLQ_ERROR_LAYOUT,
        "updates.strides[0] is 40: it must be 32, for dimensions 0 to 1 are taken as one",
        memcpy(r->strides[UPDATES], (int64_t[]){40, 16, 1}, 3 * sizeof(int64_t));
        r->tensors[UPDATES].strides = r->strides[UPDATES])
REFUSED(UPDATE, "no data", CLQ_ERROR_NULL, NO("data"), r->arguments[INPUT] = NULL)
REFUSED(UPDATE_IN_PLACE, "no starts", CLQ_ERROR_NULL, NO("indices"), r->arguments[INDICES] = NULL)
REFUSED(UPDATE, "nothing to write", CLQ_ERROR_NULL, NO("updates"), r->arguments[UPDATES] = NULL)
REFUSED(UPDATE, "no output of starts", CLQ_ERROR_NULL, NO("output"), r->arguments[OUTPUT] = NULL)
REFUSED(UPDATE, "the first axis", CLQ_ERROR_AXIS,
        "axis is 0 (CLQ_AXIS_FIRST): it must be from 1 to 2 or from -2 to -1, any of the 3 dimensions of "
        "output "
        "but the first",
        c->axis = 0)
REFUSED(UPDATE_IN_PLACE, "an axis past the rank", CLQ_ERROR_AXIS,
        "axis is 3: it must be from 1 to 2 or from -2 to -1, any of the 3 dimensions of data but the first",
        c->axis = 3)
REFUSED(UPDATE_IN_PLACE, "the first axis from the end", CLQ_ERROR_AXIS,
        "axis is -3: it must be from 1 to 2 or from -2 to -1, any of the 3 dimensions of data but the first",
        c->axis = -3)
REFUSED(UPDATE, "triples", CLQ_ERROR_SHAPE, "indices.shape[1] is 3: it must be 2, a batch and a start",
        r->tensors[INDICES].ndim = 2;
        r->shapes[INDICES][1] = 3)
REFUSED(UPDATE, "fewer starts", CLQ_ERROR_SHAPE, "indices.shape[0] is 2: it must be updates.shape[0], 3",
        r->shapes[INDICES][0] = 2)
REFUSED(UPDATE_IN_PLACE, "entries that are too long", CLQ_ERROR_SHAPE,
        "updates.shape[1] is 9: it must be at most data.shape[1], 8", r->shapes[UPDATES][1] = 9)
REFUSED(UPDATE, "data of another size", CLQ_ERROR_SHAPE, "data.shape[0] is 4: it must be output.shape[0], 5",
        r->shapes[OUTPUT][0] = 5)

TEST(the_calls_themselves_are_right)
{
    for (int which = ND; which <= UPDATE_IN_PLACE; which++) {
        const bool copies = which == ND || which == UPDATE;
        struct call c;

        make_call(&c, which);
        expect_status(run_call(&c, NULL), CLQ_OK, "the call");
        expect_cl(clFinish(harness.queue), "clFinish");
        assert_int_equal(refused_untouched(&c.r, OUTPUT), !copies);
        assert_int_equal(refused_untouched(&c.r, INPUT), copies);
        refused_clear(&c.r);
    }
}

HARNESS_MAIN("npu_scatter_update")

/* SPDX-License-Identifier: Apache-2.0 */
/* The documented calls over rows that move. */
#include "documented_moves.h"

#include "move_rows_rules.h"

#include <clquant/npu.h>

static bool is_given(const struct call *call, int t)
{
    return call->tensors[t].name != NULL;
}

/* A scatter that drops what is out of range. */
static bool fit(struct call *call, bool nd, bool copies)
{
    struct clq_move_rows_desc *desc = (void *)call->desc;

    if (desc->dst_index_kind != CLQ_SLOTS)
        desc->dst_out_of_range = CLQ_DROP;
    desc->unique = 0;
    return !is_given(call, MOVE_SRC_INDICES) && is_given(call, MOVE_INPUT) == copies &&
           desc->dst_index_kind == (nd ? CLQ_ND : CLQ_INDICES_BY_SHAPE);
}

bool fit_nd_copy(struct call *call)
{
    return fit(call, true, true);
}

bool fit_nd_in_place(struct call *call)
{
    return fit(call, true, false);
}

bool fit_update_copy(struct call *call)
{
    return fit(call, false, true);
}

bool fit_update_in_place(struct call *call)
{
    return fit(call, false, false);
}

/* A tensor whose first dimension, of an even size, is two. */
struct split {
    DLTensor tensor;
    int64_t shape[TENSOR_MOST_RANK + 1], strides[TENSOR_MOST_RANK + 1];
};

static const DLTensor *split(struct split *split, const DLTensor *tensor)
{
    int64_t step = 1;

    split->tensor = *tensor;
    split->tensor.ndim = tensor->ndim + 1;
    for (int d = tensor->ndim - 1; d >= 0; d--) {
        split->shape[d + 1] = tensor->shape[d];
        split->strides[d + 1] = tensor->strides != NULL ? tensor->strides[d] : step;
        step *= tensor->shape[d];
    }
    split->shape[1] /= 2;
    split->shape[0] = 2;
    split->strides[0] = split->strides[1] * split->shape[1];
    split->tensor.shape = split->shape;
    split->tensor.strides = split->strides;
    return &split->tensor;
}

/* Rows of indices in two dimensions where they can be. */
static clq_status nd(clq_context *context, cl_command_queue queue, const struct clq_move_rows_desc *desc,
                     bool copies, cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    const DLTensor *indices = desc->dst_indices, *updates = desc->src,
                   *input = copies ? desc->input : desc->dst;
    const bool even = indices->shape[0] > 0 && indices->shape[0] % 2 == 0 && updates->ndim < TENSOR_MOST_RANK;
    struct split of_indices, of_updates;

    if (even) {
        indices = split(&of_indices, indices);
        updates = split(&of_updates, updates);
    }
    if (context == NULL)
        return clq_npu_scatter_nd_update_check(input, indices, updates, copies ? desc->dst : NULL);
    return copies ? clq_npu_scatter_nd_update(context, queue, input, indices, updates, desc->dst, num_wait,
                                              wait, done)
                  : clq_npu_scatter_nd_update_(context, queue, input, indices, updates, num_wait, wait, done);
}

clq_status npu_scatter_nd_update(clq_context *context, cl_command_queue queue, const void *general,
                                 cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    return nd(context, queue, general, true, num_wait, wait, done);
}

clq_status npu_scatter_nd_update_(clq_context *context, cl_command_queue queue, const void *general,
                                  cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    return nd(context, queue, general, false, num_wait, wait, done);
}

static clq_status update(clq_context *context, cl_command_queue queue, const struct clq_move_rows_desc *desc,
                         bool copies, cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    const DLTensor *data = copies ? desc->input : desc->dst;
    const int axis = desc->axis != 0 ? desc->axis : -2;

    if (context == NULL)
        return clq_scatter_update_check(data, desc->dst_indices, desc->src, axis, copies ? desc->dst : NULL);
    return copies ? clq_scatter_update(context, queue, data, desc->dst_indices, desc->src, axis, desc->dst,
                                       num_wait, wait, done)
                  : clq_scatter_update_(context, queue, data, desc->dst_indices, desc->src, axis, num_wait,
                                        wait, done);
}

clq_status scatter_update(clq_context *context, cl_command_queue queue, const void *general, cl_uint num_wait,
                          const cl_event *wait, cl_event *done)
{
    return update(context, queue, general, true, num_wait, wait, done);
}

clq_status scatter_update_(clq_context *context, cl_command_queue queue, const void *general,
                           cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    return update(context, queue, general, false, num_wait, wait, done);
}

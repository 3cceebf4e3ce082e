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

/* Rows [N, heads, size] into slots of pages, whose bytes they do not share: for they are written twice, as
 * keys and as values. */
bool fit_pages(struct call *call)
{
    struct clq_move_rows_desc *desc = (void *)call->desc;
    const struct tensor *src = &call->tensors[MOVE_SRC], *dst = &call->tensors[MOVE_DST];

    desc->unique = 0;
    return !is_given(call, MOVE_SRC_INDICES) && !is_given(call, MOVE_INPUT) &&
           desc->dst_index_kind == CLQ_SLOTS && src->dl.ndim == 3 && dst->dl.ndim == 4 &&
           call_dimension(call, MOVE_DST, desc->axis, -2) == 1 && src->type == dst->type &&
           src->dl.data != dst->dl.data;
}

/* Pages [blocks, block_size, heads, size] with their heads ahead of their positions. */
static const DLTensor *by_heads(struct split *seen, const DLTensor *pages)
{
    static const int from[] = {0, 2, 1, 3};
    int64_t strides[4] = {0, 0, 0, 1};

    for (int d = 2; d >= 0; d--)
        strides[d] = strides[d + 1] * pages->shape[d + 1];
    seen->tensor = *pages;
    for (int d = 0; d < 4; d++) {
        seen->shape[d] = pages->shape[from[d]];
        seen->strides[d] = pages->strides != NULL ? pages->strides[from[d]] : strides[from[d]];
    }
    seen->tensor.shape = seen->shape;
    seen->tensor.strides = seen->strides;
    return &seen->tensor;
}

clq_status npu_scatter_pa_kv_cache(clq_context *context, cl_command_queue queue, const void *general,
                                   cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    const struct clq_move_rows_desc *desc = general;
    const DLTensor *rows = desc->src, *pages = desc->dst;
    const bool nz = rows->strides == NULL && rows->dtype.bits >= 8 && rows->dtype.lanes <= 1;
    const char *mode = nz ? NULL : "Norm";
    struct split seen;

    if (nz)
        pages = by_heads(&seen, pages);
    if (context == NULL)
        return clq_npu_scatter_pa_kv_cache_check(rows, rows, pages, pages, desc->dst_indices, NULL, NULL,
                                                 NULL, mode);
    return clq_npu_scatter_pa_kv_cache(context, queue, rows, rows, pages, pages, desc->dst_indices, NULL,
                                       NULL, NULL, mode, num_wait, wait, done);
}

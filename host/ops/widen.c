/* SPDX-License-Identifier: Apache-2.0 */
#include "args/widen.h"

#include "base/ceil_div.h"
#include "base/error.h"
#include "ops/chain.h"

clq_status clq__chain_widen(struct clq__chain *chain, const struct clq__view *view, int64_t elements,
                            int64_t repeats, cl_mem *buffer)
{
    clq_status status = CLQ_OK;
    struct clq__launch launch = {.num_buffers = 2, .args_bytes = sizeof(struct widen_args), .local = 1};
    struct widen_args args = {.x_offset = clq__view_offset_units(view),
                              .elements = elements * repeats,
                              .elements_per_item = 256,
                              .type = (uint32_t)view->type};
    struct clq__fold fold = {0};

    for (int d = view->rank - 1; d >= 0; d--)
        clq__fold_add(&fold, false, view->shape[d], (int64_t[CLQ__FOLD_TENSORS]){view->stride[d]});
    clq__fold_merge(&fold);
    args.dims = (uint32_t)fold.dims;
    for (int d = 0; d < fold.dims; d++)
        args.dim[d] = (struct clq_dim){.size = fold.dim[d].size, .x = fold.dim[d].stride[0]};
    if (repeats > 1 && fold.dims > 0)
        args.dim[args.dims++] = (struct clq_dim){.size = repeats};
    CLQ_TRY(clq__chain_scratch(chain, args.elements, sizeof(float), buffer));
    clq__variant_begin(&launch.variant, CLQ__WIDEN_CL);
    launch.buffers[0] = view->tensor->data;
    launch.buffers[1] = *buffer;
    launch.args = &args;
    launch.groups = (size_t)clq__ceil_div(args.elements, args.elements_per_item);
    CLQ_TRY(clq__chain_add(chain, &launch));
end:
    return status;
}

clq_status clq__widen_build(clq_context *context)
{
    struct clq__launch launch = {.num_buffers = 2, .args_bytes = sizeof(struct widen_args), .local = 1};

    clq__variant_begin(&launch.variant, CLQ__WIDEN_CL);
    return clq__launch_build(context, &launch);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "args/widen.h"

#include "base/ceil_div.h"
#include "base/error.h"
#include "plan/launches.h"
#include "plan/shares/divisor.h"
#include "plan/shares/tuning.h"

#include <assert.h>

struct widen_args *clq__launches_widen(struct clq__launches *launches, const struct clq__view *view,
                                       const struct clq__fold *from, int64_t repeats,
                                       const struct clq__traits *traits, unsigned read, int64_t *read_offset)
{
    const int64_t local = traits->group_form ? clq__group_items(traits, CLQ__GROUP_ITEMS_SMALL) : 1;
    struct clq__launch *launch = clq__launches_add(launches);
    struct widen_args *args = &launches->widen[launches->num_before - 1];
    struct clq__fold fold = *from;

    assert(launches->num_before <= CLQ_COUNT(launches->widen));
    *args = (struct widen_args){.x_offset = clq__view_offset_units(view),
                                .elements = clq__fold_count(from, 0) * repeats,
                                .elements_per_item =
                                    traits->group_form ? CLQ__WIDEN_LANE_ELEMENTS : CLQ__WIDEN_ITEM_ELEMENTS,
                                .items = (uint32_t)local,
                                .type = (uint32_t)view->type};
    clq__fold_merge(&fold);
    args->dims = (uint32_t)fold.dims;
    for (int d = 0; d < fold.dims; d++)
        args->dim[d] = (struct clq_dim){.size = fold.dim[d].size, .x = fold.dim[d].stride[0]};
    if (repeats > 1 && fold.dims > 0)
        args->dim[args->dims++] = (struct clq_dim){.size = repeats};
    clq__divide_dims(args->dim, args->dims);
    clq__variant_begin(&launch->variant, CLQ__WIDEN_CL);
    clq__variant_end_arithmetic(&launch->variant, traits);
    launch->buffers[0] = view->tensor->data;
    clq__launches_temporary(launches, args->elements, sizeof(float), 1, &args->y_offset,
                            &launches->kernels[0].buffers[read], read_offset);
    launch->num_buffers = 2;
    launch->args = args;
    launch->args_bytes = sizeof *args;
    launch->local = (size_t)local;
    launch->groups = (size_t)clq__ceil_div(args->elements, local * args->elements_per_item);
    return args;
}

void clq__launches_widen_flat(struct clq__launches *launches, const struct clq__view *view,
                              const struct clq__traits *traits, unsigned read, int64_t *read_offset)
{
    struct clq__fold from = {.dims = 0};

    for (int d = view->rank - 1; d >= 0; d--)
        clq__fold_add(&from, false, view->shape[d], (int64_t[CLQ__FOLD_TENSORS]){view->stride[d]});
    clq__launches_widen(launches, view, &from, 1, traits, read, read_offset);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic quantization from what was checked to what a kernel is told. */
#include "base/fold.h"
#include "plan/divisor.h"
#include "plan/plan.h"
#include "plan/rotate.h"

enum { X, Y, SCALE, OFFSET }; /* the tensors of the fold */

/* The steps of all tensors along dimension d; what an entry places steps in the kernel. */
static void steps(const struct clq__work *work, int d, bool placed, int64_t stride[CLQ__FOLD_TENSORS])
{
    const int64_t size = work->x.shape[d];

    stride[X] = work->x.stride[d];
    stride[Y] = placed ? 0 : clq__view_step_units(&work->y, size, work->y.stride[d]);
    stride[SCALE] = placed ? 0 : work->scale.stride[d];
    stride[OFFSET] = placed ? 0 : work->zero_point.stride[d];
}

/* All but the last dimension: rows are never merged. */
static void fold(const struct clq__work *work, struct clq__fold *fold)
{
    const struct clq__placement *placement = &work->placement;
    int64_t stride[CLQ__FOLD_TENSORS], entry[CLQ__FOLD_TENSORS];

    fold->dims = 0;
    for (int d = work->x.rank - 2; d >= 0; d--) {
        if (clq__placement_takes(placement, d) || work->x.shape[d] == 1)
            continue;
        steps(work, d, false, stride);
        clq__fold_add(fold, false, work->x.shape[d], stride);
    }
    clq__fold_sort(fold, 0, work->back ? X : Y);
    clq__fold_merge(fold);
    if (placement->kind == CLQ_ENTRY_NONE)
        return;
    steps(work, placement->axis, true, stride);
    steps(work, 0, true, entry);
    clq__placement_fold(placement, fold, work->x.shape[0], stride, entry);
}

/* Units along a row. Words of nibbles hold four each, and may have gaps between them. */
static void fill_row(struct dynamic_quantize_args *args, const struct clq__view *x, const struct clq__view *y)
{
    const int last = x->rank - 1;
    const int64_t elements = clq__view_has_nibbles(y) ? 2 : 1;
    const bool words = y->lanes == 8, apart = words && y->shape[last] > 8 && y->stride[last] != 1;

    args->inner = x->shape[last] / elements;
    args->x_stride = elements * x->stride[last];
    args->x_pair = elements == 2 ? x->stride[last] : 0;
    args->y_stride = words || (elements == 2 && y->lanes == 1) ? 1 : y->stride[last];
    args->y_part = apart ? 4 : args->inner;
    args->by_y_part = clq__divisor(args->y_part);
    args->y_part_stride = apart ? clq__view_units(y, y->stride[last]) : 0;
}

bool clq__dynamic_describe(struct clq__plan *plan)
{
    const struct clq__work *work = &plan->work;
    const struct clq__view *scale = &work->scale.view, *offset = &work->zero_point.view;
    struct dynamic_quantize_args *args = &plan->of_dynamic;
    const struct clq__placement *placement = &work->placement;
    struct clq_entries *entries = &args->entries;
    struct clq__fold folded;

    if (work->x.elements == 0)
        return false;
    *args = (struct dynamic_quantize_args){0};
    fold(work, &folded);
    fill_row(args, &work->x, &work->y);
    args->x_offset = clq__view_offset_units(&work->x);
    args->y_offset = clq__view_offset_units(&work->y);
    args->scale_offset = clq__view_offset_units(scale);
    args->offset_offset = clq__view_offset_units(offset);
    args->smooth_offset = work->back || work->widen_smooth ? 0 : clq__view_offset_units(&work->smooth);
    args->symmetric = offset->tensor == NULL;
    args->scale_type = work->back ? (uint32_t)scale->type : CLQ_SCALAR_NONE;
    args->offset_type = work->back ? (uint32_t)offset->type : CLQ_SCALAR_NONE;
    clq__rotate_describe(args, work->rotate);
    args->rows = clq__fold_count(&folded, 0);
    args->outer = (uint32_t)folded.dims;
    for (int d = 0; d < folded.dims; d++)
        args->dim[d] = (struct clq_dim){.size = folded.dim[d].size,
                                        .x = folded.dim[d].stride[X],
                                        .y = folded.dim[d].stride[Y],
                                        .scale = folded.dim[d].stride[SCALE],
                                        .zero_point = folded.dim[d].stride[OFFSET]};
    clq__divide_dims(args->dim, args->outer);
    clq__placement_describe(work, args->rows, entries);
    clq__divide_entries(entries);
    plan->owner_words = entries->owner_words;
    if (placement->kind == CLQ_ENTRY_NONE)
        return true;
    clq__placement_steps(placement, &work->y, &entries->y_batch, &entries->y_start);
    entries->scale_batch = work->scale.stride[0];
    entries->scale_start = work->scale.stride[placement->axis];
    entries->zero_point_batch = work->zero_point.stride[0];
    entries->zero_point_start = work->zero_point.stride[placement->axis];
    return true;
}

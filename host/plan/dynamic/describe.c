/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic quantization, from the checked descriptor to the arguments of a kernel. */
#include "args/rules.h"
#include "base/float_bits.h"
#include "base/fold.h"
#include "plan/dynamic/dynamic.h"
#include "plan/dynamic/rotate.h"
#include "plan/shares/divisor.h"

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

/* Folds `size` blocks of `indices` indices of dimension d, which have scales each or none. */
static void add(const struct clq__work *work, struct clq__fold *fold, int d, int64_t size, int64_t indices,
                bool of_scale)
{
    int64_t stride[CLQ__FOLD_TENSORS];

    steps(work, d, false, stride);
    stride[X] *= indices;
    stride[Y] *= indices;
    if (!of_scale)
        stride[SCALE] = stride[OFFSET] = 0;
    clq__fold_add(fold, false, size, stride);
}

/* All but the last dimension, and the blocks of the last one: rows are never merged. Where blocks have smooth
 * scales of their own they stay innermost. */
static void fold(const struct clq__work *work, struct clq__fold *fold, const struct clq__ranges *ranges)
{
    const struct clq__placement *placement = &work->placement;
    const struct clq__range *range = clq__range_of(work, ranges, work->x.rank - 1);
    const int last = work->x.rank - 1;
    int64_t stride[CLQ__FOLD_TENSORS], entry[CLQ__FOLD_TENSORS];

    fold->dims = 0;
    if (range != NULL)
        clq__fold_add(fold, work->smooth.tensor != NULL, range->blocks,
                      (int64_t[CLQ__FOLD_TENSORS]){range->size * work->x.stride[last],
                                                   clq__view_reach(&work->y, last, range->size),
                                                   work->scale.stride[last], work->zero_point.stride[last]});
    for (int d = last - 1; d >= 0; d--) {
        const struct clq__range *cut = clq__range_of(work, ranges, d);

        if (clq__placement_takes(placement, d) || work->x.shape[d] == 1)
            continue;
        if (cut != NULL) {
            add(work, fold, d, cut->size, 1, false);
            add(work, fold, d, cut->blocks, cut->size, true);
        } else {
            add(work, fold, d, work->x.shape[d], 1, true);
        }
    }
    clq__fold_sort(fold, range != NULL && work->smooth.tensor != NULL ? 1 : 0, work->back ? X : Y);
    clq__fold_merge(fold);
    if (placement->kind == CLQ_ENTRY_NONE)
        return;
    steps(work, placement->axis, true, stride);
    steps(work, 0, placement->kind != CLQ_ENTRY_GROUPS, entry);
    clq__placement_fold(placement, fold, work->x.shape[0], stride, entry);
}

/* Units along a row of so many elements: of blocks these elements themselves. Words may have gaps between
 * them. */
static void fill_row(struct dynamic_quantize_args *args, const struct clq__view *x, const struct clq__view *y,
                     int64_t size)
{
    const int last = x->rank - 1;
    const int64_t elements = clq__view_in_unit(y);
    const bool gaps = clq__view_has_gaps(y);

    args->inner = size / elements;
    args->x_stride = elements * x->stride[last];
    args->x_pair = elements > 1 ? x->stride[last] : 0;
    args->y_stride = clq__view_unit_step(y);
    if (clq__view_has_blocks(y)) /* from block to block */
        args->y_stride = clq__view_step_units(y, size / CLQ_BLOCK_VALUES, y->stride[last]);
    args->y_part = gaps ? CLQ__WORD_UNITS : args->inner;
    args->by_y_part = clq__divisor(args->y_part);
    args->y_part_stride = gaps ? clq__view_units(y, y->stride[last]) : 0;
}

/* Where a range of dimension d begins. */
static void move(struct dynamic_quantize_args *args, const struct clq__work *work, int d,
                 const struct clq__range *range)
{
    if (range->first == 0)
        return;
    args->x_offset += range->first * work->x.stride[d];
    args->y_offset += clq__view_reach(&work->y, d, range->first);
    args->scale_offset += range->first / clq__block_of(work, d) * work->scale.stride[d];
    args->offset_offset += range->first / clq__block_of(work, d) * work->zero_point.stride[d];
}

static void fill_offsets(struct dynamic_quantize_args *args, const struct clq__work *work,
                         const struct clq__ranges *ranges)
{
    const struct clq__range *range = &ranges->axis;

    args->x_offset = clq__view_offset_units(&work->x);
    args->y_offset = clq__view_offset_units(&work->y);
    args->scale_offset = clq__view_offset_units(&work->scale.view);
    args->offset_offset = clq__view_offset_units(clq__work_offset(work));
    args->smooth_offset =
        work->back || clq__work_widens_smooth(work) ? 0 : clq__view_offset_units(&work->smooth);
    move(args, work, work->axis, range);
    move(args, work, work->axis - 1, &ranges->before);
    args->smooth_offset += range->first;
    if (work->back || work->smooth.tensor == NULL || range->blocks <= 1)
        return;
    args->smooth_blocks = range->blocks;
    args->by_smooth_blocks = clq__divisor(range->blocks);
}

/* Scales that differ inside of what is turned back: by blocks that are no multiples of it or cut words,
 * or by each element. */
static bool differs_inside(const struct clq__work *work)
{
    return work->back && work->rotate > 0 &&
           (work->axis != work->x.rank - 1 || work->block % work->rotate != 0 || work->cuts_gaps);
}

static void fill_share(struct dynamic_quantize_args *args, const struct clq__work *work)
{
    const int last = work->x.rank - 1;

    if (!differs_inside(work) || (work->scale.stride[last] == 0 && work->zero_point.stride[last] == 0))
        return;
    args->share = work->axis == last ? work->block : 1;
    args->by_share = clq__divisor(args->share);
    args->share_scale = work->scale.stride[last];
    args->share_offset = work->zero_point.stride[last];
}

static void fill_entries(struct dynamic_quantize_args *args, const struct clq__work *work)
{
    const struct clq__placement *placement = &work->placement;
    struct clq_entries *entries = &args->entries;

    clq__placement_describe(placement, work->x.shape[0], args->rows, entries);
    clq__divide_entries(entries);
    if (placement->kind == CLQ_ENTRY_GROUPS)
        entries->scale_row = work->x.shape[work->x.rank - 1]; /* of smooth scales, which are dense by now */
    if (placement->kind == CLQ_ENTRY_NONE || placement->kind == CLQ_ENTRY_GROUPS)
        return;
    clq__placement_steps(placement, &work->y, &entries->y_batch, &entries->y_start);
    entries->scale_batch = work->scale.stride[0];
    entries->scale_start = work->scale.stride[placement->axis];
    entries->zero_point_batch = work->zero_point.stride[0];
    entries->zero_point_start = work->zero_point.stride[placement->axis];
}

static void describe_part(struct dynamic_quantize_args *args, const struct clq__work *work,
                          const struct clq__ranges *ranges)
{
    const struct clq__view *scale = &work->scale.view, *offset = clq__work_offset(work);
    const int last = work->x.rank - 1;
    const struct clq__range *range = clq__range_of(work, ranges, last);
    struct clq__fold folded;

    *args = (struct dynamic_quantize_args){0};
    fold(work, &folded, ranges);
    fill_row(args, &work->x, &work->y, range != NULL ? range->size : work->x.shape[last]);
    fill_offsets(args, work, ranges);
    fill_share(args, work);
    args->symmetric = work->zero_point.view.tensor == NULL;
    args->rule = work->by_both ? CLQ_RULE_NVFP4 : work->rule;
    args->top = clq__float_bits(clq__work_top(work));
    args->offset_sign = work->names->plain_offsets ? 0 : UINT32_C(1) << 31;
    args->scale_type = (uint32_t)scale->type;
    args->offset_type = (uint32_t)offset->type;
    args->rotate = work->rotate;
    args->factor = clq__rotate_factor(work->rotate);
    args->rows = clq__fold_count(&folded, 0);
    args->outer = (uint32_t)folded.dims;
    for (int d = 0; d < folded.dims; d++)
        args->dim[d] = (struct clq_dim){.size = folded.dim[d].size,
                                        .x = folded.dim[d].stride[X],
                                        .y = folded.dim[d].stride[Y],
                                        .scale = folded.dim[d].stride[SCALE],
                                        .zero_point = folded.dim[d].stride[OFFSET]};
    clq__divide_dims(args->dim, args->outer);
    fill_entries(args, work);
    if (clq__ranges_follow(ranges))
        args->entries.report_offset = -1; /* an entry is counted once */
}

/* Whether dimension d has several blocks. */
static bool is_cut(const struct clq__work *work, int d)
{
    const int64_t block = clq__block_of(work, d);

    return block > 0 && block < work->x.shape[d];
}

void clq__rows_describe(struct clq__rows *call, const struct clq__work *work)
{
    const bool inside = work->axis == work->x.rank - 1 && differs_inside(work);
    struct clq__ranges ranges[CLQ__MOST_RANGES];

    call->num_parts =
        clq__work_cut(work, !inside && is_cut(work, work->axis), is_cut(work, work->axis - 1), ranges);
    for (int i = 0; i < call->num_parts; i++)
        describe_part(&call->parts[i], work, &ranges[i]);
}

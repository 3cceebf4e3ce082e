/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic quantization, from the checked descriptor to the arguments of a kernel. */
#include "args/rules.h"
#include "base/float_bits.h"
#include "base/fold.h"
#include "plan/dynamic/block_scale_rule.h"
#include "plan/dynamic/dynamic.h"
#include "plan/dynamic/rotate.h"
#include "plan/shares/divisor.h"

enum { X, Y, SCALE, OFFSET }; /* the tensors of the fold */

/* The steps of all tensors along dimension d; what an entry places steps in the kernel. */
static void steps(const struct clq__checked_call *checked, int d, bool placed,
                  int64_t stride[CLQ__FOLD_TENSORS])
{
    const int64_t size = checked->x.shape[d];

    stride[X] = checked->x.stride[d];
    stride[Y] = placed ? 0 : clq__view_step_units(&checked->y, size, checked->y.stride[d]);
    stride[SCALE] = placed ? 0 : checked->scale.stride[d];
    stride[OFFSET] = placed ? 0 : checked->zero_point.stride[d];
}

/* Folds `size` blocks of `indices` indices of dimension d, which have scales each or none. */
static void add(const struct clq__checked_call *checked, struct clq__fold *fold, int d, int64_t size,
                int64_t indices, bool of_scale)
{
    int64_t stride[CLQ__FOLD_TENSORS];

    steps(checked, d, false, stride);
    stride[X] *= indices;
    stride[Y] *= indices;
    if (!of_scale)
        stride[SCALE] = stride[OFFSET] = 0;
    clq__fold_add(fold, false, size, stride);
}

/* All but the last dimension, and the blocks of the last one: rows are never merged. If blocks have smooth
 * scales of their own they stay innermost. */
static void fold(const struct clq__checked_call *checked, struct clq__fold *fold,
                 const struct clq__ranges *ranges)
{
    const struct clq__placement *placement = &checked->placement;
    const struct clq__range *range = clq__range_of(checked, ranges, checked->x.rank - 1);
    const int last = checked->x.rank - 1;
    int64_t stride[CLQ__FOLD_TENSORS], entry[CLQ__FOLD_TENSORS];

    fold->dims = 0;
    if (range != NULL)
        clq__fold_add(fold, checked->smooth.tensor != NULL, range->blocks,
                      (int64_t[CLQ__FOLD_TENSORS]){range->size * checked->x.stride[last],
                                                   clq__view_reach(&checked->y, last, range->size),
                                                   checked->scale.stride[last],
                                                   checked->zero_point.stride[last]});
    for (int d = last - 1; d >= 0; d--) {
        const struct clq__range *cut = clq__range_of(checked, ranges, d);

        if (clq__placement_takes(placement, d) || checked->x.shape[d] == 1)
            continue;
        if (cut != NULL) {
            add(checked, fold, d, cut->size, 1, false);
            add(checked, fold, d, cut->blocks, cut->size, true);
        } else {
            add(checked, fold, d, checked->x.shape[d], 1, true);
        }
    }
    clq__fold_sort(fold, range != NULL && checked->smooth.tensor != NULL ? 1 : 0, checked->back ? X : Y);
    clq__fold_merge(fold);
    if (placement->kind == CLQ_ENTRY_NONE)
        return;
    steps(checked, placement->axis, true, stride);
    steps(checked, 0, placement->kind != CLQ_ENTRY_GROUPS, entry);
    clq__placement_fold(placement, fold, checked->x.shape[0], stride, entry);
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
    args->y_segment = gaps ? CLQ__WORD_UNITS : args->inner;
    args->by_y_segment = clq__divisor(args->y_segment);
    args->y_segment_stride = gaps ? clq__view_units(y, y->stride[last]) : 0;
}

/* The begin of a range of dimension d. */
static void move(struct dynamic_quantize_args *args, const struct clq__checked_call *checked, int d,
                 const struct clq__range *range)
{
    if (range->first == 0)
        return;
    args->x_offset += range->first * checked->x.stride[d];
    args->y_offset += clq__view_reach(&checked->y, d, range->first);
    args->scale_offset += range->first / clq__block_of(checked, d) * checked->scale.stride[d];
    args->offset_offset += range->first / clq__block_of(checked, d) * checked->zero_point.stride[d];
}

static void fill_offsets(struct dynamic_quantize_args *args, const struct clq__checked_call *checked,
                         const struct clq__ranges *ranges)
{
    const struct clq__range *range = &ranges->axis;

    args->x_offset = clq__view_offset_units(&checked->x);
    args->y_offset = clq__view_offset_units(&checked->y);
    args->scale_offset = clq__view_offset_units(&checked->scale.view);
    args->offset_offset = clq__view_offset_units(clq__checked_offset(checked));
    args->smooth_offset =
        checked->back || clq__checked_widens_smooth(checked) ? 0 : clq__view_offset_units(&checked->smooth);
    move(args, checked, checked->axis, range);
    move(args, checked, checked->axis - 1, &ranges->before);
    args->smooth_offset += range->first;
    if (checked->back || checked->smooth.tensor == NULL || range->blocks <= 1)
        return;
    args->smooth_blocks = range->blocks;
    args->by_smooth_blocks = clq__divisor(range->blocks);
}

/* Scales that differ inside of what is turned back: by blocks that are no multiples of it or cut words,
 * or by each element. */
static bool differs_inside(const struct clq__checked_call *checked)
{
    return checked->back && checked->rotate > 0 &&
           (checked->axis != checked->x.rank - 1 || checked->block % checked->rotate != 0 ||
            checked->cuts_gaps);
}

static void fill_share(struct dynamic_quantize_args *args, const struct clq__checked_call *checked)
{
    const int last = checked->x.rank - 1;

    if (!differs_inside(checked) ||
        (checked->scale.stride[last] == 0 && checked->zero_point.stride[last] == 0))
        return;
    args->per_scale = checked->axis == last ? checked->block : 1;
    args->by_per_scale = clq__divisor(args->per_scale);
    args->next_scale = checked->scale.stride[last];
    args->next_offset = checked->zero_point.stride[last];
}

static void fill_entries(struct dynamic_quantize_args *args, const struct clq__checked_call *checked)
{
    const struct clq__placement *placement = &checked->placement;
    struct clq_entries *entries = &args->entries;

    clq__placement_describe(placement, checked->x.shape[0], args->rows, entries);
    clq__divide_entries(entries);
    if (placement->kind == CLQ_ENTRY_GROUPS)
        entries->scale_row =
            checked->x.shape[checked->x.rank - 1]; /* of smooth scales, which are dense by now */
    if (placement->kind == CLQ_ENTRY_NONE || placement->kind == CLQ_ENTRY_GROUPS)
        return;
    clq__placement_steps(placement, &checked->y, &entries->y_batch, &entries->y_start);
    entries->scale_batch = checked->scale.stride[0];
    entries->scale_start = checked->scale.stride[placement->axis];
    entries->zero_point_batch = checked->zero_point.stride[0];
    entries->zero_point_start = checked->zero_point.stride[placement->axis];
}

static void describe_part(struct dynamic_quantize_args *args, const struct clq__checked_call *checked,
                          const struct clq__ranges *ranges)
{
    const struct clq__view *scale = &checked->scale.view, *offset = clq__checked_offset(checked);
    const int last = checked->x.rank - 1;
    const struct clq__range *range = clq__range_of(checked, ranges, last);
    struct clq__fold folded;

    *args = (struct dynamic_quantize_args){0};
    fold(checked, &folded, ranges);
    fill_row(args, &checked->x, &checked->y, range != NULL ? range->size : checked->x.shape[last]);
    fill_offsets(args, checked, ranges);
    fill_share(args, checked);
    args->symmetric = checked->zero_point.view.tensor == NULL;
    clq__rule_fill(args, &checked->rule);
    if (checked->by_both)
        args->rule = CLQ_RULE_NVFP4;
    args->top = clq__float_bits(clq__checked_top(checked));
    args->offset_sign = checked->names->plain_offsets ? 0 : UINT32_C(1) << 31;
    args->scale_type = (uint32_t)scale->type;
    args->offset_type = (uint32_t)offset->type;
    args->rotate = checked->rotate;
    args->factor = clq__rotate_factor(checked->rotate);
    args->rows = clq__fold_count(&folded, 0);
    args->outer = (uint32_t)folded.dims;
    for (int d = 0; d < folded.dims; d++)
        args->dim[d] = (struct clq_dim){.size = folded.dim[d].size,
                                        .x = folded.dim[d].stride[X],
                                        .y = folded.dim[d].stride[Y],
                                        .scale = folded.dim[d].stride[SCALE],
                                        .zero_point = folded.dim[d].stride[OFFSET]};
    clq__divide_dims(args->dim, args->outer);
    fill_entries(args, checked);
    if (clq__ranges_follow(ranges))
        args->entries.report_offset = -1; /* an entry is counted once */
}

/* Whether dimension d has several blocks. */
static bool is_cut(const struct clq__checked_call *checked, int d)
{
    const int64_t block = clq__block_of(checked, d);

    return block > 0 && block < checked->x.shape[d];
}

void clq__rows_describe(struct clq__rows *call, const struct clq__checked_call *checked)
{
    const bool inside = checked->axis == checked->x.rank - 1 && differs_inside(checked);
    struct clq__ranges ranges[CLQ__MOST_RANGES];

    call->num_parts = clq__checked_cut(checked, !inside && is_cut(checked, checked->axis),
                                       is_cut(checked, checked->axis - 1), ranges);
    for (int i = 0; i < call->num_parts; i++)
        describe_part(&call->parts[i], checked, &ranges[i]);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Static quantization, and the way back, from the checked descriptor to the arguments of a kernel: order the
 * dimensions, place the scales, fold, fill the arguments. */
#include "plan/plan.h"

/* The kernels switch on the same numbers. */
_Static_assert((int)CLQ__F32 == CLQ_SCALAR_F32 && (int)CLQ__F16 == CLQ_SCALAR_F16 &&
                   (int)CLQ__BF16 == CLQ_SCALAR_BF16 && (int)CLQ__I8 == CLQ_SCALAR_I8 &&
                   (int)CLQ__U8 == CLQ_SCALAR_U8 && (int)CLQ__I32 == CLQ_SCALAR_I32 &&
                   (int)CLQ__E4M3 == CLQ_SCALAR_E4M3 && (int)CLQ__E8M0 == CLQ_SCALAR_E8M0,
               "base/dtype.h and args/types.h must number the types alike");

enum { X, Y, SCALE, ZERO_POINT }; /* the tensors of the fold */

/* In what is written smallest strides are innermost, so that tensors permuted alike are walked in memory's
 * order. Bytes that elements share stay innermost, and so do rows that have scales of their own. */
static void order(struct clq__static *call)
{
    const struct clq__checked_call *checked = call->checked;
    const struct clq__view *key = checked->back ? &checked->x : &checked->y;
    struct clq__order *order = &call->order;
    const int last = checked->x.rank - 1;

    order->dims = 0;
    order->keep = clq__view_shares_bytes(&checked->y) || checked->placed;
    for (int d = last; d >= 0; d--) {
        int at = order->dims;

        if (clq__placement_takes(&checked->placement, d) ||
            (checked->x.shape[d] == 1 && !(order->keep && d == last)))
            continue;
        for (; at > order->keep &&
               clq__view_units(key, key->stride[order->dim[at - 1]]) > clq__view_units(key, key->stride[d]);
             at--)
            order->dim[at] = order->dim[at - 1];
        order->dim[at] = d;
        order->dims++;
    }
}

/* How far one of scales and zero points steps with so many indices of dimension d. */
static int64_t step_of(const struct clq__source *source, int d, int64_t indices, bool is_block)
{
    return source->stride[d] * (source->block[d] == 1 ? indices : is_block ? 1 : 0);
}

/* Folds `size` times `indices` indices of dimension d, which are `units` of y,
 * and where it is cut a block or less. */
static void add(const struct clq__static *call, struct clq__fold *fold, int d, int64_t size, int64_t indices,
                int64_t units, bool is_block)
{
    /* the innermost dimension stays where a block's rest is one index */
    clq__fold_add(fold, fold->dims == 0, size,
                  (int64_t[]){indices * call->checked->x.stride[d], units,
                              step_of(&call->scale, d, indices, is_block),
                              step_of(&call->zero_point, d, indices, is_block)});
}

/* The last dimension of elements that share bytes, in units: a word with gaps is a dimension of its own. */
static void fold_shared(struct clq__static *call, struct clq__fold *fold, struct quantize_args *args, int d,
                        int64_t size)
{
    const struct clq__view *y = &call->checked->y;
    const int64_t in_unit = clq__view_in_unit(y);
    const bool gaps = clq__view_has_gaps(y);

    args->x_pair = call->checked->x.stride[d];
    add(call, fold, d, gaps ? CLQ__WORD_UNITS : size / in_unit, in_unit,
        gaps ? 1 : clq__view_reach(y, d, in_unit), false);
    if (gaps)
        add(call, fold, d, size / y->lanes, y->lanes, clq__view_reach(y, d, y->lanes), false);
}

static void fold_dimension(struct clq__static *call, struct clq__fold *fold, struct quantize_args *args,
                           int d, const struct clq__ranges *ranges)
{
    const struct clq__checked_call *checked = call->checked;
    const struct clq__view *y = &checked->y;
    const struct clq__range *range = clq__range_of(checked, ranges, d);
    const int64_t size = range != NULL ? range->size : checked->x.shape[d];

    if (clq__view_shares_bytes(y) && d == y->rank - 1)
        fold_shared(call, fold, args, d, size);
    else
        add(call, fold, d, size, 1, clq__view_reach(y, d, 1), false);
    if (range != NULL)
        add(call, fold, d, range->blocks, size, clq__view_reach(y, d, size), true);
}

/* Positions and entries are not merged with anything, and stand outside of all else: the kernel takes them
 * off a row's number from there. Their place in y is not the fold's to say. */
static void fold(struct clq__static *call, struct clq__fold *fold, struct quantize_args *args,
                 const struct clq__ranges *ranges)
{
    const struct clq__checked_call *checked = call->checked;
    const struct clq__placement *placement = &checked->placement;
    const bool groups = placement->kind == CLQ_ENTRY_GROUPS;
    const int at = placement->axis;

    fold->dims = 0;
    for (int i = 0; i < call->order.dims; i++)
        fold_dimension(call, fold, args, call->order.dim[i], ranges);
    clq__fold_merge(fold);
    if (fold->dims == 0)
        clq__fold_add(fold, true, 1, (int64_t[]){1, 1, 0, 0});
    if (placement->kind == CLQ_ENTRY_NONE)
        return;
    /* what lies beside y is placed with it */
    clq__placement_fold(
        placement, fold, checked->x.shape[0],
        (int64_t[]){groups ? 0 : checked->x.stride[at], 0, checked->placed ? 0 : call->scale.stride[at],
                    checked->placed ? 0 : call->zero_point.stride[at]},
        (int64_t[]){checked->x.stride[0],
                    groups ? clq__view_step_units(&checked->y, checked->x.shape[0], checked->y.stride[0]) : 0,
                    0, 0});
}

static uint32_t type_of(const struct clq__source *source)
{
    return source->widen ? CLQ_SCALAR_F32 : (uint32_t)source->parameter->view.type;
}

static int64_t offset_of(const struct clq__source *source)
{
    return source->widen ? 0 : clq__view_offset_units(&source->parameter->view);
}

static void fill_args(const struct clq__static *call, const struct clq__fold *fold,
                      struct quantize_args *args)
{
    args->x_offset = clq__view_offset_units(&call->checked->x);
    args->y_offset = clq__view_offset_units(&call->checked->y);
    args->scale_offset = offset_of(&call->scale);
    args->zero_point_offset = offset_of(&call->zero_point);
    args->x_stride = fold->dim[0].stride[X];
    args->y_stride = fold->dim[0].stride[Y];
    args->inner = fold->dim[0].size;
    args->scale_type = type_of(&call->scale);
    args->zero_point_type = type_of(&call->zero_point);
    args->zero_points_each = call->zero_point.per_element;
    args->zero_point_sign =
        (call->checked->add && !call->zero_point.negate) || args->zero_point_type == CLQ_SCALAR_NONE
            ? UINT32_C(1) << 31
            : 0;
    args->by_both = call->checked->by_both;
    args->round_first = call->checked->round_first;
    args->outer = (uint32_t)(fold->dims - 1);
    for (int d = 1; d < fold->dims; d++)
        args->dim[d - 1] = (struct clq_dim){.size = fold->dim[d].size,
                                            .x = fold->dim[d].stride[X],
                                            .y = fold->dim[d].stride[Y],
                                            .scale = fold->dim[d].stride[SCALE],
                                            .zero_point = fold->dim[d].stride[ZERO_POINT]};
}

static void fill_entries(const struct clq__static *call, int64_t rows, struct clq_entries *entries)
{
    const struct clq__checked_call *checked = call->checked;
    const struct clq__placement *placement = &checked->placement;

    clq__placement_describe(placement, checked->x.shape[0], rows, entries);
    if (placement->kind == CLQ_ENTRY_GROUPS)
        entries->scale_row = call->scale.row_stride;
    else if (placement->kind != CLQ_ENTRY_NONE)
        clq__placement_steps(placement, &checked->y, &entries->y_batch, &entries->y_start);
    if (placement->kind == CLQ_ENTRY_NONE || !checked->placed)
        return;
    entries->scale_batch = call->scale.stride[0];
    entries->scale_start = call->scale.stride[placement->axis];
    entries->zero_point_batch = call->zero_point.stride[0];
    entries->zero_point_start = call->zero_point.stride[placement->axis];
}

/* The begin of a range of dimension d. */
static void move(const struct clq__static *call, struct quantize_args *args, int d,
                 const struct clq__range *range)
{
    const struct clq__checked_call *checked = call->checked;

    args->x_offset += range->first * checked->x.stride[d];
    args->y_offset += clq__view_reach(&checked->y, d, range->first);
    args->scale_offset += range->first / call->scale.block[d] * call->scale.stride[d];
    args->zero_point_offset += range->first / call->zero_point.block[d] * call->zero_point.stride[d];
}

static void describe_part(struct clq__static *call, const struct clq__ranges *ranges)
{
    struct clq__part *part = &call->parts[call->num_parts++];
    struct clq__fold folded;

    part->args = (struct quantize_args){0};
    fold(call, &folded, &part->args, ranges);
    part->rows = clq__fold_count(&folded, 1);
    fill_args(call, &folded, &part->args);
    fill_entries(call, part->rows, &part->args.entries);
    if (!clq__ranges_follow(ranges))
        return;
    if (ranges->axis.first > 0)
        move(call, &part->args, call->checked->axis, &ranges->axis);
    if (ranges->before.first > 0)
        move(call, &part->args, call->checked->axis - 1, &ranges->before);
    part->args.entries.report_offset = -1; /* an entry is counted once */
}

static bool is_cut(const struct clq__static *call, int d)
{
    return d >= 0 && (call->scale.block[d] > 1 || call->zero_point.block[d] > 1);
}

void clq__static_describe_checked(struct clq__static *call, const struct clq__checked_call *checked)
{
    struct clq__ranges ranges[CLQ__MOST_RANGES];
    int count;

    call->checked = checked;
    call->repeats = 1;
    call->num_parts = 0;
    order(call);
    clq__static_place(call);
    count = clq__checked_cut(checked, is_cut(call, checked->axis), is_cut(call, checked->axis - 1), ranges);
    for (int i = 0; i < count; i++)
        describe_part(call, &ranges[i]);
}

bool clq__static_describe(struct clq__plan *plan)
{
    if (plan->checked.x.elements == 0)
        return false;
    clq__static_describe_checked(&plan->of_static, &plan->checked);
    return true;
}

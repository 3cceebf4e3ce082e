/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of struct dynamic_quantize_args. */
#include "base/ceil_div.h"
#include "plan/shares/divisor.h"
#include "plan/shares/slice.h"

/* Blocks that have smooth scales of their own are a dimension by themselves: a slice has some of them. */
static void set_smooth_blocks(struct dynamic_quantize_args *args)
{
    struct clq_dim *dim = args->dim;
    const int64_t blocks = args->smooth_blocks;

    if (blocks == 0 || args->outer == 0 || dim[0].size == blocks)
        return;
    for (uint32_t d = args->outer++; d > 0; d--)
        dim[d] = dim[d - 1];
    dim[0].size = blocks;
    dim[1].size /= blocks;
    dim[1].x *= blocks;
    dim[1].y *= blocks;
    dim[1].scale *= blocks;
    dim[1].zero_point *= blocks;
}

static int64_t slices_of(const struct dynamic_quantize_args *args, int64_t most, struct clq__slices *slices)
{
    clq__slices_init(slices, most);
    clq__slices_add(slices, args->dim, args->outer);
    return clq__slices_cut(slices);
}

/* The slice's blocks of a row, whose smooth scales lie one behind the other. */
static void take_blocks(struct dynamic_quantize_args *args, const struct clq__slice *at, int type)
{
    args->smooth_offset += (at->first[0] * args->inner) << clq__type_share_bits((enum clq__type)type);
    args->smooth_blocks = at->size[0];
    args->by_smooth_blocks = clq__divisor(args->smooth_blocks);
}

static size_t slice(const struct clq__launch *whole, int64_t number, void *sliced)
{
    struct dynamic_quantize_args *args = sliced;
    struct clq__slices slices;
    struct clq__slice at;

    *args = *(const struct dynamic_quantize_args *)whole->args;
    set_smooth_blocks(args);
    slices_of(args, whole->most, &slices);
    at = clq__slice_at(&slices, number);
    args->x_offset += at.move[CLQ__SLICE_X];
    args->y_offset += at.move[CLQ__SLICE_Y];
    args->scale_offset += at.move[CLQ__SLICE_SCALE];
    args->offset_offset += at.move[CLQ__SLICE_ZERO_POINT];
    args->rows = clq__slice_dims(&at, 0, args->dim, args->outer);
    clq__slice_entries(&at, 0, args->outer, &args->entries);
    if (args->smooth_blocks > 0)
        take_blocks(args, &at, clq__variant_value(&whole->variant, CLQ__DST));
    return (size_t)clq__ceil_div(args->rows, whole->local == 1 ? args->rows_per_item : args->sets);
}

void clq__slice_rows(struct clq__launch *launch, int64_t most)
{
    struct dynamic_quantize_args args;
    struct clq__slices slices;

    launch->slices = slices_of(launch->args, most, &slices);
    if (launch->slices == 1) /* then it has one with its blocks apart, too */
        return;
    args = *(const struct dynamic_quantize_args *)launch->args;
    set_smooth_blocks(&args);
    launch->slices = slices_of(&args, most, &slices);
    launch->slice = slice;
    launch->most = most;
}

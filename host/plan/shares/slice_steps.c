/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of struct quantize_args. */
#include "base/ceil_div.h"
#include "plan/shares/divisor.h"
#include "plan/shares/slice.h"

/* Tiles that lie between one another are below the limit, and not cut (steps.c). */
static int64_t slices_of(const struct quantize_args *args, int64_t most, struct clq__slices *slices)
{
    clq__slices_init(slices, most);
    slices->dim[slices->dims++] =
        (struct clq__slice_dim){.size = args->steps.tiles,
                                .part = args->steps.tiles,
                                .stride = {[CLQ__SLICE_STEP] = args->steps.tile_step}};
    clq__slices_add(slices, args->dim, args->outer);
    return clq__slices_cut(slices);
}

/* The steps from this one on, of so many tiles. */
static void cut_run(struct quantize_args *args, int64_t first, int64_t tiles)
{
    struct clq_steps *s = &args->steps;

    args->x_offset += first * s->x;
    args->y_offset += first * s->y;
    args->scale_offset += first * s->scale;
    args->zero_point_offset += first * s->zero_point;
    args->inner -= first * s->units;
    s->count -= first;
    if (tiles < s->tiles && s->count > tiles * s->tile_step) {
        s->count = tiles * s->tile_step;
        if (s->units > 0)
            args->inner = s->count * s->units;
    }
    s->tiles = tiles;
    s->by_tiles = clq__divisor(tiles);
}

static size_t slice(const struct clq__launch *whole, int64_t number, void *sliced)
{
    struct quantize_args *args = sliced;
    struct clq__slices slices;
    struct clq__slice at;

    *args = *(const struct quantize_args *)whole->args;
    slices_of(args, whole->most, &slices);
    at = clq__slice_at(&slices, number);
    args->x_offset += at.move[CLQ__SLICE_X];
    args->y_offset += at.move[CLQ__SLICE_Y];
    args->scale_offset += at.move[CLQ__SLICE_SCALE];
    args->zero_point_offset += at.move[CLQ__SLICE_ZERO_POINT];
    args->tiles = at.size[0] * clq__slice_dims(&at, 1, args->dim, args->outer);
    clq__slice_entries(&at, 1, args->outer, &args->entries);
    cut_run(args, at.move[CLQ__SLICE_STEP], at.size[0]);
    return (size_t)clq__ceil_div(args->tiles, args->steps.sets * args->tiles_per_item);
}

void clq__slice_steps(struct clq__launch *launch, int64_t most)
{
    struct clq__slices slices;

    launch->slices = slices_of(launch->args, most, &slices);
    launch->slice = slice;
    launch->most = most;
}

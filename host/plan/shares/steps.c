/* SPDX-License-Identifier: Apache-2.0 */
/* Steps, as they were measured on an H100 and with PoCL. */
#include "plan/shares/steps.h"

#include "base/ceil_div.h"
#include "plan/shares/divisor.h"
#include "plan/shares/rounds.h"
#include "plan/shares/tuning.h"

#include <assert.h>
#include <string.h>

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Whether each row begins where chunks may, if the buffers do. */
static bool in_chunks(const struct quantize_args *args, int64_t chunk)
{
    const struct clq_entries *e = &args->entries;
    const bool dense = args->y_stride == 1 && args->x_pair <= 1 && args->x_stride == 1 + args->x_pair;
    const bool each = args->steps.scale != 0,
               zero_each = args->steps.zero_point != 0; /* as long as a step is a unit */
    int64_t y = args->y_offset | e->y_batch | e->y_start, x = args->x_offset;
    int64_t scale = each ? args->scale_offset | e->scale_row | e->scale_batch | e->scale_start : 0;
    int64_t zero_point = zero_each ? args->zero_point_offset | e->zero_point_batch | e->zero_point_start : 0;

    for (uint32_t d = 0; d < args->outer; d++) {
        x |= args->dim[d].x;
        y |= args->dim[d].y;
        scale |= each ? args->dim[d].scale : 0;
        zero_point |= zero_each ? args->dim[d].zero_point : 0;
    }
    return dense && x % (chunk * args->x_stride) == 0 && y % chunk == 0 && (scale | zero_point) % 4 == 0;
}

/* Steps along the row, of so many units each. */
static void along_row(struct quantize_args *args, int64_t units)
{
    struct clq_steps *s = &args->steps;

    s->count = clq__ceil_div(args->inner, units);
    s->units = (uint32_t)units;
    s->x = units * args->x_stride;
    s->y = units * args->y_stride;
    s->scale *= units;
    s->zero_point *= units;
}

/* Each row is a step: those of the innermost dimension outside of it are a run. */
static void by_rows(struct quantize_args *args)
{
    struct clq_steps *s = &args->steps;
    const struct clq_dim dim = args->dim[0];

    s->count = dim.size;
    s->units = 0;
    s->x = dim.x;
    s->y = dim.y;
    s->scale = dim.scale;
    s->zero_point = dim.zero_point;
    if (args->entries.kind != CLQ_ENTRY_NONE)
        args->entries.rows /= dim.size;
    args->outer--;
    memmove(args->dim, args->dim + 1, args->outer * sizeof dim);
}

/* Whether there is a dimension inside of those that entries place. */
static bool has_inside(const struct quantize_args *args)
{
    const bool placed = args->entries.kind != CLQ_ENTRY_NONE;

    return args->outer > (uint32_t)placed + (args->entries.positions > 1) && args->dim[0].size > 1;
}

/* Returns the runs. The tiles' steps lie between one another's, as long as a lane counts in 32 bits: so what
 * a group reads at the same time lies together. */
static int64_t cut_run(struct quantize_args *args, int64_t rows, int64_t steps, bool interleaved)
{
    struct clq_steps *s = &args->steps;

    s->tiles = interleaved ? most(s->count / steps, 1) : clq__ceil_div(s->count, steps);
    s->each = (uint32_t)(interleaved ? s->count / s->tiles : steps);
    s->longer = interleaved ? s->count % s->tiles : 0;
    s->stride = interleaved ? (uint32_t)s->tiles : 1;
    s->tile_step = s->stride > 1 ? 1 : s->each;
    s->by_tiles = clq__divisor(s->tiles);
    return s->units == 0 ? rows / s->count : rows;
}

static void size_groups(struct quantize_args *args, int64_t rows, int64_t at_once,
                        const struct clq__traits *traits, struct clq__launch *launch)
{
    struct clq_steps *s = &args->steps;
    const int64_t local = clq__group_items(traits, CLQ__GROUP_ITEMS),
                  chunks = clq__ceil_div(args->inner, at_once);
    const int64_t enough = CLQ__GROUPS_OF_UNIT * local * (int64_t)traits->compute_units;
    int64_t steps = CLQ__LANE_STEPS, lanes, runs;

    while (steps > 1 && rows * chunks / steps < enough)
        steps /= 2;
    if (steps > 1 && chunks <= least(CLQ__SHORT_ROW_LANES, local) && has_inside(args)) {
        lanes = chunks;
        by_rows(args);
    } else {
        lanes = least(most(clq__ceil_div(chunks, steps), least(chunks, CLQ__LINE_LANES)), local);
        lanes = least(clq__ceil_div(chunks, clq__ceil_div(chunks, lanes)), local); /* as much work for each */
        along_row(args, lanes * at_once);
    }
    runs = cut_run(args, rows, steps, s->count <= traits->most);
    s->at_once = (uint32_t)at_once;
    s->lanes = (uint32_t)lanes;
    s->by_lanes = (UINT32_C(1) << 16) / s->lanes + 1;
    s->sets = (uint32_t)(local / lanes);
    args->tiles = runs * s->tiles;
    args->tiles_per_item = 1;
    launch->local = (size_t)local;
    launch->groups = (size_t)clq__ceil_div(args->tiles, s->sets);
}

/* A work-item alone takes contiguous steps, or all of a tile at once. */
static void size_items(struct quantize_args *args, int64_t rows, int64_t at_once,
                       const struct clq__traits *traits, struct clq__launch *launch)
{
    struct clq_steps *s = &args->steps;
    const int64_t share =
        clq__ceil_div(rows * args->inner, CLQ__ITEMS_OF_UNIT * (int64_t)traits->compute_units);
    const int64_t whole = clq__ceil_div(least(most(share, CLQ__ITEM_LEAST), CLQ__ITEM_MOST_STEPS),
                                        CLQ__ITEM_MULTIPLE) *
                          CLQ__ITEM_MULTIPLE,
                  tile = least(args->inner, whole);
    const int64_t rounds = clq__rounds_of_row(tile, args->outer) + clq__rounds_of_place(&args->entries);

    s->at_once = (uint32_t)(s->by_chunks ? at_once : tile);
    s->lanes = s->sets = 1;
    along_row(args, s->at_once);
    args->tiles = cut_run(args, rows, clq__ceil_div(tile, s->at_once), false) * s->tiles;
    args->tiles_per_item = most(whole / tile, 1);
    if (traits->ends_loops)
        args->tiles_per_item = least(args->tiles_per_item, clq__times_within(rounds));
    launch->local = 1;
    launch->groups = (size_t)clq__ceil_div(args->tiles, args->tiles_per_item);
}

void clq__steps_cut(struct quantize_args *args, int64_t rows, int64_t chunk, const struct clq__traits *traits,
                    struct clq__launch *launch)
{
    const bool by_chunks = in_chunks(args, chunk);
    const int64_t at_once = by_chunks ? chunk : 1;

    assert(args->inner > 0 && rows > 0);
    args->steps.by_chunks = by_chunks;
    if (traits->group_form)
        size_groups(args, rows, at_once, traits, launch);
    else
        size_items(args, rows, at_once, traits, launch);
}

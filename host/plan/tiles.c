/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of tiles, as they were measured. */
#include "plan/tiles.h"

#include "base/ceil_div.h"
#include "cpu/tuning.h"
#include "plan/divisor.h"
#include "plan/rounds.h"

#include <assert.h>

/* Units of a row's part, of `whole` that a work-item has. */
static int64_t part_of(const struct quantize_args *args, const struct clq__traits *traits, int64_t whole)
{
    const int64_t tile = args->inner < whole ? args->inner : whole, parts = tile / CLQ_CPU_PART;

    if (args->period > 0 && args->period < args->inner) { /* parts begin where scales do */
        const int64_t periods =
            args->period * (CLQ_CPU_PART > args->period ? CLQ_CPU_PART / args->period : 1);

        return periods < args->inner ? periods : args->inner;
    }
    if (!traits->long_runs || whole < CLQ_CPU_STREAMS * CLQ_CPU_PART || parts <= 1)
        return tile;
    return clq__ceil_div(clq__ceil_div(tile, parts), CLQ_CPU_STEP) * CLQ_CPU_STEP;
}

int64_t clq__for_streams(int64_t n)
{
    const int64_t many = CLQ_CPU_STREAMS * CLQ_CPU_BLOCK_ROWS, unit = n >= 2 * many ? many : CLQ_CPU_STREAMS;
    const int64_t units = n / unit;

    return units == 0 ? n : (units - (units > 8 && units % 2 == 0)) * unit;
}

/* A CPU's work-item does a long run, less where that would leave a core without work. Measured on PoCL with 1
 * GiB of input, GB/s by units in an item: float16 to int8 72 with 16 Ki, 88 with 64 Ki, 88 with 256 Ki, 91
 * with 1 Mi; float32 75, 81, 85, 85. */
static void size_items(struct quantize_args *args, int64_t rows, const struct clq__traits *traits,
                       struct clq__launch *launch)
{
    const int64_t most = traits->long_runs ? 262144 : 16384, least = 1024,
                  share = clq__ceil_div(rows * args->inner, 4 * (int64_t)traits->compute_units);
    const int64_t run = share < least ? least : share > most ? most : share;
    const int64_t whole = (run + 255) / 256 * 256;
    int64_t rounds;

    args->tile = part_of(args, traits, whole);
    args->tiles_per_row = clq__ceil_div(args->inner, args->tile);
    args->tiles = rows * args->tiles_per_row;
    args->tiles_per_item = whole > args->tile ? whole / args->tile : 1;
    if (traits->long_runs)
        args->tiles_per_item = clq__for_streams(args->tiles_per_item);
    rounds = clq__rounds_of_row(args->tile, args->outer) + clq__rounds_of_place(&args->entries);
    if (traits->ends_loops && args->tiles_per_item > clq__times_within(rounds))
        args->tiles_per_item = clq__times_within(rounds);
    args->lanes = 1;
    launch->local = 1;
    launch->groups = (size_t)clq__ceil_div(args->tiles, args->tiles_per_item);
}

/* A GPU's work-items share a run, each with a few neighbouring units at a time; short rows share a group. To
 * find its row costs a work-item what several units cost, so it has many, while there are enough for all.
 * Measured on an H200 with 4 GiB of input, TB/s by units a lane: float32 to int8 2.1 with 8, 2.8 with 16, 3.3
 * with 32, 3.4 with 64, and 3.5 with groups of 128 items instead of 256; a loop that computes nothing 4.2. */
static void size_groups(struct quantize_args *args, int64_t rows, const struct clq__traits *traits,
                        struct clq__launch *launch)
{
    const int64_t groups_per_unit = 16;
    const int64_t local = clq__group_items(traits, 128);
    int64_t lanes = 1, units_per_lane = 64;

    while (units_per_lane > 8 &&
           rows * args->inner / (units_per_lane * local) < groups_per_unit * (int64_t)traits->compute_units)
        units_per_lane /= 2;
    while (lanes < local && lanes * units_per_lane < args->inner)
        lanes *= 2;
    args->tile = lanes * units_per_lane;
    args->tiles_per_row = clq__ceil_div(args->inner, args->tile);
    args->tiles = rows * args->tiles_per_row;
    args->tiles_per_item = 1;
    args->lanes = (uint32_t)lanes;
    launch->local = (size_t)local;
    launch->groups = (size_t)clq__ceil_div(args->tiles, local / lanes);
}

void clq__tiles_cut(struct quantize_args *args, int64_t rows, const struct clq__traits *traits,
                    struct clq__launch *launch)
{
    assert(args->inner > 0 && rows > 0);
    if (traits->group_form)
        size_groups(args, rows, traits, launch);
    else
        size_items(args, rows, traits, launch);
    args->by_tiles_per_row = clq__divisor(args->tiles_per_row);
}

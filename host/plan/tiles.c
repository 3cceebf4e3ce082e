/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of tiles, as they were measured. */
#include "plan/tiles.h"

#include "base/ceil_div.h"
#include "cpu/tuning.h"
#include "plan/rounds.h"

#include <assert.h>

/* Units of a row's part, of `whole` that a work-item has. */
static int64_t part_of(const struct clq__rows *rows, const struct clq__traits *traits, int64_t whole)
{
    const int64_t tile = rows->inner < whole ? rows->inner : whole, parts = tile / CLQ_CPU_PART;

    if (rows->period > 0 && rows->period < rows->inner) { /* parts begin where scales do */
        const int64_t periods =
            rows->period * (CLQ_CPU_PART > rows->period ? CLQ_CPU_PART / rows->period : 1);

        return periods < rows->inner ? periods : rows->inner;
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
static void size_items(struct clq__tiles *tiles, struct clq__launch *launch, const struct clq__traits *traits,
                       const struct clq__rows *rows)
{
    const int64_t most = traits->long_runs ? 262144 : 16384, least = 1024,
                  share = clq__ceil_div(rows->rows * rows->inner, 4 * (int64_t)traits->compute_units);
    const int64_t run = share < least ? least : share > most ? most : share;
    const int64_t whole = (run + 255) / 256 * 256;
    int64_t rounds;

    tiles->tile = part_of(rows, traits, whole);
    tiles->tiles_per_row = clq__ceil_div(rows->inner, tiles->tile);
    tiles->tiles = rows->rows * tiles->tiles_per_row;
    tiles->tiles_per_item = whole > tiles->tile ? whole / tiles->tile : 1;
    if (traits->long_runs)
        tiles->tiles_per_item = clq__for_streams(tiles->tiles_per_item);
    rounds = rows->rounds_beside + 2 * tiles->tile;
    if (traits->ends_loops && tiles->tiles_per_item > clq__times_within(rounds))
        tiles->tiles_per_item = clq__times_within(rounds);
    tiles->lanes = 1;
    launch->local = 1;
    launch->groups = (size_t)clq__ceil_div(tiles->tiles, tiles->tiles_per_item);
}

/* A GPU's work-items share a run, each with a few neighbouring units at a time; short rows share a group. To
 * find its row costs a work-item what several units cost, so it has many, while there are enough for all.
 * Measured on an H200 with 4 GiB of input, TB/s by units a lane: float32 to int8 2.1 with 8, 2.8 with 16, 3.3
 * with 32, 3.4 with 64, and 3.5 with groups of 128 items instead of 256; a loop that computes nothing 4.2. */
static void size_groups(struct clq__tiles *tiles, struct clq__launch *launch,
                        const struct clq__traits *traits, const struct clq__rows *rows)
{
    const int64_t groups_per_unit = 16;
    const int64_t local = clq__group_items(traits, 128);
    int64_t lanes = 1, units_per_lane = 64;

    while (units_per_lane > 8 && rows->rows * rows->inner / (units_per_lane * local) <
                                     groups_per_unit * (int64_t)traits->compute_units)
        units_per_lane /= 2;
    while (lanes < local && lanes * units_per_lane < rows->inner)
        lanes *= 2;
    tiles->tile = lanes * units_per_lane;
    tiles->tiles_per_row = clq__ceil_div(rows->inner, tiles->tile);
    tiles->tiles = rows->rows * tiles->tiles_per_row;
    tiles->tiles_per_item = 1;
    tiles->lanes = (uint32_t)lanes;
    launch->local = (size_t)local;
    launch->groups = (size_t)clq__ceil_div(tiles->tiles, local / lanes);
}

struct clq__tiles clq__tiles_of(const struct clq__rows *rows, struct clq__traits traits,
                                struct clq__launch *launch)
{
    struct clq__tiles tiles;

    assert(rows->inner > 0 && rows->rows > 0);
    if (traits.group_form)
        size_groups(&tiles, launch, &traits, rows);
    else
        size_items(&tiles, launch, &traits, rows);
    return tiles;
}

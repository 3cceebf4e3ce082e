/* How a call of static quantization is cut into work-items. */
#include "ops/static_quantize.h"

#include <assert.h>

static int64_t ceil_div(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

/* Mesa's llvmpipe ends a work-item's loops after 65535 rounds, counted over all of them, without a word: rows
 * of few units count for the loops around them, and for the later entries that each looks at. */
static int64_t most_tiles(const struct quantize_args *args)
{
    const int64_t most_rounds = 49152,
                  looks = args->entries.overlap == CLQ_OVERLAP_SCAN ? args->entries.count : 0;
    const int64_t rounds = args->tile + args->tile / 8 + 2 * (int64_t)args->outer + 6 + looks;

    return rounds < most_rounds ? most_rounds / rounds : 1;
}

/* A CPU's work-item does a long run, less where that would leave a core without work. Measured on PoCL with 1
 * GiB of input, GB/s by units in an item: float16 to int8 72 with 16 Ki, 88 with 64 Ki, 88 with 256 Ki, 91
 * with 1 Mi; float32 75, 81, 85, 85. */
static void size_items(struct quantize_args *args, struct clq__launch *launch,
                       const struct clq__traits *traits, int64_t rows)
{
    const int64_t most = traits->long_runs ? 262144 : 16384, least = 1024,
                  share = ceil_div(rows * args->inner, 4 * (int64_t)traits->compute_units);
    const int64_t run = share < least ? least : share > most ? most : share;
    const int64_t whole = (run + 255) / 256 * 256;

    args->tile = args->inner < whole ? args->inner : whole;
    args->tiles_per_row = ceil_div(args->inner, args->tile);
    args->tiles = rows * args->tiles_per_row;
    args->tiles_per_item = whole / args->tile;
    if (!traits->long_runs && args->tiles_per_item > most_tiles(args))
        args->tiles_per_item = most_tiles(args);
    args->lanes = 1;
    launch->local = 1;
    launch->groups = (size_t)ceil_div(args->tiles, args->tiles_per_item);
}

/* A GPU's work-items share a run, each with a few neighbouring units at a time; short rows share a group. To
 * find its row costs a work-item what several units cost, so it has many, while there are enough for all.
 * Measured on an H200 with 4 GiB of input, TB/s by units a lane: float32 to int8 2.1 with 8, 2.8 with 16, 3.3
 * with 32, 3.4 with 64, and 3.5 with groups of 128 items instead of 256; a loop that computes nothing 4.2. */
static void size_groups(struct quantize_args *args, struct clq__launch *launch,
                        const struct clq__traits *traits, int64_t rows)
{
    const int64_t groups_per_unit = 16;
    int64_t local = 128, lanes = 1, units_per_lane = 64;

    while (local > (int64_t)traits->max_group_items)
        local /= 2;
    while (units_per_lane > 8 &&
           rows * args->inner / (units_per_lane * local) < groups_per_unit * (int64_t)traits->compute_units)
        units_per_lane /= 2;
    while (lanes < local && lanes * units_per_lane < args->inner)
        lanes *= 2;
    args->tile = lanes * units_per_lane;
    args->tiles_per_row = ceil_div(args->inner, args->tile);
    args->tiles = rows * args->tiles_per_row;
    args->tiles_per_item = 1;
    args->lanes = (uint32_t)lanes;
    launch->local = (size_t)local;
    launch->groups = (size_t)ceil_div(args->tiles, local / lanes);
}

void clq__static_size(struct quantize_args *args, struct clq__launch *launch, struct clq__traits traits)
{
    int64_t rows = 1;

    for (uint32_t d = 0; d < args->outer; d++)
        rows *= args->dim[d].size;
    assert(args->inner > 0 && rows > 0);
    if (traits.group_form)
        size_groups(args, launch, &traits, rows);
    else
        size_items(args, launch, &traits, rows);
}

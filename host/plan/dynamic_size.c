/* SPDX-License-Identifier: Apache-2.0 */
/* How a call of dynamic quantization is cut into work-items. */
#include "base/ceil_div.h"
#include "plan/dynamic.h"
#include "plan/rounds.h"
#include "plan/tiles.h"

/* Of a work-item that shares a row with so many: it looks at each of its units, at both elements of some, and stores
 * them. */
static int64_t rounds_of(const struct dynamic_quantize_args *args, int64_t lanes)
{
    return clq__rounds_of_row(3 * clq__ceil_div(args->inner, lanes), args->outer) +
           clq__rounds_of_place(&args->entries);
}

int64_t clq__dynamic_rounds(const struct dynamic_quantize_args *args)
{
    return rounds_of(args, args->lanes);
}

static void size_items(struct dynamic_quantize_args *args, struct clq__launch *launch,
                       const struct clq__traits *traits)
{
    const int64_t most = 262144, least = 1024,
                  share = clq__ceil_div(args->rows * args->inner, 4 * (int64_t)traits->compute_units);
    const int64_t run = share < least ? least : share > most ? most : share;
    int64_t rows = clq__ceil_div(run, args->inner);

    if (traits->ends_loops && rows > clq__times_within(rounds_of(args, 1)))
        rows = clq__times_within(rounds_of(args, 1));
    args->rows_per_item = traits->long_runs ? clq__for_streams(rows) : rows;
    args->lanes = 1;
    launch->local = 1;
    launch->groups = (size_t)clq__ceil_div(args->rows, args->rows_per_item);
}

/* As many work-items share a row as find some units each; fewer rows than the device holds are shared by
 * more. */
static void size_groups(struct dynamic_quantize_args *args, struct clq__launch *launch,
                        const struct clq__traits *traits)
{
    const int64_t local = clq__group_items(traits, 128);
    int64_t lanes = 1, units_per_lane = 32;

    while (units_per_lane > 4 &&
           args->rows * args->inner / (units_per_lane * local) < 16 * (int64_t)traits->compute_units)
        units_per_lane /= 2;
    while (lanes < local && lanes * units_per_lane < args->inner)
        lanes *= 2;
    args->rows_per_item = 1;
    args->lanes = (uint32_t)lanes;
    launch->local = (size_t)local;
    launch->groups = (size_t)clq__ceil_div(args->rows, local / lanes);
}

bool clq__dynamic_size(struct dynamic_quantize_args *args, struct clq__launch *launch,
                       struct clq__traits traits)
{
    const bool group = traits.group_form || (traits.ends_loops && rounds_of(args, 1) > CLQ__MOST_ROUNDS);

    if (group)
        size_groups(args, launch, &traits);
    else
        size_items(args, launch, &traits);
    return group;
}

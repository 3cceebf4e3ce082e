/* SPDX-License-Identifier: Apache-2.0 */
/* clq_find_scales from described kernels to its launches, for a device of given traits. */
#include "base/ceil_div.h"
#include "cpu/tuning.h"
#include "plan/find/find_scales.h"
#include "plan/shares/divisor.h"
#include "plan/shares/rounds.h"
#include "plan/shares/slice.h"
#include "plan/shares/tuning.h"

/* Elements of a tile, and steps of a part, of which kernels count some in 32 bits. */
enum { MOST_AT_ONCE = 1 << 30 };

enum { FOUND_RANGES = 1, FINISHED_RANGES = 0 }; /* the arguments of find and finish */

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The share of one work-item of a CPU, or of one group of a GPU, in elements: less where that would leave
 * some of the machine without work. */
static int64_t share_of(int64_t elements, int64_t longest, const struct clq__traits *traits)
{
    const int64_t units = (int64_t)traits->compute_units;

    if (traits->group_form)
        return least(most(clq__ceil_div(elements, CLQ__GROUPS_OF_UNIT * units), CLQ__FIND_GROUP_ELEMENTS),
                     MOST_AT_ONCE);
    return most(least(clq__ceil_div(elements, CLQ__ITEMS_OF_UNIT * units),
                      traits->long_runs ? longest : CLQ__FIND_ITEM_MOST_PORTABLE),
                CLQ__ITEM_LEAST);
}

static int64_t vector_of(const struct clq__checked_call *checked)
{
    return checked->x.type == CLQ__F32 ? 4 : 8;
}

static void set_parts(struct clq__scales_part *call, const struct clq__traits *traits)
{
    struct find_scales_args *args = &call->find_args;

    args->slices = call->own ? clq__ceil_div(args->steps, args->steps_per_slice)
                             : clq__slice_parts(args, traits->most, INT64_MAX);
    args->by_tiles_per_row = clq__divisor(args->tiles_per_row);
    args->by_units = clq__divisor(args->units);
    args->units_per_item = 1;
}

static void cut_runs(struct clq__scales_part *call, const struct clq__checked_call *checked,
                     const struct clq__traits *traits, int64_t local)
{
    struct find_scales_args *args = &call->find_args;
    const int64_t of_index = call->rows * args->inner;
    const int64_t share = share_of(args->units * args->batches * of_index, CLQ__FIND_ITEM_MOST, traits);
    /* Parts are those of a whole group, also where the kernel takes fewer: a workspace has a range for each,
     * and its size is told before a kernel is built. */
    const int64_t full = traits->group_form ? CLQ_FIND_LANES : 1;
    int64_t lanes = 1, rounds;

    while (lanes < full && lanes * vector_of(checked) * CLQ__FIND_LANE_VECTORS < args->inner)
        lanes *= 2;
    args->lanes = (uint32_t)least(lanes, local);
    args->tile = least(args->inner, traits->ends_loops ? least(share, CLQ__FIND_TILE_ENDED * lanes) : share);
    if (!call->own)
        args->tile = most(args->tile, clq__ceil_div(args->inner, traits->most));
    args->tiles_per_row = clq__ceil_div(args->inner, args->tile);
    args->steps = call->rows * args->tiles_per_row;
    rounds = clq__rounds_of_row(clq__ceil_div(args->tile, args->lanes), args->outer);
    args->steps_per_slice = most(most(share / full, CLQ__FIND_LANE_ELEMENTS) * lanes / args->tile, 1);
    if (traits->long_runs)
        args->steps_per_slice =
            most(args->steps_per_slice, clq__ceil_div(args->steps, CLQ__FIND_MOST_RANGES));
    if (traits->ends_loops)
        args->steps_per_slice = least(args->steps_per_slice, clq__times_within(rounds));
    args->steps_per_slice = least(args->steps_per_slice, args->steps);
    set_parts(call, traits);
    if (traits->group_form || args->slices > 1)
        return;
    args->units_per_item = most(share / most(of_index, CLQ__FIND_LANE_ELEMENTS), 1);
    if (traits->ends_loops)
        args->units_per_item = least(args->units_per_item, clq__times_within(args->steps_per_slice * rounds));
}

static void cut_columns(struct clq__scales_part *call, const struct clq__checked_call *checked,
                        const struct clq__traits *traits)
{
    struct find_scales_args *args = &call->find_args;
    const int64_t rows = call->rows;
    const int64_t share = share_of(rows * args->inner * args->batches, CLQ__FIND_ITEM_MOST_COLUMNS, traits);
    const int64_t bytes = (int64_t)clq__storage_bytes(checked->x.tensor->dtype);
    const int64_t wanted =
        (traits->group_form ? CLQ__FIND_ITEMS_OF_UNIT : CLQ__ITEMS_OF_UNIT) * (int64_t)traits->compute_units;
    int64_t rounds;

    args->lanes = 1;
    args->tile = traits->group_form  ? vector_of(checked)
                 : traits->long_runs ? CLQ_CPU_FIND_COLUMN_BYTES / bytes
                                     : CLQ__FIND_COLUMNS_PORTABLE;
    while (!traits->group_form && args->tile > CLQ__FIND_COLUMNS_LEAST &&
           clq__ceil_div(args->inner, args->tile) * args->batches *
                   clq__ceil_div(rows, CLQ__FIND_ROWS_OF_RANGE) <
               wanted)
        args->tile /= 2;
    args->tile = least(args->tile, args->inner);
    args->units = args->tiles_per_row = clq__ceil_div(args->inner, args->tile);
    args->steps = rows;
    rounds = clq__rounds_of_row(args->tile, args->outer);
    args->steps_per_slice =
        traits->group_form ? clq__ceil_div(rows * args->units * args->batches, wanted) : share / args->tile;
    args->steps_per_slice = most(args->steps_per_slice, CLQ__FIND_ROWS_OF_RANGE);
    if (traits->ends_loops)
        args->steps_per_slice = least(args->steps_per_slice, clq__times_within(rounds));
    else
        args->steps_per_slice = most(args->steps_per_slice, clq__ceil_div(rows, CLQ__FIND_MOST_RANGES));
    args->steps_per_slice = least(args->steps_per_slice, least(rows, MOST_AT_ONCE));
    set_parts(call, traits);
}

static void cut_find(struct clq__scales_part *call, const struct clq__checked_call *checked,
                     const struct clq__traits *traits)
{
    struct find_scales_args *args = &call->find_args;
    struct finish_scales_args *finish = &call->finish_args;
    const int64_t local = traits->group_form ? clq__group_items(traits, CLQ_FIND_LANES) : 1;

    call->find.groups = 0;
    call->ranges = 0;
    if (checked->x.elements == 0)
        return;
    if (call->columns)
        cut_columns(call, checked, traits);
    else
        cut_runs(call, checked, traits, local);
    args->sets = (uint32_t)(local / args->lanes);
    call->find.local = (size_t)local;
    call->find.groups =
        (size_t)clq__ceil_div(args->units * args->batches * args->slices, args->units_per_item * args->sets);
    finish->slices = args->slices * call->together;
    args->slice_ranges = finish->slice_ranges * call->together;
    args->batch_ranges = finish->batch_ranges;
    args->direct = !checked->scales_first && finish->slices == 1 && finish->span == 1 && args->batches == 1;
    if (!args->direct)
        call->ranges = args->slices * args->batches * (call->columns ? args->inner : args->units);
}

/* Loop rounds for an index whose ranges so many work-items share. */
static int64_t finish_rounds(const struct finish_scales_args *args, int64_t lanes)
{
    return clq__rounds_of_row(0, 0) + clq__ceil_div(args->slices, lanes) * (args->span + 2);
}

/* Returns the rounds of a work-item. */
static int64_t cut_finish(struct clq__scales_part *call, const struct clq__traits *traits)
{
    struct finish_scales_args *args = &call->finish_args;
    const bool too_long = traits->ends_loops && finish_rounds(args, 1) > CLQ__MOST_ROUNDS;
    const bool group = traits->group_form || too_long;
    const int64_t local = group ? clq__group_items(traits, CLQ_FINISH_LANES) : 1;
    int64_t lanes = 1;

    call->finish_group = group;
    if (call->find_args.direct) {
        call->finish.groups = 0;
        return 0;
    }
    while (lanes < local && lanes * CLQ__FINISH_LANE_RANGES < args->slices &&
           (too_long ||
            args->indices * args->batches * lanes < CLQ__FIND_ITEMS_OF_UNIT * (int64_t)traits->compute_units))
        lanes *= 2;
    args->lanes = (uint32_t)lanes;
    args->sets = (uint32_t)(local / lanes);
    args->indices_per_item = 1;
    if (!group)
        args->indices_per_item = most(
            least(clq__ceil_div(args->indices * args->batches, CLQ__ITEMS_OF_UNIT * traits->compute_units),
                  clq__times_within(finish_rounds(args, 1))),
            1);
    call->finish.local = (size_t)local;
    call->finish.groups =
        (size_t)clq__ceil_div(args->indices * args->batches, args->indices_per_item * args->sets);
    return args->indices_per_item * finish_rounds(args, lanes);
}

static void choose_find(struct clq__scales_part *call, const struct clq__checked_call *checked,
                        const struct clq__traits *traits)
{
    struct clq__variant *find = &call->find.variant;

    clq__variant_begin(find, CLQ__FIND_SCALES_CL);
    clq__variant_define(find, CLQ__SRC, checked->x.type);
    clq__variant_define(find, CLQ__REDUCE, call->columns);
    clq__variant_define(find, CLQ__RANGE, checked->scales_first && !checked->by_quotient);
    call->own = clq__variant_end(find, traits);
}

static void choose_finish(struct clq__scales_part *call, const struct clq__checked_call *checked,
                          const struct clq__traits *traits)
{
    struct clq__variant *finish = &call->finish.variant;

    clq__variant_begin(finish, CLQ__FINISH_SCALES_CL);
    clq__variant_define(finish, CLQ__RANGE, checked->scales_first && !checked->by_quotient);
    clq__variant_end_form(finish, traits, call->finish_group);
}

static void place_buffers(struct clq__scales_part *call, const struct clq__checked_call *checked)
{
    cl_mem *found = call->find.buffers, *finished = call->finish.buffers;

    found[0] = clq__view_buffer(&checked->x);
    found[2] = finished[1] = clq__view_buffer(&checked->scale.view);
    found[3] = finished[2] = clq__view_buffer(&checked->zero_point.view);
    found[FOUND_RANGES] = finished[FINISHED_RANGES] = NULL;
    call->find.num_buffers = 4;
    call->find.args = &call->find_args;
    call->find.args_bytes = sizeof call->find_args;
    call->find.x_offset = &call->find_args.x_offset;
    call->finish.num_buffers = 3;
    call->find.kept = call->finish.kept = NULL;
    call->find.slices = call->finish.slices = 1;
    call->finish.args = &call->finish_args;
    call->finish.args_bytes = sizeof call->finish_args;
    call->finish.x_offset = NULL;
}

/* If no range is needed, find is the only kernel; where x is empty, finish. */
static int64_t cut_part(struct clq__scales_part *part, unsigned number,
                        const struct clq__checked_call *checked, struct clq__launches *launches,
                        const struct clq__traits *traits)
{
    struct clq__launch *kernel = &launches->kernels[number];
    int64_t rounds;

    choose_find(part, checked, traits);
    cut_find(part, checked, traits);
    rounds = cut_finish(part, traits);
    choose_finish(part, checked, traits);
    place_buffers(part, checked);
    if (part->find.groups > 0 && !part->own)
        clq__slice_find(&part->find, traits->most);
    *kernel = part->finish.groups > 0 ? part->finish : part->find;
    launches->num_kernels = number + 1;
    if (part->find.groups > 0 && part->finish.groups > 0) {
        *clq__launches_add(launches) = part->find;
        clq__launches_temporary(launches, part->ranges, 2 * sizeof(uint32_t), FOUND_RANGES,
                                &part->find_args.ranges_offset, &kernel->buffers[FINISHED_RANGES],
                                &part->finish_args.ranges_offset);
    }
    return rounds;
}

int64_t clq__scales_cut(struct clq__scales *call, const struct clq__checked_call *checked,
                        struct clq__launches *launches, const struct clq__traits *traits)
{
    int64_t rounds = 0;

    for (int i = 0; i < call->num_parts; i++)
        rounds = most(rounds, cut_part(&call->parts[i], (unsigned)i, checked, launches, traits));
    return rounds;
}

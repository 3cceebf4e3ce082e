/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic quantization from a described call to its launches, for a device of given traits. */
#include "base/ceil_div.h"
#include "plan/dynamic/dynamic.h"
#include "plan/dynamic/rotate.h"
#include "plan/shares/rounds.h"
#include "plan/shares/slice.h"
#include "plan/shares/tiles.h"
#include "plan/shares/tuning.h"

/* Loop rounds of one work-item when `lanes` share a row: 3 per unit, and the rotation twice. */
static int64_t rounds_of(const struct dynamic_quantize_args *args, int64_t lanes)
{
    const int64_t turned =
        args->rotate > 0 ? 2 * clq__rotate_rounds(args->rotate, 2 * args->inner, lanes) : 0;

    return clq__rounds_of_row(3 * clq__ceil_div(args->inner, lanes) + turned, args->outer) +
           clq__rounds_of_place(&args->entries);
}

/* Rows of a CPU's own kernel are streams. */
static void size_items(struct dynamic_quantize_args *args, struct clq__launch *launch, bool own,
                       const struct clq__traits *traits)
{
    const int64_t inner =
        args->inner > 0 ? args->inner : 1; /* rows of no element have a scale all the same */
    int64_t rows = clq__ceil_div(clq__item_elements(args->rows * inner, traits), inner);

    if (traits->ends_loops && rows > clq__times_within(rounds_of(args, 1)))
        rows = clq__times_within(rounds_of(args, 1));
    args->rows_per_item = own ? clq__for_streams(rows) : rows;
    args->together = args->rotate > 0 ? CLQ__MOST_TURNED : 0;
    launch->local = 1;
    launch->groups = (size_t)clq__ceil_div(args->rows, args->rows_per_item);
}

/* The work-items to a row with which the most of it is turned at once. */
static int64_t lanes_to_turn(int64_t elements, int64_t local, int64_t own)
{
    int64_t lanes = 1;

    while (lanes < local && own * lanes < elements)
        lanes *= 2;
    return lanes;
}

static void choose_variant(struct clq__variant *variant, const struct clq__checked_call *checked)
{
    const bool blocks = clq__view_has_blocks(&checked->y);

    if (checked->back) {
        clq__variant_begin(variant,
                           checked->rotate > 0 ? CLQ__DEQUANTIZE_ROTATED_CL : CLQ__DEQUANTIZE_BLOCKS_CL);
        clq__variant_define(variant, CLQ__SRC, checked->y.type);
        clq__variant_define(variant, CLQ__DST, checked->x.type);
        clq__variant_define(variant, CLQ__MODE, 0);
        return;
    }
    if (checked->rule.kind != 0) {
        clq__variant_begin(variant, CLQ__QUANTIZE_RULE_CL);
        clq__variant_define(variant, CLQ__SRC, checked->x.type);
        clq__variant_define(variant, CLQ__DST, checked->y.type);
        return;
    }
    clq__variant_begin(variant, blocks ? CLQ__QUANTIZE_BLOCKS_CL : CLQ__DYNAMIC_QUANTIZE_CL);
    clq__variant_define(variant, CLQ__SRC, checked->x.type);
    clq__variant_define(variant, CLQ__DST, checked->y.type);
    clq__variant_define(variant, CLQ__SMOOTH, checked->smooth.tensor != NULL);
    if (!blocks)
        clq__variant_define(variant, CLQ__ROTATE, checked->rotate > 0);
}

/* Floats of a row that each of a group's work-items turns: what it holds,
 * or with exact sums its share of the group's room. */
static int64_t own_turned(const struct clq__checked_call *checked, const struct clq__traits *traits,
                          int64_t local)
{
    struct clq__variant variant;

    choose_variant(&variant, checked);
    clq__variant_end_form(&variant, traits, true);
    return clq__variant_value(&variant, CLQ__ARITHMETIC) == CLQ__NATIVE ? CLQ__OWN_TURNED
                                                                        : CLQ__GROUP_TURNED / local;
}

/* The work-items that share a row, which is one block: each has eight of its values. */
enum { LANES_OF_BLOCK = CLQ_BLOCK_VALUES / 8 };

/* For blocks across rows neighbours have one each, and load side by side; long ones are shared. */
static int64_t lanes_across(int64_t units, int64_t local)
{
    int64_t lanes = 1;

    while (lanes < local && units > lanes * CLQ__LANE_ACROSS)
        lanes *= 2;
    return lanes;
}

static void size_groups(struct dynamic_quantize_args *args, struct clq__launch *launch,
                        const struct clq__traits *traits, const struct clq__checked_call *checked)
{
    const int64_t local = clq__group_items(traits, CLQ__GROUP_ITEMS),
                  enough = CLQ__GROUPS_OF_UNIT * local * (int64_t)traits->compute_units;
    const int64_t elements = args->inner * clq__view_in_unit(&checked->y);
    const int64_t chunks =
                      clq__ceil_div(elements * (int64_t)clq__storage_bytes(checked->x.tensor->dtype), 16),
                  a_lane = chunks <= CLQ__SHORT_ROW_CHUNKS ? CLQ__LANE_CHUNKS_SHORT : CLQ__LANE_CHUNKS_LONG;
    int64_t lanes = 1;

    while (lanes < local &&
           (lanes * a_lane < chunks || (2 * lanes <= chunks && (lanes == 1 || args->rows * lanes < enough))))
        lanes *= 2;
    if (clq__view_has_blocks(&checked->y))
        lanes = LANES_OF_BLOCK;
    if (checked->rule.kind != 0 && checked->axis != checked->x.rank - 1)
        lanes = lanes_across(args->inner, local);
    if (args->rotate > 0) {
        const int64_t own = own_turned(checked, traits, local);

        lanes = lanes_to_turn(elements, local, own);
        args->together = (uint32_t)(own * lanes);
    }
    args->rows_per_item = 1;
    args->lane_bits = (uint32_t)__builtin_ctzll((unsigned long long)lanes);
    args->sets = (uint32_t)(local / lanes);
    launch->local = (size_t)local;
    launch->groups = (size_t)clq__ceil_div(args->rows, args->sets);
}

/* The kernel's buffers, and what is written for it first. */
static void place_buffers(struct clq__launches *launches, struct dynamic_quantize_args *args,
                          const struct clq__checked_call *checked, const struct clq__traits *traits)
{
    const struct clq__placement *placement = &checked->placement;
    cl_mem *buffers = launches->kernels[0].buffers;
    unsigned count = 0, owners;

    buffers[count++] = clq__view_buffer(&checked->x);
    if (!checked->back) {
        if (clq__checked_widens_smooth(checked))
            clq__launches_widen_flat(launches, &checked->smooth, traits, 1, &args->smooth_offset);
        buffers[count++] = clq__view_buffer(&checked->smooth);
    }
    buffers[count++] = clq__view_buffer(&checked->y);
    buffers[count++] = clq__view_buffer(&checked->scale.view);
    buffers[count++] = clq__view_buffer(clq__checked_offset(checked));
    buffers[count++] = clq__view_buffer(&placement->indices);
    owners = count++;
    buffers[owners] = NULL;
    buffers[count++] = placement->report.buffer;
    launches->kernels[0].num_buffers = count;
    if (args->entries.owner_words > 0)
        clq__launches_claim(launches, placement, &args->entries, traits, owners);
}

/* Returns the rounds of a work-item. */
static int64_t cut(struct clq__launch *kernel, struct dynamic_quantize_args *args,
                   const struct clq__checked_call *checked, const struct clq__traits *traits)
{
    const int64_t local = clq__group_items(traits, CLQ__GROUP_ITEMS);
    const bool has_room =
        (args->rotate == 0 || own_turned(checked, traits, local) * local >= (int64_t)args->rotate) &&
        (!clq__view_has_blocks(&checked->y) || args->rotate > 0 || local >= LANES_OF_BLOCK);
    const bool group =
        has_room && (traits->group_form || (traits->ends_loops && rounds_of(args, 1) > CLQ__MOST_ROUNDS));
    bool own;

    choose_variant(&kernel->variant, checked);
    own = clq__variant_end_form(&kernel->variant, traits, group);
    if (group)
        size_groups(args, kernel, traits, checked);
    else
        size_items(args, kernel, own, traits);
    kernel->args = args;
    kernel->x_offset = &args->x_offset;
    kernel->args_bytes = sizeof *args;
    if (!own)
        clq__slice_rows(kernel, traits->most);
    return args->rows_per_item * rounds_of(args, INT64_C(1) << args->lane_bits);
}

/* A CPU's own kernel reads the smooth scales of all rows from one place, and one scale of a row, and
 * saturates at the range that its type fills. */
static struct clq__traits traits_of(const struct dynamic_quantize_args *args,
                                    const struct clq__checked_call *checked, const struct clq__traits *traits)
{
    struct clq__traits own = *traits;

    own.long_runs = traits->long_runs && args->smooth_blocks == 0 && args->per_scale == 0 &&
                    checked->top == 0.0f && args->entries.kind != CLQ_ENTRY_GROUPS;
    return own;
}

int64_t clq__rows_cut(struct clq__rows *call, const struct clq__checked_call *checked,
                      struct clq__launches *launches, const struct clq__traits *traits)
{
    const struct clq__traits own = traits_of(&call->parts[0], checked, traits);
    const int64_t rounds = cut(&launches->kernels[0], &call->parts[0], checked, &own);

    place_buffers(launches, &call->parts[0], checked, &own);
    for (int i = 1; i < call->num_parts; i++)
        cut(clq__launches_repeat(launches, &call->parts[i]), &call->parts[i], checked, &own);
    return rounds;
}

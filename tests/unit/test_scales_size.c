/* SPDX-License-Identifier: Apache-2.0 */
/* How a call of clq_find_scales is cut: every element belongs to one unit and part, at any size, and no
 * work-item's loops are longer than its device allows. */
#include <stdint.h>
#include <string.h>

#include "cpu/tuning.h"
#include "ops/operators.h"
#include "tests.h"

typedef __int128 wide;

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct clq__traits machines[] = {
    {.most = INT64_C(1) << 30, .max_group_items = 4096, .compute_units = 2, .long_runs = true},
    {.most = INT64_C(1) << 30, .max_group_items = 4096, .compute_units = 128, .long_runs = true},
    {.most = INT64_C(1) << 30, .max_group_items = 1024, .compute_units = 4},
    {.most = INT64_C(1) << 30, .max_group_items = 1024, .compute_units = 4, .ends_loops = true},
    {.most = INT64_C(1) << 30,
     .max_group_items = 1024,
     .compute_units = 4,
     .group_form = true,
     .ends_loops = true},
    {.most = INT64_C(1) << 30, .max_group_items = 1024, .compute_units = 132, .group_form = true},
    {.most = INT64_C(1) << 30, .max_group_items = 16, .compute_units = 1, .group_form = true},
};

static void check(struct clq__plan *plan, struct clq__traits traits)
{
    const struct clq__view *x = &plan->checked.x;
    const struct clq__scales_part *call = &plan->of_scales.parts[0];
    const struct find_scales_args *args = &call->find_args;
    const struct finish_scales_args *finish = &call->finish_args;
    wide rows = 1, seen, per_group;

    clq__plan_describe(plan);
    clq__plan_cut(plan, &traits);
    for (uint32_t d = 0; d < args->outer; d++)
        rows *= args->dim[d].size;
    assert_true(args->outer <= CLQ_FIND_DIMS && args->tile > 0 && args->units > 0 && args->slices > 0);
    assert_true((wide)args->steps_per_slice * args->slices >= args->steps &&
                (wide)args->steps_per_slice * (args->slices - call->find.slices) < args->steps);
    if (call->columns) {
        assert_true(args->steps == rows && args->last > 0 && args->last <= args->inner);
        assert_true((wide)args->tile * args->units >= args->inner &&
                    (wide)args->tile * (args->units - 1) < args->inner);
        seen = (rows - 1) * args->inner + args->last;
        assert_true(traits.group_form ||
                    args->tile <= CLQ_CPU_FIND_COLUMN_BYTES / (x->type == CLQ__F32 ? 4 : 2));
        assert_true(!traits.group_form || args->tile <= (x->type == CLQ__F32 ? 4 : 8));
        per_group = (wide)args->units_per_item * call->find.local;
    } else {
        assert_true((wide)args->tile * args->tiles_per_row >= args->inner &&
                    (wide)args->tile * (args->tiles_per_row - 1) < args->inner);
        assert_true(args->steps == rows * args->tiles_per_row && args->last == args->inner);
        seen = rows * args->units * args->inner;
        per_group = traits.group_form ? (wide)(call->find.local / args->lanes) : args->units_per_item;
        assert_true(call->find.local % args->lanes == 0 && (args->lanes & (args->lanes - 1)) == 0);
    }
    assert_true(seen == x->elements);
    assert_true(call->find.local >= 1 && call->find.local <= traits.max_group_items &&
                call->find.local <= CLQ_FIND_LANES && (traits.group_form || call->find.local == 1));
    assert_true((wide)call->find.groups * per_group >= (wide)args->units * args->slices &&
                (wide)(call->find.groups - 1) * per_group < (wide)args->units * args->slices);
    if (traits.ends_loops) /* a step: its loop, two places, and vectors element by element */
        assert_true((wide)args->units_per_item * args->steps_per_slice *
                        (2 * args->outer + 8 + (args->tile / args->lanes / 16 + 1) * 18) <=
                    65535);
    if (args->direct) {
        assert_true(args->slices == 1 && finish->slices == 1 && finish->span == 1 &&
                    call->finish.groups == 0);
        return;
    }
    assert_true(call->ranges == args->slices * (call->columns ? args->inner : args->units));
    assert_true((finish->slices - 1) * finish->slice_ranges + (finish->indices - 1) * finish->index_ranges +
                    finish->span <=
                call->ranges);
    assert_true(call->finish.local <= CLQ_FINISH_LANES && call->finish.local <= traits.max_group_items);
    per_group = call->finish_group ? (wide)(call->finish.local / finish->lanes) : finish->indices_per_item;
    assert_true((wide)call->finish.groups * per_group >= finish->indices &&
                (wide)(call->finish.groups - 1) * per_group < finish->indices);
    /* Every loop's end is a round too. What would be longer is refused, where that matters. */
    if (traits.ends_loops && plan->rounds <= CLQ__MOST_ROUNDS)
        assert_true((wide)finish->indices_per_item *
                        ((finish->slices + finish->lanes - 1) / finish->lanes * (finish->span + 2) + 2) <=
                    65535);
    assert_true(call->finish_group || finish->lanes == 1);
    /* The ranges stay small beside x, but for rows so short that each has one. */
    if (finish->span == 1 && args->inner * rows > 4096 && !call->columns)
        assert_true((wide)call->ranges * 8 <= (wide)x->elements / 4);
}

TEST(every_element_has_one_owner)
{
    static const int64_t sizes[] = {1,
                                    2,
                                    3,
                                    16,
                                    31,
                                    100,
                                    511,
                                    512,
                                    1000,
                                    4096,
                                    8193,
                                    100003,
                                    262144,
                                    INT64_C(5) << 20,
                                    (INT64_C(1) << 31) + 1};
    DLTensor half = {.dtype = {kDLFloat, 16, 1}}, single = {.dtype = {kDLFloat, 32, 1}};
    static struct clq__plan plan = {.op = &clq__find_scales, .checked.type = CLQ__I8};

    for (size_t a = 0; a < COUNT(sizes); a++)
        for (size_t b = 0; b < COUNT(sizes); b++)
            for (size_t c = 0; c < COUNT(sizes); c++)
                for (int axis = -1; axis < 3; axis++)
                    for (size_t m = 0; m < COUNT(machines); m++)
                        for (int layout = 0; layout < 3; layout++) {
                            struct clq__view *x = &plan.checked.x;

                            *x = (struct clq__view){.tensor = a % 2 ? &single : &half,
                                                    .type = a % 2 ? CLQ__F32 : CLQ__F16,
                                                    .rank = 3,
                                                    .shape = {sizes[a], sizes[b], sizes[c]}};
                            if ((wide)sizes[a] * sizes[b] * sizes[c] > INT64_C(1) << 40 ||
                                (machines[m].long_runs == false &&
                                 (wide)sizes[a] * sizes[b] * sizes[c] > INT64_C(1) << 30))
                                continue;
                            x->elements = sizes[a] * sizes[b] * sizes[c];
                            x->stride[2] = layout == 1 ? 2 : 1;
                            x->stride[1] = sizes[c] * x->stride[2] + (layout == 2);
                            x->stride[0] = sizes[b] * x->stride[1];
                            plan.checked.axis = axis;
                            plan.checked.scale = (struct clq__parameter){
                                .view = {.tensor = &single, .elements = axis < 0 ? 1 : x->shape[axis]}};
                            if (axis >= 0 && x->shape[axis] > 1)
                                plan.checked.scale.stride[axis] = 1;
                            check(&plan, machines[m]);
                        }
}

TESTS_MAIN("scales_size")

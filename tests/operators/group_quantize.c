/* SPDX-License-Identifier: Apache-2.0 */
/* clq_group_quantize: rows that take the scales of their group. */
#include "judge.h"
#include "places.h"

enum { X, SCALES, GROUP_INDEX, ZERO_POINTS, Y };

static void draw(struct call *call)
{
    struct clq_group_quantize_desc *desc = (void *)call->desc;
    const enum reference_type type = call_type(call, WISH_DST, TYPES_GROUPED);
    const struct shape rows = places_groups(call, SCALES, GROUP_INDEX, ZERO_POINTS, type);

    call_tensor_of(call, X, call_type(call, WISH_SRC, TYPES_FLOAT), &rows, TENSOR_INPUT);
    call_tensor_of(call, Y, type, &rows, TENSOR_OUTPUT);
    call_report(call);
    desc->round_first = call_round_first(call, Y);
}

static void judge(struct judge *judge)
{
    const struct clq_group_quantize_desc *desc = judge->desc;

    rule_round_first(judge, Y, desc->round_first);
    if (!judge_has_shapes(judge))
        return;
    rule_groups(judge, X, SCALES, GROUP_INDEX);
    rule_group_zero_point(judge, ZERO_POINTS);
    rule_same_shape(judge, Y, X);
}

static void judge_indices(struct judge *judge)
{
    rule_group_indices(judge, X, GROUP_INDEX);
}

static struct reference_report reference(const struct call *call)
{
    const struct clq_group_quantize_desc *desc = (const void *)call->desc;
    struct reference_tensor as[5];

    return reference_group_quantize(&(struct reference_group_quantize_desc){
        .x = call_reference(call, X, &as[0]),
        .scale = call_reference(call, SCALES, &as[1]),
        .group_index = call_reference(call, GROUP_INDEX, &as[2]),
        .offset = call_reference(call, ZERO_POINTS, &as[3]),
        .y = call_reference(call, Y, &as[4]),
        .round_first = desc->round_first != 0,
    });
}

#define AT(field) offsetof(struct clq_group_quantize_desc, field)
OPERATOR_CHECK_INDICES(group_quantize)
OPERATOR_ROW(group_quantize, .src = TYPES_FLOAT, .dst = TYPES_GROUPED,
             .operands = {{"x", TYPES_FLOAT, OPERAND_READ, false, AT(x)},
                          {"scales", TYPES_SCALE, OPERAND_READ, false, AT(scales)},
                          {"group_index", TYPES_INDEX, OPERAND_READ, false, AT(group_index)},
                          {"zero_points", TYPES_FLOAT, OPERAND_READ, true, AT(zero_points)},
                          {"y", TYPES_GROUPED, OPERAND_WRITTEN, false, AT(y)}},
             .judge = judge, OPERATOR_INDICES(judge_indices))

/* SPDX-License-Identifier: Apache-2.0 */
/* clq_dynamic_quantize: each row by a scale that is found from it. */
#include "dynamic.h"

#include "parameters.h"
#include "rows.h"

enum { X, SMOOTH_SCALES, Y, SCALES, OFFSETS };

static void draw(struct call *call)
{
    struct clq_dynamic_quantize_desc *desc = (void *)call->desc;
    const enum reference_type type = call_type(call, WISH_DST, TYPES_CACHE);
    struct shape shape = shape_random(&call->rng, 1, TENSOR_MOST_RANK, call->most_elements);
    struct shape found = {.rank = (int)rng_below(&call->rng, 2), .size = {1}};
    bool apart = call->wish.apart >= 0 ? call->wish.apart == 1 : rng_once_in(&call->rng, 3);
    int at;

    if (reference_shares_bytes(type, 1))
        shape_for_nibbles(&call->rng, &shape);
    at = apart ? (int)rng_below(&call->rng, shape.rank) : shape.rank - 1;
    desc->rotate = call_rotate(call, &shape);
    if (shape.rank > 1 && rng_once_in(&call->rng, 60))
        shape.size[rng_below(&call->rng, shape.rank - 1)] = 0;
    desc->symmetric = rows_draw_symmetric(call, type);
    call_tensor_of(call, X, call_type(call, WISH_SRC, TYPES_FLOAT), &shape, TENSOR_INPUT);
    call_tensor_of(call, Y, type, &shape, TENSOR_OUTPUT);
    desc->axis = call_axis(call, at, shape.rank);
    if (apart && at == shape.rank - 1) {
        desc->block_all = 1;
    } else {
        desc->block =
            apart ? parameters_block(call, shape.size[at]) : rows_draw_block(call, Y, &shape, desc->rotate);
        found = parameters_rows_shape(&shape, at, desc->block);
    }
    rows_draw_found(call, SCALES, desc->symmetric ? -1 : OFFSETS, &found);
    rows_draw_smooth(call, SMOOTH_SCALES, shape.size[shape.rank - 1]);
}

static void judge(struct judge *judge)
{
    const struct clq_dynamic_quantize_desc *desc = judge->desc;

    rule_reserved32(judge, desc->reserved32);
    rule_dynamic(judge, X, SMOOTH_SCALES, Y, SCALES, OFFSETS, desc->symmetric,
                 &(struct rows_rules){.axis = desc->axis, .block = desc->block, .all = desc->block_all});
    if (judge_has_shapes(judge))
        rule_same_shape(judge, Y, X);
    rule_rotate(judge, desc->rotate, X);
}

static struct reference_report reference(const struct call *call)
{
    const struct clq_dynamic_quantize_desc *desc = (const void *)call->desc;
    struct reference_tensor as[5];

    reference_dynamic_quantize(&(struct reference_dynamic_quantize_desc){
        .x = call_reference(call, X, &as[0]),
        .smooth_scale = call_reference(call, SMOOTH_SCALES, &as[1]),
        .y = call_reference(call, Y, &as[2]),
        .scale = call_reference(call, SCALES, &as[3]),
        .offset = call_reference(call, OFFSETS, &as[4]),
        .symmetric = desc->symmetric != 0,
        .rotate = desc->rotate,
        .block = desc->block,
        .axis = call_dimension(call, X, desc->axis, -1),
        .all = desc->block_all != 0,
    });
    return (struct reference_report){0};
}

OPERATOR_CALLS(dynamic_quantize)

#define AT(field) offsetof(struct clq_dynamic_quantize_desc, field)
const struct operator_row operator_dynamic_quantize = {
    .name = "dynamic_quantize",
    .src = TYPES_FLOAT,
    .dst = TYPES_CACHE,
    .operands = {{"x", TYPES_FLOAT, OPERAND_READ, false, AT(x)},
                 {"smooth_scales", TYPES_FLOAT, OPERAND_READ, true, AT(smooth_scales)},
                 {"y", TYPES_CACHE, OPERAND_WRITTEN, false, AT(y)},
                 {"scales", TYPES_FLOAT, OPERAND_WRITTEN, false, AT(scales)},
                 {"offsets", TYPES_FLOAT, OPERAND_WRITTEN, true, AT(offsets)}},
    .fields = {{"symmetric", AT(symmetric)},
               {"rotate", AT(rotate)},
               {"axis", AT(axis)},
               {"block", AT(block)},
               {"block_all", AT(block_all)},
               {"reserved32", AT(reserved32)}},
    .reserved = AT(reserved),
    .num_reserved = 2,
    .draw = draw,
    .judge = judge,
    .reference = reference,
    .enqueue = enqueue,
    .build = build,
    .check = check,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* clq_quantize: y = round(x / scale + zero point), or x * scale. */
#include "parameters.h"

enum { X, SCALES, ZERO_POINTS, Y };

/* A dense one of a CPU: so many short rows that their scales are repeated,
 * of which float32 alone are not widened before. */
static void draw_long(struct call *call, struct clq_quantize_desc *desc)
{
    static const int64_t columns[] = {80, 96, 112};
    const struct shape x = {.rank = 2,
                            .size = {(INT64_C(1) << 22) / 80 + 1, columns[rng_below(&call->rng, 3)]}},
                       each = {.rank = 1, .size = {x.size[1]}};

    call_tensor(call, X, &x, TENSOR_DENSE);
    call_tensor_of(call, Y, REFERENCE_I8, &x, TENSOR_DENSE);
    if (rng_once_in(&call->rng, 4))
        call_tensor(call, SCALES, &each, TENSOR_DENSE);
    else
        call_tensor_of(call, SCALES, REFERENCE_F32, &each, TENSOR_DENSE);
    if (rng_once_in(&call->rng, 2))
        call_tensor(call, ZERO_POINTS, &each, TENSOR_DENSE);
    desc->axis = call_axis(call, 1, 2);
}

static void draw(struct call *call)
{
    struct clq_quantize_desc *desc = (void *)call->desc;
    const enum reference_type x = call_type(call, WISH_SRC, TYPES_FLOAT),
                              y = call_type(call, WISH_DST, TYPES_QUANTIZED);
    struct shape shape, scales, zero_points;
    int d;

    desc->mode = call_mode(call);
    if (call->wish.long_one) {
        draw_long(call, desc);
        desc->round_first = call_round_first(call, Y);
        return;
    }
    shape = call_shape(call, 0, y);
    d = shape.rank > 0 ? (int)rng_below(&call->rng, shape.rank) : 0;
    call_tensor_of(call, X, x, &shape, TENSOR_INPUT);
    call_tensor_of(call, Y, y, &shape, TENSOR_OUTPUT);
    desc->round_first = call_round_first(call, Y);
    if (shape.rank > 0)
        desc->block = parameters_block(call, shape.size[d]);
    desc->block_before = parameters_before(call, &shape, d, desc->block);
    scales = parameters_shape(call, &shape, d, desc->block, desc->block_before);
    call_tensor(call, SCALES, &scales, TENSOR_INPUT);
    zero_points =
        parameters_shape(call, &shape, d, rng_once_in(&call->rng, 2) ? desc->block : 0, desc->block_before);
    if (!rng_once_in(&call->rng, 3))
        call_tensor(call, ZERO_POINTS, &zero_points, TENSOR_INPUT);
    desc->axis = call_axis(call, d, shape.rank);
}

static void judge(struct judge *judge)
{
    const struct clq_quantize_desc *desc = judge->desc;

    rule_round_first(judge, Y, desc->round_first);
    if (!judge_has_shapes(judge))
        return;
    rule_same_shape(judge, Y, X);
    rule_parameters(judge, SCALES, ZERO_POINTS, X, desc->axis, desc->block, desc->block_before);
}

static struct reference_report reference(const struct call *call)
{
    const struct clq_quantize_desc *desc = (const void *)call->desc;
    struct reference_tensor as[4];

    reference_quantize(&(struct reference_quantize_desc){
        .x = call_reference(call, X, &as[0]),
        .scales = call_reference(call, SCALES, &as[1]),
        .zero_points = call_reference(call, ZERO_POINTS, &as[2]),
        .y = call_reference(call, Y, &as[3]),
        .axis = call_dimension(call, X, desc->axis, -1),
        .block = desc->block,
        .block_before = desc->block_before,
        .multiply = desc->mode == CLQ_MULTIPLY,
        .round_first = desc->round_first != 0,
    });
    return (struct reference_report){0};
}

#define AT(field) offsetof(struct clq_quantize_desc, field)
OPERATOR_ROW(quantize, .src = TYPES_FLOAT, .dst = TYPES_QUANTIZED,
             .operands = {{"x", TYPES_FLOAT, OPERAND_READ, false, AT(x)},
                          {"scales", TYPES_SCALE, OPERAND_READ, false, AT(scales)},
                          {"zero_points", TYPES_FLOAT | TYPES_INTEGER, OPERAND_READ, true, AT(zero_points)},
                          {"y", TYPES_QUANTIZED, OPERAND_WRITTEN, false, AT(y)}},
             .judge = judge)

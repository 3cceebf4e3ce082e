/* SPDX-License-Identifier: Apache-2.0 */
/* clq_dynamic_quantize: each row by a scale that is found from it. */
#include "dynamic.h"

#include "parameters.h"
#include "places.h"
#include "rows.h"

#include <float.h>
#include <inttypes.h>

enum { X, SMOOTH_SCALES, Y, SCALES, OFFSETS, GROUP_INDEX, GLOBAL_SCALE };

static void draw_groups(struct call *call, const struct shape *x)
{
    const struct shape smooth = {.rank = 2, .size = {1 + rng_below(&call->rng, 5), x->size[1]}};

    call_tensor(call, SMOOTH_SCALES, &smooth, TENSOR_INPUT);
    places_ends(call, GROUP_INDEX, smooth.size[0], x->size[0]);
}

/* Blocks that carry their scales. */
static void draw_blocks(struct call *call, struct clq_dynamic_quantize_desc *desc, enum reference_type type)
{
    struct shape shape = call_full_shape(call, 1, call->most_elements);

    desc->rotate = call_rotate(call, &shape, type);
    shape_for_blocks(&shape);
    if (shape.rank > 1 && rng_once_in(&call->rng, 60))
        shape.size[rng_below(&call->rng, shape.rank - 1)] = 0;
    call_tensor_of(call, X, call_type(call, WISH_SRC, TYPES_FLOAT), &shape, TENSOR_INPUT);
    call_tensor_of(call, Y, type, &shape, TENSOR_OUTPUT);
    desc->axis = call_axis(call, shape.rank - 1, shape.rank);
    desc->block = rng_once_in(&call->rng, 2) ? 32 : 0;
    rows_draw_smooth(call, SMOOTH_SCALES, shape.size[shape.rank - 1]);
}

/* By a rule of MX or NVFP4, along any dimension. */
static void draw_rule(struct call *call, struct clq_dynamic_quantize_desc *desc, enum reference_type type)
{
    struct shape shape = call_full_shape(call, 1, call->most_elements), found;
    const struct tensor *y = &call->tensors[Y];
    const uint32_t in_byte = (uint32_t)reference_in_byte(type);
    const int last = shape.rank - 1;
    int at = (int)rng_below(&call->rng, shape.rank);
    bool gaps;

    shape_for_bytes(&call->rng, type, &shape);
    desc->rotate = call_rotate(call, &shape, type);
    if (shape.rank > 1 && rng_once_in(&call->rng, 60))
        shape.size[rng_below(&call->rng, shape.rank - 1)] = 0;
    desc->symmetric = 1;
    call_tensor_of(call, X, call_type(call, WISH_SRC, TYPES_FLOAT), &shape, TENSOR_INPUT);
    call_tensor_of(call, Y, type, &shape, TENSOR_OUTPUT);
    gaps = in_byte > 1 && y->dl.dtype.lanes == 4 * in_byte && y->strides[last] != 1 &&
           shape.size[last] > 4 * in_byte;
    at = gaps || rng_once_in(&call->rng, 2) ? last : at;
    desc->axis = call_axis(call, at, shape.rank);
    desc->block = parameters_block(call, shape.size[at]);
    if (at == last)
        desc->block -= desc->block % (gaps ? 4 * in_byte : in_byte);
    found = parameters_rows_shape(&shape, at, rows_block_of(desc->scale_rule, desc->block), 0);
    rows_draw_found(call, SCALES, -1, desc->scale_rule, &found);
    rows_draw_global_scale(call, GLOBAL_SCALE, desc->scale_rule);
    rows_draw_smooth(call, SMOOTH_SCALES, shape.size[last]);
}

static void draw(struct call *call)
{
    struct clq_dynamic_quantize_desc *desc = (void *)call->desc;
    const enum reference_type type =
        call_type(call, WISH_DST, call->wish.apart == 1 ? TYPES_CACHE : TYPES_CACHE | TYPES_BLOCK);
    struct shape shape = call_full_shape(call, 1, call->most_elements);
    struct shape found = {.rank = (int)rng_below(&call->rng, 2), .size = {1}};
    bool apart = call->wish.apart >= 0 ? call->wish.apart == 1 : rng_once_in(&call->rng, 3);
    const bool groups = shape.rank == 2 && !apart && call->wish.smooth != 0 && rng_once_in(&call->rng, 3);
    int at;

    if (reference_is_block(type)) {
        draw_blocks(call, desc, type);
        return;
    }
    desc->scale_rule = rows_draw_rule(call, type);
    if (desc->scale_rule != 0) {
        draw_rule(call, desc, type);
        return;
    }
    shape_for_bytes(&call->rng, type, &shape);
    at = apart ? (int)rng_below(&call->rng, shape.rank) : shape.rank - 1;
    desc->rotate = call_rotate(call, &shape, type);
    if (shape.rank > 1 && rng_once_in(&call->rng, 60))
        shape.size[rng_below(&call->rng, shape.rank - 1)] = 0;
    desc->symmetric = rows_draw_symmetric(call, type);
    call_tensor_of(call, X, call_type(call, WISH_SRC, TYPES_FLOAT), &shape, TENSOR_INPUT);
    call_tensor_of(call, Y, type, &shape, TENSOR_OUTPUT);
    desc->axis = call_axis(call, at, shape.rank);
    if (apart && at == shape.rank - 1) {
        desc->block_all = 1;
    } else {
        if (!groups)
            desc->block = apart ? parameters_block(call, shape.size[at])
                                : rows_draw_block(call, Y, &shape, desc->rotate);
        desc->block_before = rows_draw_before(call, &shape, at, desc->block, desc->rotate);
        found = parameters_rows_shape(&shape, at, desc->block, desc->block_before);
    }
    rows_draw_found(call, SCALES, desc->symmetric ? -1 : OFFSETS, 0, &found);
    if (groups)
        draw_groups(call, &shape);
    else
        rows_draw_smooth(call, SMOOTH_SCALES, shape.size[shape.rank - 1]);
    if (desc->symmetric && rng_once_in(&call->rng, 4)) {
        const int64_t quarters = rng_below(&call->rng, 500);

        desc->type_max = (float)(1 + (quarters % 2 ? quarters : quarters % 16)) / 4.0f; /* many below 4 */
    }
}

static void judge_groups(struct judge *judge, const struct clq_dynamic_quantize_desc *desc)
{
    const struct facts *x = &judge->facts[X], *smooth = &judge->facts[SMOOTH_SCALES];
    const bool rows = desc->block == 0 && desc->block_all == 0 &&
                      (desc->axis == 0 || desc->axis == -1 || desc->axis == x->rank - 1);

    if (!judge->facts[GROUP_INDEX].given || reference_is_block(judge->facts[Y].type))
        return;
    RULE(judge, !smooth->given, CLQ_ERROR_NULL,
         "smooth_scales is NULL: with group_index it must be a tensor, for groups differ in it");
    if (!judge_has_shapes(judge) || !smooth->given)
        return;
    RULE(judge, !rows, CLQ_ERROR_VALUE,
         "group_index is given: axis must be the last, and block and block_all 0, for groups are of rows");
    rule_groups(judge, X, SMOOTH_SCALES, GROUP_INDEX);
}

static void judge(struct judge *judge)
{
    const struct clq_dynamic_quantize_desc *desc = judge->desc;
    const bool good_max = desc->type_max >= 0.0f && desc->type_max <= FLT_MAX;
    const struct rows_rules rules = {.axis = desc->axis,
                                     .block = rows_block_of(desc->scale_rule, desc->block),
                                     .before = desc->block_before,
                                     .all = desc->block_all,
                                     .groups = judge->facts[GROUP_INDEX].given,
                                     .rule = desc->scale_rule};

    rule_scale_rule(judge, Y, desc->type_max, &rules);
    rule_global_scale(judge, GLOBAL_SCALE, desc->scale_rule);
    RULE(judge, good_max && desc->type_max > 0.0f && desc->symmetric != 1, CLQ_ERROR_VALUE,
         "type_max is %g: it must be 0 where symmetric is 0", (double)desc->type_max);
    judge_groups(judge, desc);
    rule_dynamic(judge, X, SMOOTH_SCALES, Y, SCALES, OFFSETS, desc->symmetric, &rules);
    if (judge_has_shapes(judge))
        rule_same_shape(judge, Y, X);
    rule_rotate(judge, desc->rotate, desc->block_before, X, Y);
}

struct reference_report dynamic_quantize_reference(const struct call *call, bool plain_offset,
                                                   bool smooth_rows)
{
    const struct clq_dynamic_quantize_desc *desc = (const void *)call->desc;
    struct reference_tensor as[7];

    reference_dynamic_quantize(&(struct reference_dynamic_quantize_desc){
        .x = call_reference(call, X, &as[0]),
        .smooth_scale = call_reference(call, SMOOTH_SCALES, &as[1]),
        .y = call_reference(call, Y, &as[2]),
        .scale = call_reference(call, SCALES, &as[3]),
        .offset = call_reference(call, OFFSETS, &as[4]),
        .symmetric = desc->symmetric != 0,
        .rotate = desc->rotate,
        .how = rows_rule(call),
        .global_scale = call_reference(call, GLOBAL_SCALE, &as[6]),
        .block = rows_block_of(desc->scale_rule, desc->block),
        .block_before = desc->block_before,
        .axis = call_dimension(call, X, desc->axis, -1),
        .all = desc->block_all != 0,
        .top = desc->type_max,
        .plain_offset = plain_offset,
        .smooth_rows = smooth_rows,
        .group_index = call_reference(call, GROUP_INDEX, &as[5]),
    });
    return (struct reference_report){0};
}

static struct reference_report reference(const struct call *call)
{
    return dynamic_quantize_reference(call, false, false);
}

static unsigned types_of(const struct call *call, int t)
{
    const struct clq_dynamic_quantize_desc *desc = (const void *)call->desc;

    return t == SCALES ? rows_scale_types(desc->scale_rule) : call->op->operands[t].types;
}

#define AT(field) offsetof(struct clq_dynamic_quantize_desc, field)
OPERATOR_ROW(dynamic_quantize, .src = TYPES_FLOAT, .dst = TYPES_CACHE | TYPES_BLOCK,
             .operands = {{"x", TYPES_FLOAT, OPERAND_READ, false, AT(x)},
                          {"smooth_scales", TYPES_FLOAT, OPERAND_READ, true, AT(smooth_scales)},
                          {"y", TYPES_CACHE | TYPES_BLOCK, OPERAND_WRITTEN, false, AT(y)},
                          {"scales", TYPES_SCALE, OPERAND_WRITTEN, true, AT(scales)},
                          {"offsets", TYPES_FLOAT, OPERAND_WRITTEN, true, AT(offsets)},
                          {"group_index", TYPES_INDEX, OPERAND_READ, true, AT(group_index)},
                          {"global_scale", TYPE_SET(F32), OPERAND_READ, true, AT(global_scale)}},
             .types = types_of, .judge = judge)

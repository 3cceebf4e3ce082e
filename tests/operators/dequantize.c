/* SPDX-License-Identifier: Apache-2.0 */
/* clq_dequantize: the way back, of a whole tensor, of rows with a group's scales, or gathered by indices. */
#include "dequantize.h"

#include "parameters.h"
#include "places.h"
#include "rows.h"

#include <inttypes.h>

enum { Q, SCALES, ZERO_POINTS, OFFSETS, INDICES, GROUP_INDEX, GLOBAL_SCALE, Y };

/* Blocks are what dynamic quantization left, and so are scales of a byte, beside floats. */
static unsigned types_of(const struct call *call, int t)
{
    const struct clq_dequantize_desc *desc = (const void *)call->desc;
    const enum reference_type q = tensor_type(&call->tensors[Q]);

    if (desc->mode != CLQ_DEQUANTIZE_DYNAMIC)
        return t == Q ? TYPES_QUANTIZED : call->op->operands[t].types;
    if (t != SCALES || q == REFERENCE_TYPES || reference_is_block(q))
        return call->op->operands[t].types;
    return !(TYPES_SMALL >> q & 1)        ? TYPES_FLOAT
           : reference_shares_bytes(q, 1) ? TYPES_SCALE
                                          : TYPES_FLOAT | TYPE_SET(E8M0);
}

/* What undoes the wished way. */
static uint32_t draw_mode(struct call *call)
{
    return call_mode(call) == CLQ_DIVIDE ? CLQ_DEQUANTIZE_MULTIPLY : CLQ_DEQUANTIZE_DIVIDE;
}

/* The way back of groups only divides, and that of dynamic rows only multiplies. */
static bool may_be_groups(const struct call *call)
{
    return call->wish.multiply <= 0;
}

static bool may_be_dynamic(const struct call *call)
{
    return call->wish.multiply != 0 && call->wish.multiply != WISH_DIVIDE;
}

static bool is_dynamic(struct call *call, int64_t once_in)
{
    return may_be_dynamic(call) && (call->wish.multiply == WISH_DYNAMIC || call->wish.rotate == 1 ||
                                    rng_once_in(&call->rng, once_in));
}

static void draw_parameters(struct call *call, uint32_t mode, const struct shape *scales,
                            const struct shape *zero_points)
{
    const bool has_none = rng_once_in(&call->rng, 3),
               has_both = mode == CLQ_DEQUANTIZE_DYNAMIC &&
                          tensor_type(&call->tensors[Q]) == REFERENCE_E2M1 && rng_once_in(&call->rng, 2);

    if (has_both) {
        call_tensor_of(call, SCALES, REFERENCE_E4M3, scales, TENSOR_INPUT);
        rows_draw_global_scale(call, GLOBAL_SCALE, CLQ_NVFP4);
        return;
    }
    call_tensor_of(call, SCALES, call_type(call, WISH_NONE, types_of(call, SCALES)), scales, TENSOR_INPUT);
    if (!has_none)
        call_tensor(call, mode == CLQ_DEQUANTIZE_DYNAMIC ? OFFSETS : ZERO_POINTS, zero_points, TENSOR_INPUT);
}

/* One for all of q, or one a row or block. */
static void draw_dynamic(struct call *call, struct clq_dequantize_desc *desc, const struct shape *q, int d,
                         bool placed)
{
    struct shape shape = {.rank = (int)rng_below(&call->rng, 2), .size = {1}};

    if (!placed && rng_once_in(&call->rng, 6)) {
        desc->block_all = 1;
    } else {
        desc->block =
            d < q->rank - 1 ? parameters_block(call, q->size[d]) : rows_draw_block(call, Q, q, desc->rotate);
        if (!placed)
            desc->block_before = rows_draw_before(call, q, d, desc->block, desc->rotate);
        shape = parameters_rows_shape(q, d, desc->block, desc->block_before);
    }
    draw_parameters(call, desc->mode, &shape, &shape);
}

/* Blocks carry their scales. */
static void draw_blocks(struct call *call, struct clq_dequantize_desc *desc, enum reference_type type)
{
    struct shape q = call_full_shape(call, 1, call->most_elements);

    desc->mode = CLQ_DEQUANTIZE_DYNAMIC;
    desc->rotate = call_rotate(call, &q, type);
    shape_for_blocks(&q);
    if (q.rank > 1 && rng_once_in(&call->rng, 60))
        q.size[rng_below(&call->rng, q.rank - 1)] = 0;
    desc->axis = call_axis(call, q.rank - 1, q.rank);
    desc->block = rng_once_in(&call->rng, 2) ? 32 : 0;
    call_tensor_of(call, Q, type, &q, TENSOR_INPUT);
    call_tensor_of(call, Y, call_type(call, WISH_DST, TYPES_FLOAT), &q, TENSOR_OUTPUT);
}

static void draw_whole(struct call *call, struct clq_dequantize_desc *desc, enum reference_type type)
{
    struct shape q = call_shape(call, call->wish.rotate == 1 || call->wish.multiply == WISH_DYNAMIC, type);
    int d = q.rank > 0 ? (int)rng_below(&call->rng, q.rank) : 0;
    struct shape scales, zero_points;

    desc->mode = q.rank > 0 && is_dynamic(call, 3) ? CLQ_DEQUANTIZE_DYNAMIC : draw_mode(call);
    if (desc->mode == CLQ_DEQUANTIZE_DYNAMIC)
        desc->rotate = call_rotate(call, &q, type);
    desc->axis = call_axis(call, d, q.rank);
    call_tensor_of(call, Q, type, &q, TENSOR_INPUT);
    call_tensor_of(call, Y, call_type(call, WISH_DST, TYPES_FLOAT), &q, TENSOR_OUTPUT);
    if (desc->mode == CLQ_DEQUANTIZE_DYNAMIC) {
        draw_dynamic(call, desc, &q, d, false);
        return;
    }
    if (q.rank > 0)
        desc->block = parameters_block(call, q.size[d]);
    desc->block_before = parameters_before(call, &q, d, desc->block);
    scales = parameters_shape(call, &q, d, desc->block, desc->block_before);
    zero_points =
        parameters_shape(call, &q, d, rng_once_in(&call->rng, 2) ? desc->block : 0, desc->block_before);
    draw_parameters(call, desc->mode, &scales, &zero_points);
}

static void draw_gathered(struct call *call, struct clq_dequantize_desc *desc, enum reference_type type)
{
    const bool blocks = reference_is_block(type), dynamic = blocks || is_dynamic(call, 2);
    struct places p = places_random(call, INDICES, dynamic || reference_shares_bytes(type, 1), type, false);
    const int last = p.pieces.rank - 1;
    struct shape scales, zero_points;

    desc->mode = dynamic ? CLQ_DEQUANTIZE_DYNAMIC : draw_mode(call);
    desc->rotate = dynamic ? places_draw_rotate(call, &p, type) : 0;
    if (blocks) {
        shape_for_blocks(&p.cache);
        shape_for_blocks(&p.pieces);
    }
    desc->axis = call_axis(call, p.d, p.cache.rank);
    desc->out_of_range = p.range;
    desc->index_kind = p.index_kind;
    call_tensor_of(call, Q, type, &p.cache, TENSOR_INPUT);
    call_tensor_of(call, Y, call_type(call, WISH_DST, TYPES_FLOAT), &p.pieces, TENSOR_OUTPUT);
    places_leave_out(call, Y, &p);
    call_report(call);
    if (blocks) {
        desc->block = rng_once_in(&call->rng, 2) ? 32 : 0;
        return;
    }
    if (dynamic) {
        draw_dynamic(call, desc, &p.cache, last, true);
        return;
    }
    if (p.d != last)
        desc->block = parameters_block(call, p.pieces.size[last]);
    scales = parameters_placed_shape(call, &p.pieces, p.d, desc->block);
    zero_points = parameters_placed_shape(call, &p.pieces, p.d, rng_once_in(&call->rng, 2) ? desc->block : 0);
    draw_parameters(call, desc->mode, &scales, &zero_points);
}

static void draw_groups(struct call *call, struct clq_dequantize_desc *desc, enum reference_type type)
{
    const struct shape rows = places_groups(call, SCALES, GROUP_INDEX, ZERO_POINTS, type);

    desc->mode = CLQ_DEQUANTIZE_MULTIPLY;
    call_tensor_of(call, Q, type, &rows, TENSOR_INPUT);
    call_tensor_of(call, Y, call_type(call, WISH_DST, TYPES_FLOAT), &rows, TENSOR_OUTPUT);
    call_report(call);
}

static void draw(struct call *call)
{
    struct clq_dequantize_desc *desc = (void *)call->desc;
    const enum reference_type type =
        call_type(call, WISH_SRC, may_be_dynamic(call) ? TYPES_QUANTIZED | TYPES_BLOCK : TYPES_QUANTIZED);
    const bool blocks = reference_is_block(type);

    switch (rng_below(&call->rng, may_be_groups(call) && !blocks ? 3 : 2)) {
    case 0:
        if (blocks)
            draw_blocks(call, desc, type);
        else
            draw_whole(call, desc, type);
        break;
    case 1:
        draw_gathered(call, desc, type);
        break;
    default:
        draw_groups(call, desc, type);
    }
}

static void judge_numbers(struct judge *judge, const struct clq_dequantize_desc *desc)
{
    const bool dynamic = desc->mode == CLQ_DEQUANTIZE_DYNAMIC;

    RULE(judge, judge->facts[ZERO_POINTS].given && dynamic, CLQ_ERROR_VALUE,
         "zero_points is given: with mode CLQ_DEQUANTIZE_DYNAMIC (2) there are offsets instead");
    RULE(judge, judge->facts[OFFSETS].given && !dynamic, CLQ_ERROR_VALUE,
         "offsets is given: they are for mode CLQ_DEQUANTIZE_DYNAMIC (2), and mode is %" PRIu32, desc->mode);
    RULE(judge, judge->facts[GLOBAL_SCALE].given && !dynamic, CLQ_ERROR_VALUE,
         "global_scale is given: it is for mode CLQ_DEQUANTIZE_DYNAMIC (2), and mode is %" PRIu32,
         desc->mode);
    RULE(judge, judge->facts[INDICES].given && judge->facts[GROUP_INDEX].given, CLQ_ERROR_VALUE,
         "indices and group_index are both given: one of them must be NULL");
    RULE(judge, judge->facts[GROUP_INDEX].given && desc->mode != CLQ_DEQUANTIZE_MULTIPLY, CLQ_ERROR_VALUE,
         "mode is %" PRIu32 ": with group_index it must be CLQ_DEQUANTIZE_MULTIPLY (1)", desc->mode);
    RULE(judge, judge->facts[GROUP_INDEX].given && desc->block > 0, CLQ_ERROR_VALUE,
         "block is %" PRIu32 ": with group_index it must be 0", desc->block);
    RULE(judge, judge->facts[GROUP_INDEX].given && desc->block_before > 0, CLQ_ERROR_VALUE,
         "block_before is %" PRIu32 ": with group_index it must be 0", desc->block_before);
    RULE(judge, judge->facts[INDICES].given && desc->block_before > 0, CLQ_ERROR_VALUE,
         "block_before is %" PRIu32 ": with indices it must be 0", desc->block_before);
    RULE(judge, desc->block_all > 0 && !dynamic, CLQ_ERROR_VALUE,
         "block_all is %" PRIu32 ": it is for mode CLQ_DEQUANTIZE_DYNAMIC (2), and mode is %" PRIu32,
         desc->block_all, desc->mode);
    RULE(judge, desc->rotate != 0 && !dynamic, CLQ_ERROR_VALUE,
         "rotate is %" PRIu32 ": it must be 0 where mode is %" PRIu32
         ", for rows are turned with mode CLQ_DEQUANTIZE_DYNAMIC (2) alone",
         desc->rotate, desc->mode);
}

static void judge_global_scale(struct judge *judge)
{
    const struct facts *q = &judge->facts[Q], *scales = &judge->facts[SCALES];

    rule_global_scale(judge, GLOBAL_SCALE, CLQ_NVFP4);
    if (!judge->facts[GLOBAL_SCALE].given)
        return;
    RULE(judge, q->given && q->type != REFERENCE_E2M1, CLQ_ERROR_TYPE,
         "q.dtype is %s: with global_scale it must be float4_e2m1fn", reference_types[q->type].name);
    RULE(judge, scales->given && scales->type != REFERENCE_E4M3, CLQ_ERROR_TYPE,
         "scales.dtype is %s: with global_scale it must be float8_e4m3fn",
         reference_types[scales->type].name);
    RULE(judge, judge->facts[OFFSETS].given, CLQ_ERROR_VALUE,
         "offsets is given: with global_scale it must be NULL");
}

static void judge_parameters(struct judge *judge, const struct clq_dequantize_desc *desc)
{
    const int rank = judge->facts[Q].rank;
    const struct rows_rules rules = {.axis = desc->axis,
                                     .block = desc->block,
                                     .before = desc->block_before,
                                     .all = desc->block_all,
                                     .placed = judge->facts[INDICES].given};

    if (rule_blocks(judge, Q, SCALES, OFFSETS, 0, &rules)) {
        rule_rotate(judge, desc->rotate, 0, Y, Q);
        return;
    }
    if (!judge->facts[SCALES].given)
        return;
    if (desc->mode == CLQ_DEQUANTIZE_DYNAMIC) {
        rule_dynamic_parameters(judge, SCALES, OFFSETS, Q, &rules);
        if (rank > 0)
            rule_rotate(judge, desc->rotate, desc->block_before, Y, Q);
    } else if (judge->facts[INDICES].given) {
        rule_placed(
            judge, SCALES, ZERO_POINTS,
            &(struct placed_rules){
                .read = Q, .pieces = Y, .at = axis_meant(desc->axis, -2, rank), .block = desc->block});
    } else if (judge->facts[GROUP_INDEX].given) {
        rule_groups(judge, Q, SCALES, GROUP_INDEX);
        rule_group_zero_point(judge, ZERO_POINTS);
    } else {
        rule_parameters(judge, SCALES, ZERO_POINTS, Q, desc->axis, desc->block, desc->block_before);
    }
}

static struct entry_rules entries_of(const struct clq_dequantize_desc *desc)
{
    return (struct entry_rules){.cache = Q,
                                .pieces = Y,
                                .indices = INDICES,
                                .axis = desc->axis,
                                .rows = desc->mode == CLQ_DEQUANTIZE_DYNAMIC,
                                .out_of_range = desc->out_of_range,
                                .index_kind = desc->index_kind};
}

static void judge(struct judge *judge)
{
    const struct clq_dequantize_desc *desc = judge->desc;
    const struct entry_rules entries = entries_of(desc);
    const int before = judge->count;

    judge->ignores_report = !judge->facts[INDICES].given && !judge->facts[GROUP_INDEX].given;
    judge_numbers(judge, desc);
    judge_global_scale(judge);
    if (!reference_is_block(judge->facts[Q].type))
        RULE(judge, !judge->facts[SCALES].given, CLQ_ERROR_NULL, "scales is NULL: it must be a tensor");
    if (judge->facts[INDICES].given) {
        rule_entries(judge, &entries);
    } else {
        RULE(judge, desc->index_kind == 1, CLQ_ERROR_VALUE,
             "index_kind is CLQ_SLOTS (1): it must be CLQ_INDICES_BY_SHAPE (0) where indices is NULL");
        if (judge_has_shapes(judge))
            rule_same_shape(judge, Q, Y);
    }
    if (judge_has_shapes(judge) && (judge->count == before || !judge->facts[INDICES].given))
        judge_parameters(judge, desc);
}

static void judge_indices(struct judge *judge)
{
    const struct entry_rules entries = entries_of(judge->desc);

    if (judge->facts[INDICES].given)
        rule_entry_indices(judge, &entries);
    else if (judge->facts[GROUP_INDEX].given)
        rule_group_indices(judge, Q, GROUP_INDEX);
    else
        RULE(judge, true, CLQ_ERROR_NULL, "indices and group_index are NULL: there is nothing to read back");
}

static struct reference_report reference(const struct call *call)
{
    static const enum reference_undo undo[] = {[CLQ_DEQUANTIZE_DIVIDE] = REFERENCE_UNDO_DIVIDE,
                                               [CLQ_DEQUANTIZE_MULTIPLY] = REFERENCE_UNDO_MULTIPLY,
                                               [CLQ_DEQUANTIZE_DYNAMIC] = REFERENCE_UNDO_DYNAMIC};
    const struct clq_dequantize_desc *desc = (const void *)call->desc;
    const bool gathers = call->tensors[INDICES].name != NULL;
    const int axis = call_dimension(call, Q, desc->axis, gathers ? -2 : -1);
    struct reference_tensor as[7];

    return reference_dequantize(&(struct reference_dequantize_desc){
        .q = call_reference(call, Q, &as[0]),
        .scale = call_reference(call, SCALES, &as[1]),
        .zero_points =
            call_reference(call, desc->mode == CLQ_DEQUANTIZE_DYNAMIC ? OFFSETS : ZERO_POINTS, &as[2]),
        .indices = call_reference(call, INDICES, &as[3]),
        .group_index = call_reference(call, GROUP_INDEX, &as[4]),
        .global_scale = call_reference(call, GLOBAL_SCALE, &as[6]),
        .y = places_reference(call, Y, Q, axis, &as[5]),
        .axis = axis,
        .block = desc->block,
        .block_before = desc->block_before,
        .mode = undo[desc->mode],
        .rotate = desc->rotate,
        .range = places_range(desc->out_of_range),
        .slots = desc->index_kind == CLQ_SLOTS,
    });
}

#define AT(field) offsetof(struct clq_dequantize_desc, field)
OPERATOR_CHECK_INDICES(dequantize)
OPERATOR_ROW(dequantize, .src = TYPES_QUANTIZED | TYPES_BLOCK, .dst = TYPES_FLOAT,
             .operands = {{"q", TYPES_QUANTIZED | TYPES_BLOCK, OPERAND_READ, false, AT(q)},
                          {"scales", TYPES_SCALE, OPERAND_READ, true, AT(scales)},
                          {"zero_points", TYPES_FLOAT | TYPES_INTEGER, OPERAND_READ, true, AT(zero_points)},
                          {"offsets", TYPES_FLOAT | TYPES_INTEGER, OPERAND_READ, true, AT(offsets)},
                          {"indices", TYPES_INDEX, OPERAND_READ, true, AT(indices)},
                          {"group_index", TYPES_INDEX, OPERAND_READ, true, AT(group_index)},
                          {"global_scale", TYPE_SET(F32), OPERAND_READ, true, AT(global_scale)},
                          {"y", TYPES_FLOAT, OPERAND_WRITTEN, false, AT(y)}},
             .types = types_of, .judge = judge, OPERATOR_INDICES(judge_indices))

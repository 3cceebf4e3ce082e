/* SPDX-License-Identifier: Apache-2.0 */
/* clq_dynamic_quantize_scatter: rows, their scales and their offsets into caches. */
#include "dynamic.h"

#include "parameters.h"
#include "places.h"
#include "rows.h"

enum { INDICES, UPDATES, SMOOTH_SCALES, CACHE, CACHE_SCALES, CACHE_OFFSETS, GLOBAL_SCALE };

static void draw(struct call *call)
{
    struct clq_dynamic_quantize_scatter_desc *desc = (void *)call->desc;
    const enum reference_type type = call_type(call, WISH_DST, TYPES_CACHE | TYPES_BLOCK);
    const bool blocks = reference_is_block(type);
    const uint32_t in_word = 4 * (uint32_t)reference_in_byte(type);
    struct places p = places_random(call, INDICES, true, type, true);
    const struct tensor *cache = &call->tensors[CACHE];
    struct shape rows;

    desc->rotate = places_draw_rotate(call, &p, type);
    if (blocks) {
        shape_for_blocks(&p.cache);
        shape_for_blocks(&p.pieces);
    }
    desc->scale_rule = blocks ? 0 : rows_draw_rule(call, type);
    desc->symmetric = blocks ? 0 : desc->scale_rule > 0 ? 1 : rows_draw_symmetric(call, type);
    desc->axis = call_axis(call, p.d, p.cache.rank);
    desc->out_of_range = p.range;
    desc->index_kind = p.index_kind;
    desc->unique = p.unique;
    call_tensor_of(call, UPDATES, call_type(call, WISH_SRC, TYPES_FLOAT), &p.pieces, TENSOR_INPUT);
    places_leave_out(call, UPDATES, &p);
    call_tensor_of(call, CACHE, type, &p.cache, TENSOR_OUTPUT);
    desc->block = blocks ? 32 * (uint32_t)rng_below(&call->rng, 2)
                         : rows_draw_block(call, CACHE, &p.cache, desc->rotate);
    if (in_word > 4 && cache->dl.dtype.lanes == in_word && cache->strides[p.cache.rank - 1] != 1)
        desc->block = in_word * (uint32_t)rng_below(&call->rng, p.cache.size[p.cache.rank - 1] / in_word + 1);
    rows = parameters_rows_shape(&p.cache, p.cache.rank - 1, rows_block_of(desc->scale_rule, desc->block), 0);
    if (!blocks)
        rows_draw_found(call, CACHE_SCALES, desc->symmetric ? -1 : CACHE_OFFSETS, desc->scale_rule, &rows);
    rows_draw_global_scale(call, GLOBAL_SCALE, desc->scale_rule);
    rows_draw_smooth(call, SMOOTH_SCALES, p.pieces.size[p.pieces.rank - 1]);
    call_report(call);
}

static struct entry_rules entries_of(const struct clq_dynamic_quantize_scatter_desc *desc)
{
    return (struct entry_rules){.cache = CACHE,
                                .pieces = UPDATES,
                                .indices = INDICES,
                                .axis = desc->axis,
                                .rows = true,
                                .out_of_range = desc->out_of_range,
                                .index_kind = desc->index_kind,
                                .unique = desc->unique,
                                .written = true};
}

static void judge(struct judge *judge)
{
    const struct clq_dynamic_quantize_scatter_desc *desc = judge->desc;
    const struct entry_rules entries = entries_of(desc);
    const struct rows_rules rules = {
        .block = rows_block_of(desc->scale_rule, desc->block), .written = true, .rule = desc->scale_rule};

    rule_scale_rule(judge, CACHE, 0.0f, &rules);
    rule_global_scale(judge, GLOBAL_SCALE, desc->scale_rule);
    rule_inserted(judge, &entries);
    rule_dynamic(judge, UPDATES, SMOOTH_SCALES, CACHE, CACHE_SCALES, CACHE_OFFSETS, desc->symmetric, &rules);
    rule_rotate(judge, desc->rotate, 0, UPDATES, CACHE);
    rule_entries(judge, &entries);
}

static void judge_indices(struct judge *judge)
{
    const struct entry_rules entries = entries_of(judge->desc);

    rule_entry_indices(judge, &entries);
}

static struct reference_report reference(const struct call *call)
{
    const struct clq_dynamic_quantize_scatter_desc *desc = (const void *)call->desc;
    const int axis = call_dimension(call, CACHE, desc->axis, -2);
    struct reference_tensor as[7];

    return reference_dynamic_quantize_scatter(&(struct reference_dynamic_quantize_scatter_desc){
        .cache = call_reference(call, CACHE, &as[0]),
        .cache_scale = call_reference(call, CACHE_SCALES, &as[1]),
        .cache_offset = call_reference(call, CACHE_OFFSETS, &as[2]),
        .indices = call_reference(call, INDICES, &as[3]),
        .updates = places_reference(call, UPDATES, CACHE, axis, &as[4]),
        .smooth_scale = call_reference(call, SMOOTH_SCALES, &as[5]),
        .axis = axis,
        .symmetric = desc->symmetric != 0,
        .rotate = desc->rotate,
        .how = rows_rule(call),
        .global_scale = call_reference(call, GLOBAL_SCALE, &as[6]),
        .block = rows_block_of(desc->scale_rule, desc->block),
        .range = places_range(desc->out_of_range),
        .slots = desc->index_kind == CLQ_SLOTS,
    });
}

static unsigned types_of(const struct call *call, int t)
{
    const struct clq_dynamic_quantize_scatter_desc *desc = (const void *)call->desc;

    return t == CACHE_SCALES ? rows_scale_types(desc->scale_rule) : call->op->operands[t].types;
}

#define AT(field) offsetof(struct clq_dynamic_quantize_scatter_desc, field)
OPERATOR_CHECK_INDICES(dynamic_quantize_scatter)
OPERATOR_ROW(dynamic_quantize_scatter, .src = TYPES_FLOAT, .dst = TYPES_CACHE | TYPES_BLOCK,
             .operands = {{"indices", TYPES_INDEX, OPERAND_READ, false, AT(indices)},
                          {"updates", TYPES_FLOAT, OPERAND_READ, false, AT(updates)},
                          {"smooth_scales", TYPES_FLOAT, OPERAND_READ, true, AT(smooth_scales)},
                          {"cache", TYPES_CACHE | TYPES_BLOCK, OPERAND_WRITTEN, false, AT(cache)},
                          {"cache_scales", TYPES_SCALE, OPERAND_WRITTEN, true, AT(cache_scales)},
                          {"cache_offsets", TYPES_FLOAT, OPERAND_WRITTEN, true, AT(cache_offsets)},
                          {"global_scale", TYPE_SET(F32), OPERAND_READ, true, AT(global_scale)}},
             .types = types_of, .judge = judge, OPERATOR_INDICES(judge_indices))

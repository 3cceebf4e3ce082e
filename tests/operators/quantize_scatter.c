/* SPDX-License-Identifier: Apache-2.0 */
/* clq_quantize_scatter: quantized entries into a cache, in place or into a copy of another. */
#include "parameters.h"
#include "places.h"

enum { INPUT, INDICES, UPDATES, SCALES, ZERO_POINTS, CACHE };

/* Of the cache's lanes. */
static void draw_input(struct call *call, const struct tensor *cache, const struct shape *shape)
{
    struct tensor *input = call_tensor_of(call, INPUT, cache->type, shape, TENSOR_INPUT);

    while (input->dl.dtype.lanes != cache->dl.dtype.lanes) {
        tensor_clear(input);
        call_tensor_of(call, INPUT, cache->type, shape, TENSOR_INPUT);
    }
}

static void draw(struct call *call)
{
    struct clq_quantize_scatter_desc *desc = (void *)call->desc;
    const enum reference_type type = call_type(call, WISH_DST, TYPES_CACHE);
    const struct places p = places_random(call, INDICES, reference_shares_bytes(type, 1), type, true);
    const int last = p.pieces.rank - 1;
    const uint32_t block = p.d == last ? 0 : parameters_block(call, p.pieces.size[last]);
    const struct shape scales = parameters_placed_shape(call, &p.pieces, p.d, block),
                       zero_points = parameters_placed_shape(call, &p.pieces, p.d,
                                                             rng_once_in(&call->rng, 2) ? block : 0);

    call_tensor_of(call, CACHE, type, &p.cache, TENSOR_OUTPUT);
    call_tensor_of(call, UPDATES, call_type(call, WISH_SRC, TYPES_FLOAT), &p.pieces, TENSOR_INPUT);
    places_leave_out(call, UPDATES, &p);
    call_tensor(call, SCALES, &scales, TENSOR_INPUT);
    if (!rng_once_in(&call->rng, 3))
        call_tensor(call, ZERO_POINTS, &zero_points, TENSOR_INPUT);
    if (rng_once_in(&call->rng, 4))
        draw_input(call, &call->tensors[CACHE], &p.cache);
    call_report(call);
    desc->mode = call_mode(call);
    desc->axis = call_axis(call, p.d, p.cache.rank);
    desc->out_of_range = p.range;
    desc->index_kind = p.index_kind;
    desc->unique = p.unique;
    desc->block = block;
    desc->round_first = call_round_first(call, CACHE);
}

/* The input is of the cache's type. */
static unsigned types_of(const struct call *call, int t)
{
    const DLDataType dtype = call->tensors[CACHE].dl.dtype;

    for (int type = 0; type < REFERENCE_TYPES && t == INPUT && call->tensors[CACHE].name != NULL; type++)
        if ((TYPES_CACHE >> type & 1) && reference_types[type].dlpack_code == dtype.code &&
            reference_types[type].bits == dtype.bits)
            return 1u << type;
    return operator_quantize_scatter.operands[t].types;
}

static struct entry_rules entries_of(const struct clq_quantize_scatter_desc *desc)
{
    return (struct entry_rules){.cache = CACHE,
                                .pieces = UPDATES,
                                .indices = INDICES,
                                .axis = desc->axis,
                                .out_of_range = desc->out_of_range,
                                .index_kind = desc->index_kind,
                                .unique = desc->unique,
                                .written = true};
}

static void judge(struct judge *judge)
{
    const struct clq_quantize_scatter_desc *desc = judge->desc;
    const struct facts *input = &judge->facts[INPUT], *cache = &judge->facts[CACHE];
    const struct entry_rules entries = entries_of(desc);
    const int before = judge->count;

    rule_round_first(judge, CACHE, desc->round_first);
    rule_entries(judge, &entries);
    if (!judge_has_shapes(judge) || judge->count > before)
        return;
    rule_placed(judge, SCALES, ZERO_POINTS,
                &(struct placed_rules){.read = UPDATES,
                                       .pieces = UPDATES,
                                       .at = axis_meant(desc->axis, -2, cache->rank),
                                       .block = desc->block});
    if (!input->given)
        return;
    rule_same_shape(judge, INPUT, CACHE);
    RULE(judge, input->lanes != cache->lanes, CLQ_ERROR_TYPE,
         "input.dtype has %d lanes: it must have those of cache, %d", input->lanes, cache->lanes);
}

static void judge_indices(struct judge *judge)
{
    const struct entry_rules entries = entries_of(judge->desc);

    rule_entry_indices(judge, &entries);
}

static bool copy(const struct call *call)
{
    struct reference_tensor as[2];
    const struct reference_tensor *input = call_reference(call, INPUT, &as[0]);

    if (input != NULL)
        reference_copy(input, call_reference(call, CACHE, &as[1]));
    return input != NULL;
}

static struct reference_report reference(const struct call *call)
{
    const struct clq_quantize_scatter_desc *desc = (const void *)call->desc;
    const int axis = call_dimension(call, CACHE, desc->axis, -2);
    struct reference_tensor as[5];

    copy(call);
    return reference_quantize_scatter(&(struct reference_quantize_scatter_desc){
        .cache = call_reference(call, CACHE, &as[0]),
        .indices = call_reference(call, INDICES, &as[1]),
        .updates = places_reference(call, UPDATES, CACHE, axis, &as[2]),
        .scales = call_reference(call, SCALES, &as[3]),
        .zero_points = call_reference(call, ZERO_POINTS, &as[4]),
        .axis = axis,
        .block = desc->block,
        .multiply = desc->mode == CLQ_MULTIPLY,
        .round_first = desc->round_first != 0,
        .range = places_range(desc->out_of_range),
        .slots = desc->index_kind == CLQ_SLOTS,
    });
}

#define AT(field) offsetof(struct clq_quantize_scatter_desc, field)
OPERATOR_CHECK_INDICES(quantize_scatter)
OPERATOR_ROW(quantize_scatter, .src = TYPES_FLOAT, .dst = TYPES_CACHE,
             .operands = {{"input", TYPES_CACHE, OPERAND_READ, true, AT(input)},
                          {"indices", TYPES_INDEX, OPERAND_READ, false, AT(indices)},
                          {"updates", TYPES_FLOAT, OPERAND_READ, false, AT(updates)},
                          {"scales", TYPES_SCALE, OPERAND_READ, false, AT(scales)},
                          {"zero_points", TYPES_FLOAT | TYPES_INTEGER, OPERAND_READ, true, AT(zero_points)},
                          {"cache", TYPES_CACHE, OPERAND_WRITTEN, false, AT(cache)}},
             .types = types_of, .judge = judge, OPERATOR_INDICES(judge_indices), .copy = copy)

/* SPDX-License-Identifier: Apache-2.0 */
#include "rows.h"

#include "parameters.h"

#include <inttypes.h>
#include <math.h>

void rows_draw_smooth(struct call *call, int t, int64_t elements)
{
    const struct shape shape = call_flat_shape(call, elements, false);

    if (call->wish.smooth >= 0 ? call->wish.smooth != 0 : rng_once_in(&call->rng, 2))
        call_tensor(call, t, &shape, TENSOR_INPUT);
}

void rows_draw_found(struct call *call, int scales, int offsets, uint32_t rule, const struct shape *shape)
{
    call_tensor_of(call, scales, call_type(call, WISH_NONE, rows_scale_types(rule)), shape, TENSOR_OUTPUT);
    if (offsets >= 0)
        call_tensor_of(call, offsets, call->tensors[scales].type, shape, TENSOR_OUTPUT);
}

uint32_t rows_draw_block(struct call *call, int t, const struct shape *shape, uint32_t rotate)
{
    const struct tensor *tensor = &call->tensors[t];
    const int last = shape->rank - 1;
    uint32_t block = parameters_block(call, shape->size[last]);

    if (rotate > 0 && (call->wish.rotate == 1 || rng_once_in(&call->rng, 2)))
        block = rotate * (block > 0 ? (uint32_t)rng_below(&call->rng, shape->size[last] / rotate + 2) : 0);
    return block - block % (uint32_t)reference_in_byte(tensor->type);
}

void rule_words(struct judge *judge, int rows, int at, const struct rows_rules *rules)
{
    const struct facts *y = &judge->facts[rows];
    const int last = y->rank - 1;
    const uint32_t in_byte = (uint32_t)reference_in_byte(y->type), in_word = 4 * in_byte;
    const bool words = (uint32_t)y->lanes == in_word && y->stride[last] != 1 && y->size[last] > in_word,
               across = at != last && rules->rule != 0,
               gaps = words && (across || ((rules->written || rules->rule != 0) &&
                                           y->size[at] > rules->block && rules->block % in_byte == 0));

    if (!reference_shares_bytes(y->type, 1) || (at != last && !across))
        return;
    RULE(judge, across ? gaps : rules->block % (gaps ? in_word : in_byte) != 0, CLQ_ERROR_VALUE,
         across ? "block is %" PRIu32
                  ": off the last dimension of %s there must be none with scale_rule, for its "
                  "words do not follow one another"
                : "block is %" PRIu32 ": along the last dimension of %s it must be a multiple of %" PRIu32
                  "%s",
         rules->block, reference_types[y->type].name, gaps ? in_word : in_byte,
         gaps ? ", for its words do not follow one another" : "");
}

uint32_t rows_draw_rule(struct call *call, enum reference_type type)
{
    if (!(TYPES_MX >> type & 1) || (call->wish.rule >= 0 ? call->wish.rule == 0 : rng_once_in(&call->rng, 2)))
        return 0;
    /* amid the magnitudes of blocks, below them and far above; documented calls have no such field */
    if (call->op->options_of == NULL && rng_once_in(&call->rng, 3))
        *(float *)operator_field(call->op, call->desc, "least") =
            ldexpf(1.0f + 0.125f * (float)rng_below(&call->rng, 8), (int)rng_below(&call->rng, 24) - 18);
    return 1 + (uint32_t)rng_below(&call->rng, TYPES_NVFP4 >> type & 1 ? CLQ_NVFP4 : CLQ_MX_RCEIL);
}

uint32_t rows_block_of(uint32_t rule, uint32_t block)
{
    return rule == 0 || block > 0 ? block : rule == CLQ_NVFP4 ? 16 : 32;
}

struct reference_rule rows_rule(const struct call *call)
{
    struct call copy = *call;

    return (struct reference_rule){(int)*(uint32_t *)operator_field(call->op, copy.desc, "scale_rule"),
                                   *(float *)operator_field(call->op, copy.desc, "least")};
}

unsigned rows_scale_types(uint32_t rule)
{
    return rule == 0           ? TYPES_FLOAT
           : rule == CLQ_NVFP4 ? TYPE_SET(E4M3)
           : rule < CLQ_NVFP4  ? TYPE_SET(E8M0)
                               : TYPES_SCALE;
}

void rule_scale_rule(struct judge *judge, int y, float type_max, const struct rows_rules *rules)
{
    const unsigned types = rules->rule == CLQ_NVFP4 ? TYPES_NVFP4 : TYPES_MX;
    const enum reference_type type = judge->facts[y].type;
    const float least = rows_rule(judge->call).least;
    char names[JUDGE_TYPES_TEXT];

    RULE(judge, rules->rule == 0 && least != 0.0f, CLQ_ERROR_VALUE,
         "least is %g: it must be 0 but with scale_rule", (double)least);
    if (rules->rule == 0 || !judge->facts[y].given)
        return;
    RULE(judge, rules->rule <= CLQ_NVFP4 && !(types >> type & 1), CLQ_ERROR_TYPE,
         "%s.dtype is %s: with scale_rule %" PRIu32 " it must be %s", judge_name(judge, y),
         reference_types[type].name, rules->rule, judge_types_text(types, names));
    RULE(judge, rules->all != 0, CLQ_ERROR_VALUE,
         "block_all is %" PRIu32 ": with scale_rule it must be 0, for its scales are of blocks", rules->all);
    RULE(judge, rules->before != 0, CLQ_ERROR_VALUE,
         "block_before is %" PRIu32 ": with scale_rule it must be 0", rules->before);
    RULE(judge, rules->groups, CLQ_ERROR_VALUE, "group_index is given: with scale_rule it must be NULL");
    RULE(judge, type_max != 0.0f, CLQ_ERROR_VALUE,
         "type_max is %g: with scale_rule it must be 0, for the rule says the scale", (double)type_max);
}

void rows_draw_global_scale(struct call *call, int t, uint32_t rule)
{
    const struct shape one = call_flat_shape(call, 1, false);

    if (rule == CLQ_NVFP4 && rng_once_in(&call->rng, 2))
        call_tensor(call, t, &one, TENSOR_INPUT);
}

void rule_global_scale(struct judge *judge, int t, uint32_t rule)
{
    const struct facts *global_scale = &judge->facts[t];

    if (!global_scale->given)
        return;
    RULE(judge, rule != CLQ_NVFP4, CLQ_ERROR_VALUE,
         "global_scale is given: it must be NULL but with scale_rule CLQ_NVFP4 (5)");
    RULE(judge, global_scale->elements != 1, CLQ_ERROR_SHAPE,
         "global_scale has %" PRId64 " elements: it must have 1", (int64_t)global_scale->elements);
}

uint32_t rows_draw_before(struct call *call, const struct shape *shape, int d, uint32_t block,
                          uint32_t rotate)
{
    return rotate > 0 && shape->rank == 8 ? 0 : parameters_before(call, shape, d, block);
}

void rule_rotate(struct judge *judge, uint32_t rotate, uint32_t before, int t, int y)
{
    const struct facts *rows = &judge->facts[t], *stored = &judge->facts[y];
    const int last = rows->rank - 1;
    const bool right = rotate == 0 || (rotate >= 2 && rotate <= 1024 && __builtin_popcount(rotate) == 1);

    RULE(judge, right && rotate > 0 && rotate < 32 && stored->given && reference_is_block(stored->type),
         CLQ_ERROR_VALUE,
         "rotate is %" PRIu32 ": it must be 0, or a power of two from 32 to 1024, where %s.dtype is %s, "
         "whose blocks have 32 elements",
         rotate, judge_name(judge, y), reference_types[stored->type].name);
    if (judge_has_shapes(judge) && right && rotate > 0)
        RULE(judge, before > 0 && rows->rank == 8, CLQ_ERROR_RANK,
             "%s.ndim is 8: with rotate and block_before it must be at most 7", judge_name(judge, t));
    if (judge_has_shapes(judge) && right && rotate > 0 && rows->rank > 0)
        RULE(judge, rows->size[last] % rotate != 0, CLQ_ERROR_SHAPE,
             "rotate is %" PRIu32 ": it must divide %s.shape[%d], %" PRId64
             ", for a row is turned in whole blocks",
             rotate, judge_name(judge, t), last, (int64_t)rows->size[last]);
}

uint32_t rows_draw_symmetric(struct call *call, enum reference_type type)
{
    const struct reference_type_row *row = &reference_types[type];

    return row->minmax_steps == 0.0f || (row->lowest < 0 && rng_once_in(&call->rng, 2));
}

bool rule_blocks(struct judge *judge, int y, int scales, int offsets, uint32_t symmetric,
                 const struct rows_rules *rules)
{
    const struct facts *facts = &judge->facts[y];
    const char *name = judge_name(judge, y), *type = reference_types[facts->type].name;
    const int beside[] = {scales, offsets};
    char axis[64];

    if (!facts->given || !reference_is_block(facts->type))
        return false;
    for (int i = 0; i < 2; i++)
        RULE(judge, judge->facts[beside[i]].given, CLQ_ERROR_VALUE,
             "%s is given: it must be NULL where %s.dtype is %s, whose blocks carry their scales",
             judge_name(judge, beside[i]), name, type);
    RULE(judge, rules->groups, CLQ_ERROR_VALUE, "group_index is given: it must be NULL where %s.dtype is %s",
         name, type);
    RULE(judge, symmetric != 0, CLQ_ERROR_VALUE,
         "symmetric is %" PRIu32 ": it must be 0 where %s.dtype is %s, whose blocks say it themselves",
         symmetric, name, type);
    RULE(judge, rules->all != 0, CLQ_ERROR_VALUE,
         "block_all is %" PRIu32 ": it must be 0 where %s.dtype is %s", rules->all, name, type);
    RULE(judge, rules->before != 0, CLQ_ERROR_VALUE,
         "block_before is %" PRIu32 ": it must be 0 where %s.dtype is %s", rules->before, name, type);
    RULE(judge, rules->block != 0 && rules->block != 32, CLQ_ERROR_VALUE,
         "block is %" PRIu32 ": it must be 0 or 32 where %s.dtype is %s", rules->block, name, type);
    RULE(judge, !rules->placed && axis_meant(rules->axis, -1, facts->rank) != facts->rank - 1,
         CLQ_ERROR_VALUE, "%s: it must be the last where %s.dtype is %s", axis_text(rules->axis, -1, axis),
         name, type);
    return true;
}

/* Scales and offsets of their own. */
static void rule_found_beside(struct judge *judge, int y, int scales, int offsets, uint32_t symmetric)
{
    const enum reference_type type = judge->facts[y].type;

    RULE(judge, !judge->facts[scales].given, CLQ_ERROR_NULL, "%s is NULL: it must be a tensor",
         judge_name(judge, scales));
    RULE(judge, symmetric == 1 && reference_types[type].lowest == 0, CLQ_ERROR_VALUE,
         "symmetric is 1: it must be 0 where %s.dtype is %s, whose range begins at 0", judge_name(judge, y),
         reference_types[type].name);
    RULE(judge, symmetric == 0 && (TYPES_SMALL >> type & 1), CLQ_ERROR_VALUE,
         "symmetric is 0: it must be 1 where %s.dtype is %s, which has no offset", judge_name(judge, y),
         reference_types[type].name);
    RULE(judge, symmetric == 1 && judge->facts[offsets].given, CLQ_ERROR_VALUE,
         "%s is given: it must be NULL where symmetric is 1", judge_name(judge, offsets));
    RULE(judge, symmetric == 0 && !judge->facts[offsets].given, CLQ_ERROR_NULL,
         "%s is NULL: it must be a tensor", judge_name(judge, offsets));
    RULE(judge, judge->facts[offsets].given && judge->facts[offsets].type != judge->facts[scales].type,
         CLQ_ERROR_TYPE, "%s.dtype is %s: it must be that of %s, %s", judge_name(judge, offsets),
         reference_types[judge->facts[offsets].type].name, judge_name(judge, scales),
         reference_types[judge->facts[scales].type].name);
}

void rule_dynamic(struct judge *judge, int x, int smooth, int y, int scales, int offsets, uint32_t symmetric,
                  const struct rows_rules *rules)
{
    const struct facts *rows = &judge->facts[x], *s = &judge->facts[smooth];
    const int last = rows->rank - 1, before = judge->count;
    const bool blocks = rule_blocks(judge, y, scales, offsets, symmetric, rules);

    if (!blocks)
        rule_found_beside(judge, y, scales, offsets, symmetric);
    if (!judge_has_shapes(judge) || judge->count > before)
        return;
    RULE(judge, rows->rank == 0, CLQ_ERROR_RANK, "%s.ndim is 0: it must be from 1 to 8",
         judge_name(judge, x));
    if (rows->rank > 0)
        RULE(judge, rows->size[last] == 0, CLQ_ERROR_SHAPE,
             "%s.shape[%d] is 0: a row must have at least one element", judge_name(judge, x), last);
    RULE(judge, rows->rank != judge->facts[y].rank, CLQ_ERROR_RANK,
         "%s.ndim is %d: it must be the rank of %s, %d", judge_name(judge, y), judge->facts[y].rank,
         judge_name(judge, x), rows->rank);
    if (rows->rank == 0 || rows->rank != judge->facts[y].rank)
        return;
    rule_same_size(judge, y, x, last);
    if (!blocks)
        rule_dynamic_parameters(judge, scales, offsets, y, rules);
    if (s->given && !rules->groups)
        RULE(judge, s->elements != rows->size[last], CLQ_ERROR_SHAPE,
             "%s has %" PRId64 " elements: it must have one per element of a row, %" PRId64
             " as %s.shape[%d]",
             judge_name(judge, smooth), (int64_t)s->elements, (int64_t)rows->size[last], judge_name(judge, x),
             last);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The rules that several operators share: what their tensors' shapes have to do with each other. */
#include "judge.h"

#include <inttypes.h>
#include <stdio.h>

int axis_meant(int32_t axis, int left_out, int rank)
{
    const int64_t meant = axis == 0 ? left_out : axis;

    if (axis == CLQ_AXIS_FIRST)
        return 0;
    return (int)(meant < 0 ? meant + rank : meant);
}

const char *axis_text(int32_t axis, int left_out, char text[64])
{
    if (axis == CLQ_AXIS_FIRST)
        snprintf(text, 64, "axis is 0 (CLQ_AXIS_FIRST)");
    else if (axis == 0)
        snprintf(text, 64, "axis is left out, which means %d", left_out);
    else
        snprintf(text, 64, "axis is %" PRId32, axis);
    return text;
}

void rule_round_first(struct judge *judge, int y, uint32_t round_first)
{
    RULE(judge, judge->facts[y].given && round_first == 1 && (TYPES_SMALL >> judge->facts[y].type & 1),
         CLQ_ERROR_VALUE, "round_first is 1: it must be 0 where %s.dtype is %s, which is not whole",
         judge_name(judge, y), reference_types[judge->facts[y].type].name);
}

void rule_same_size(struct judge *judge, int y, int x, int d)
{
    const struct facts *a = &judge->facts[y], *b = &judge->facts[x];
    static const char *const shares[] = {[1] = "",
                                         [2] = "a half of ",
                                         [4] = "a quarter of ",
                                         [8] = "an eighth of ",
                                         [16] = "a sixteenth of ",
                                         [32] = "a thirty-second of "};
    const int lanes = d == a->rank - 1 ? a->lanes : 1;
    char of[64] = "";

    if (lanes > 1)
        snprintf(of, sizeof of, ", of %d %s elements each", lanes, reference_types[a->type].name);
    RULE(judge, a->size[d] != b->size[d], CLQ_ERROR_SHAPE,
         "%s.shape[%d] is %" PRId64 "%s: it must be %s%s.shape[%d], %" PRId64, judge_name(judge, y), d,
         (int64_t)a->stored[d], of, shares[lanes], judge_name(judge, x), d, (int64_t)b->size[d]);
}

static bool rule_same_rank(struct judge *judge, int y, int x)
{
    const struct facts *a = &judge->facts[y], *b = &judge->facts[x];

    RULE(judge, a->rank != b->rank, CLQ_ERROR_RANK, "%s.ndim is %d: it must be the rank of %s, %d",
         judge_name(judge, y), a->rank, judge_name(judge, x), b->rank);
    return a->rank == b->rank;
}

void rule_same_shape(struct judge *judge, int y, int x)
{
    for (int d = 0; rule_same_rank(judge, y, x) && d < judge->facts[y].rank; d++)
        rule_same_size(judge, y, x, d);
}

/* Whether entries along dimension d alone would fit. */
static bool fits_along(const struct facts *cache, const struct facts *pieces, int d)
{
    for (int other = 1; other < cache->rank; other++)
        if (other != d && cache->size[other] != pieces->size[other])
            return false;
    return pieces->size[d] <= cache->size[d];
}

static const char *side_of(const struct entry_rules *rules)
{
    return rules->side != NULL ? rules->side : "";
}

static void rule_entry_shape(struct judge *judge, const struct entry_rules *rules, int at)
{
    const struct facts *cache = &judge->facts[rules->cache], *pieces = &judge->facts[rules->pieces];
    const char *name = judge_name(judge, rules->pieces), *cache_name = judge_name(judge, rules->cache);

    for (int d = 1; d < pieces->rank; d++) {
        char text[64] = "";

        if (d == at) {
            RULE(judge, pieces->size[d] > cache->size[d], CLQ_ERROR_SHAPE,
                 "%s.shape[%d] is %" PRId64 ": it must be at most %s.shape[%d], %" PRId64, name, d,
                 (int64_t)pieces->size[d], cache_name, d, (int64_t)cache->size[d]);
            continue;
        }
        if (cache->lanes > 1 && d == cache->rank - 1) {
            rule_same_size(judge, rules->cache, rules->pieces, d);
            continue;
        }
        if (fits_along(cache, pieces, d))
            snprintf(text, sizeof text, "; is axis %d meant?", d);
        RULE(judge, pieces->size[d] != cache->size[d], CLQ_ERROR_SHAPE,
             "%s.shape[%d] is %" PRId64 ": it must be %s.shape[%d], %" PRId64
             ", for axis is %d, where alone an entry may be shorter than the cache%s",
             name, d, (int64_t)pieces->size[d], cache_name, d, (int64_t)cache->size[d], at, text);
    }
}

static void rule_indices(struct judge *judge, const struct entry_rules *rules)
{
    const struct facts *cache = &judge->facts[rules->cache], *pieces = &judge->facts[rules->pieces],
                       *indices = &judge->facts[rules->indices];
    const char *name = judge_name(judge, rules->indices);
    const bool slots = rules->index_kind == 1;

    if (slots)
        RULE(judge, indices->rank != 1, CLQ_ERROR_RANK,
             "%s.ndim is %d: with %sindex_kind CLQ_SLOTS (1) it must be 1", name, indices->rank,
             side_of(rules));
    RULE(judge, indices->rank != 1 && indices->rank != 2, CLQ_ERROR_RANK, "%s.ndim is %d: it must be 1 or 2",
         name, indices->rank);
    if (indices->rank != 1 && indices->rank != 2)
        return;
    if (indices->rank == 2)
        RULE(judge, indices->size[1] != 2, CLQ_ERROR_SHAPE,
             "%s.shape[1] is %" PRId64 ": it must be 2, a batch and a start", name,
             (int64_t)indices->size[1]);
    RULE(judge, indices->size[0] != pieces->size[0], CLQ_ERROR_SHAPE,
         "%s.shape[0] is %" PRId64 ": it must be %s.shape[0], %" PRId64, name, (int64_t)indices->size[0],
         judge_name(judge, rules->pieces), (int64_t)pieces->size[0]);
    if (indices->rank == 1 && !slots)
        RULE(judge, indices->size[0] > cache->size[0], CLQ_ERROR_SHAPE,
             "%s.shape[0] is %" PRId64 ": with 1-D indices it must be at most %s.shape[0], %" PRId64, name,
             (int64_t)indices->size[0], judge_name(judge, rules->cache), (int64_t)cache->size[0]);
    if ((indices->rank == 2 || slots) && rules->written)
        RULE(judge, rules->unique == 0 && indices->size[0] >= UINT32_MAX, CLQ_ERROR_SHAPE,
             "%s.shape[0] is %" PRId64
             ": it must be at most 4294967294 where unique is 0, for the last entry "
             "of a place is kept in 32 bits",
             name, (int64_t)indices->size[0]);
}

/* The axes that are allowed, counted from both ends. */
static const char *axes_text(int rank, int end, char text[64])
{
    if (end == 2)
        snprintf(text, 64, "1 or %d", 1 - rank);
    else
        snprintf(text, 64, "from 1 to %d or from %d to %d", end - 1, 1 - rank, end - 1 - rank);
    return text;
}

/* Starts along a whole axis that was left out. */
static void rule_chosen_axis(struct judge *judge, const struct entry_rules *rules, int at)
{
    const struct facts *cache = &judge->facts[rules->cache], *pieces = &judge->facts[rules->pieces],
                       *indices = &judge->facts[rules->indices];

    if (at < 1 || at >= cache->rank || rules->axis != 0 || rules->between)
        return;
    RULE(judge,
         rules->index_kind != 1 && indices->rank == 1 && pieces->size[at] == cache->size[at] &&
             cache->elements > 0,
         CLQ_ERROR_AXIS,
         "axis is left out, which means -2, and %s.shape[%d] is all of %s.shape[%d], %" PRId64
         ", so that an entry can start at 0 alone: give axis; a cache of which indices count the first "
         "dimension "
         "(CLQ_AXIS_FIRST) is taken as [1, %" PRId64 ", ..] with index_kind CLQ_SLOTS (1)",
         judge_name(judge, rules->pieces), at, judge_name(judge, rules->cache), at, (int64_t)cache->size[at],
         (int64_t)cache->size[0]);
}

void rule_inserted(struct judge *judge, const struct entry_rules *rules)
{
    const struct facts *cache = &judge->facts[rules->cache];
    struct facts *pieces = &judge->facts[rules->pieces];
    const int rank = cache->rank, at = axis_meant(rules->axis, -2, rank);
    const bool whole = rules->rows || reference_shares_bytes(cache->type, 1);

    if (!judge_has_shapes(judge) || rules->index_kind != 1 || pieces->rank != rank - 1 || at < 1 ||
        at >= rank - whole)
        return;
    for (int d = 1; d < rank - 1; d++)
        if (pieces->size[d] != cache->size[d < at ? d : d + 1])
            return;
    for (int d = rank - 1; d > at; d--) {
        pieces->size[d] = pieces->size[d - 1];
        pieces->stored[d] = pieces->stored[d - 1];
        pieces->stride[d] = pieces->stride[d - 1];
    }
    pieces->size[at] = pieces->stored[at] = 1;
    pieces->stride[at] = 0;
    pieces->rank = rank;
}

void rule_entries(struct judge *judge, const struct entry_rules *rules)
{
    const struct facts *cache = &judge->facts[rules->cache];
    const int rank = cache->rank, before = judge->count,
              least = rules->least > 0 ? rules->least
                      : rules->rows    ? 3
                                       : 2;
    const bool whole = rules->rows || reference_shares_bytes(cache->type, 1);
    const int end = rank - whole, at = axis_meant(rules->axis, -2, rank);
    const char *name = judge_name(judge, rules->cache);
    char text[64], axes[64];

    rule_inserted(judge, rules);
    RULE(judge, rules->side == NULL && rules->index_kind == 1 && rules->out_of_range != 0, CLQ_ERROR_VALUE,
         "out_of_range is %" PRIu32 ": with index_kind CLQ_SLOTS (1) it must be CLQ_DROP (0)",
         rules->out_of_range);
    if (!judge_has_shapes(judge))
        return;
    RULE(judge, rank < least, CLQ_ERROR_RANK, "%s.ndim is %d: it must be from %d to 8", name, rank, least);
    if (!rules->between)
        rule_same_rank(judge, rules->pieces, rules->cache);
    if (rank >= least)
        RULE(judge, end < 2, CLQ_ERROR_RANK,
             "%s.ndim is %d: it must be at least 3, for entries are placed along a dimension that is neither "
             "the first nor the last",
             name, rank);
    if (judge->count > before)
        return;
    RULE(judge, at < 1 || at >= end, CLQ_ERROR_AXIS,
         "%s: it must be %s, any of the %d dimensions of %s but the first%s",
         axis_text(rules->axis, -2, text), axes_text(rank, end, axes), rank, name,
         whole ? " and the last" : "");
    if (at >= 1 && at < end) {
        const struct facts *pieces = &judge->facts[rules->pieces];

        rule_entry_shape(judge, rules, at);
        RULE(judge, rules->index_kind == 1 && pieces->size[at] != 1, CLQ_ERROR_SHAPE,
             "%s.shape[%d] is %" PRId64
             ": with %sindex_kind CLQ_SLOTS (1) it must be 1, for a slot is one position",
             judge_name(judge, rules->pieces), at, (int64_t)pieces->size[at], side_of(rules));
    }
    rule_indices(judge, rules);
    rule_chosen_axis(judge, rules, at);
}

void rule_group_zero_point(struct judge *judge, int zero_points)
{
    const struct facts *zero = &judge->facts[zero_points];

    if (zero->given)
        RULE(judge, zero->elements != 1, CLQ_ERROR_SHAPE, "%s has %" PRId64 " elements: it must have 1",
             judge_name(judge, zero_points), (int64_t)zero->elements);
}

void rule_groups(struct judge *judge, int x, int scales, int ends)
{
    const struct facts *rows = &judge->facts[x], *scale = &judge->facts[scales], *end = &judge->facts[ends];
    const char *scales_name = judge_name(judge, scales), *ends_name = judge_name(judge, ends);
    const int before = judge->count;

    RULE(judge, rows->rank != 2, CLQ_ERROR_RANK, "%s.ndim is %d: with group_index it must be 2",
         judge_name(judge, x), rows->rank);
    RULE(judge, scale->rank != 2, CLQ_ERROR_RANK, "%s.ndim is %d: with group_index it must be 2", scales_name,
         scale->rank);
    RULE(judge, end->rank != 1, CLQ_ERROR_RANK, "%s.ndim is %d: it must be 1", ends_name, end->rank);
    if (judge->count > before)
        return;
    RULE(judge, scale->size[0] < 1, CLQ_ERROR_SHAPE, "%s.shape[0] is 0: there must be at least one group",
         scales_name);
    RULE(judge, scale->size[1] != rows->size[1], CLQ_ERROR_SHAPE,
         "%s.shape[1] is %" PRId64 ": it must be %s.shape[1], %" PRId64, scales_name, (int64_t)scale->size[1],
         judge_name(judge, x), (int64_t)rows->size[1]);
    RULE(judge, end->size[0] != scale->size[0], CLQ_ERROR_SHAPE,
         "%s.shape[0] is %" PRId64 ": it must be %s.shape[0], %" PRId64, ends_name, (int64_t)end->size[0],
         scales_name, (int64_t)scale->size[0]);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "move_rows_rules.h"

#include <inttypes.h>
#include <stdio.h>

enum { SRC = MOVE_SRC, SRC_INDICES, DST_INDICES, INPUT, DST, PIECES }; /* the last one is no tensor */

static bool has_both(const struct judge *judge)
{
    return judge->facts[SRC_INDICES].given && judge->facts[DST_INDICES].given;
}

static void judge_side(struct judge *judge, const char *side, uint32_t range, uint32_t kind, bool given)
{
    RULE(judge, kind != 0 && !given, CLQ_ERROR_VALUE,
         "%s_index_kind is %" PRIu32 ": it must be CLQ_INDICES_BY_SHAPE (0) where %s_indices is NULL", side,
         kind, side);
    RULE(judge, kind == 1 && range != 0, CLQ_ERROR_VALUE,
         "%s_out_of_range is %" PRIu32 ": with %s_index_kind CLQ_SLOTS (1) it must be CLQ_DROP (0)", side,
         range, side);
}

static void judge_numbers(struct judge *judge, const struct clq_move_rows_desc *desc)
{
    const bool src = judge->facts[SRC_INDICES].given, dst = judge->facts[DST_INDICES].given,
               src_nd = desc->src_index_kind == 2, dst_nd = desc->dst_index_kind == 2;
    const char *lone = src ? "dst" : "src";

    RULE(judge, !src && !dst, CLQ_ERROR_NULL,
         "src_indices and dst_indices are both NULL: one of them must be a tensor");
    RULE(judge, src && dst && src_nd != dst_nd, CLQ_ERROR_VALUE,
         "src_index_kind is %" PRIu32 " and dst_index_kind is %" PRIu32 ": both or none must be CLQ_ND (2)",
         desc->src_index_kind, desc->dst_index_kind);
    RULE(judge, !(src && dst) && desc->positions > 0, CLQ_ERROR_VALUE,
         "positions is %" PRIu32 ": it must be 0 where %s_indices is NULL, for %s has an entry's positions",
         desc->positions, lone, lone);
    for (int i = 0; i < 2; i++) {
        const uint32_t kind = i == 0 ? desc->src_index_kind : desc->dst_index_kind;

        RULE(judge, desc->positions > 1 && kind > 0, CLQ_ERROR_VALUE,
             "positions is %" PRIu32 ": with %s_index_kind %s it must be 0 or 1, for an index is one place",
             desc->positions, i == 0 ? "src" : "dst", kind == 1 ? "CLQ_SLOTS (1)" : "CLQ_ND (2)");
    }
    judge_side(judge, "src", desc->src_out_of_range, desc->src_index_kind, src);
    judge_side(judge, "dst", desc->dst_out_of_range, desc->dst_index_kind, dst);
}

static void judge_types(struct judge *judge)
{
    const struct facts *src = &judge->facts[SRC], *dst = &judge->facts[DST];

    if (!src->right || !dst->right)
        return;
    RULE(judge, src->type != dst->type && !((TYPES_FLOAT >> src->type & 1) && (TYPES_FLOAT >> dst->type & 1)),
         CLQ_ERROR_TYPE,
         "src.dtype is %s: it must be that of dst, %s, or both must be float32, float16 or bfloat16",
         reference_types[src->type].name, reference_types[dst->type].name);
    RULE(judge, src->lanes != dst->lanes, CLQ_ERROR_TYPE,
         "src.dtype has %d lanes: it must have those of dst, %d", src->lanes, dst->lanes);
}

static void judge_input(struct judge *judge)
{
    RULE(judge, judge->facts[INPUT].given && !judge->facts[DST_INDICES].given, CLQ_ERROR_VALUE,
         "input is given: it must be NULL where dst_indices is NULL, for dst is rows of entries then");
}

static void judge_input_shape(struct judge *judge)
{
    const struct facts *input = &judge->facts[INPUT], *dst = &judge->facts[DST];

    if (!input->given)
        return;
    rule_same_shape(judge, INPUT, DST);
    RULE(judge, input->lanes != dst->lanes, CLQ_ERROR_TYPE,
         "input.dtype has %d lanes: it must have those of dst, %d", input->lanes, dst->lanes);
}

static bool is_whole(const struct facts *facts)
{
    return reference_shares_bytes(facts->type, 1) || reference_is_block(facts->type);
}

static void judge_size(struct judge *judge, int indices, const struct facts *rows, int from)
{
    wide bytes = 8 * judge->facts[indices].size[0];

    for (int d = from; d < rows->rank; d++)
        if (rows->size[d] == 0)
            return;
    for (int d = from; d < rows->rank && bytes <= INT64_MAX; d++)
        bytes *= rows->size[d];
    RULE(judge, bytes > INT64_MAX, CLQ_ERROR_OVERFLOW,
         "%s.shape[0] is %" PRId64 ": all that moves must fit into 63 bits, in bytes",
         judge_name(judge, indices), (int64_t)judge->facts[indices].size[0]);
}

/* The dimensions of a side in front of its rows; -1 where they cannot be told. */
static int judge_coordinates(struct judge *judge, int tensor, int indices, const char *side)
{
    const struct facts *facts = &judge->facts[tensor], *index = &judge->facts[indices];
    const char *name = judge_name(judge, indices);
    const int most = facts->rank - is_whole(facts);

    RULE(judge, index->rank != 2, CLQ_ERROR_RANK, "%s.ndim is %d: with %s_index_kind CLQ_ND (2) it must be 2",
         name, index->rank, side);
    if (index->rank != 2)
        return -1;
    RULE(judge, index->size[1] < 1 || index->size[1] > most, CLQ_ERROR_SHAPE,
         "%s.shape[1] is %" PRId64 ": it must be from 1 to %d, the dimensions of %s%s", name,
         (int64_t)index->size[1], most, judge_name(judge, tensor),
         is_whole(facts) ? " but the last, of which bytes hold several elements" : "");
    return index->size[1] < 1 || index->size[1] > most ? -1 : (int)index->size[1];
}

static void judge_nd(struct judge *judge, const struct clq_move_rows_desc *desc)
{
    const bool src = judge->facts[SRC_INDICES].given, both = has_both(judge);
    const int cache = src ? SRC : DST, other = src ? DST : SRC, indices = src ? SRC_INDICES : DST_INDICES;
    const struct facts *from = &judge->facts[cache], *to = &judge->facts[other];
    int k = judge_coordinates(judge, cache, indices, src ? "src" : "dst"), to_k = 1;

    if (both)
        to_k = judge_coordinates(judge, DST, DST_INDICES, "dst");
    if (judge->facts[DST_INDICES].given && judge->facts[DST_INDICES].rank == 2)
        RULE(judge, desc->unique == 0 && judge->facts[DST_INDICES].size[0] >= UINT32_MAX, CLQ_ERROR_SHAPE,
             "%s.shape[0] is %" PRId64
             ": it must be at most 4294967294 where unique is 0, for the last entry of a place is kept in "
             "32 bits",
             "dst_indices", (int64_t)judge->facts[DST_INDICES].size[0]);
    RULE(judge, !both && to->rank == 0, CLQ_ERROR_RANK, "%s.ndim is 0: it must be from 1 to 8",
         judge_name(judge, other));
    if (k < 0 || to_k < 0 || (!both && to->rank == 0))
        return;
    RULE(judge, to->rank - to_k != from->rank - k, CLQ_ERROR_RANK,
         "%s.ndim is %d: it must be %d, for %s.ndim is %d, and %d of them are the row",
         judge_name(judge, other), to->rank, from->rank - k + to_k, judge_name(judge, cache), from->rank,
         from->rank - k);
    for (int d = k; d < from->rank && to->rank - to_k == from->rank - k; d++)
        RULE(judge, to->size[d - k + to_k] != from->size[d], CLQ_ERROR_SHAPE,
             "%s.shape[%d] is %" PRId64 ": it must be %s.shape[%d], %" PRId64, judge_name(judge, other),
             d - k + to_k, (int64_t)to->stored[d - k + to_k], judge_name(judge, cache), d,
             (int64_t)from->stored[d]);
    {
        const int with = both ? DST_INDICES : other;

        RULE(judge, judge->facts[indices].size[0] != judge->facts[with].size[0], CLQ_ERROR_SHAPE,
             "%s.shape[0] is %" PRId64 ": it must be %s.shape[0], %" PRId64, judge_name(judge, indices),
             (int64_t)judge->facts[indices].size[0], judge_name(judge, with),
             (int64_t)judge->facts[with].size[0]);
    }
    judge_size(judge, indices, from, k);
}

static struct entry_rules entries_of(const struct clq_move_rows_desc *desc, bool src, int pieces, bool whole)
{
    return (struct entry_rules){.cache = src ? SRC : DST,
                                .pieces = pieces,
                                .side = src ? "src_" : "dst_",
                                .between = pieces == PIECES,
                                .least = 2,
                                .rows = whole,
                                .indices = src ? SRC_INDICES : DST_INDICES,
                                .axis = desc->axis,
                                .out_of_range = src ? desc->src_out_of_range : desc->dst_out_of_range,
                                .index_kind = src ? desc->src_index_kind : desc->dst_index_kind,
                                .unique = desc->unique,
                                .written = !src};
}

/* Entries that are no tensor, of src's shape. */
static bool make_pieces(struct judge *judge, const struct clq_move_rows_desc *desc)
{
    const struct facts *indices = &judge->facts[SRC_INDICES];
    struct facts *pieces = &judge->facts[PIECES];
    const int at = axis_meant(desc->axis, -2, judge->facts[SRC].rank);

    *pieces = judge->facts[SRC];
    if (pieces->rank > 0)
        pieces->size[0] = indices->rank > 0 ? indices->size[0] : 0;
    if (at < 1 || at >= pieces->rank)
        return false;
    pieces->size[at] = desc->positions > 0 ? desc->positions : 1;
    pieces->elements = 1;
    for (int d = 0; d < pieces->rank; d++)
        pieces->elements =
            pieces->elements > INT64_MAX ? pieces->elements : pieces->elements * pieces->size[d];
    for (int d = 0; d < pieces->rank; d++)
        if (pieces->size[d] == 0)
            pieces->elements = 0;
    return true;
}

static void judge_between(struct judge *judge, const struct clq_move_rows_desc *desc)
{
    const struct facts *src = &judge->facts[SRC], *dst = &judge->facts[DST];
    const struct facts *from = &judge->facts[SRC_INDICES], *to = &judge->facts[DST_INDICES];
    const int at = axis_meant(desc->axis, -2, src->rank);
    const bool whole = is_whole(src);
    const int64_t positions = desc->positions > 0 ? desc->positions : 1;
    struct entry_rules rules;

    RULE(judge, src->rank != dst->rank, CLQ_ERROR_RANK, "src.ndim is %d: it must be the rank of dst, %d",
         src->rank, dst->rank);
    if (src->rank != dst->rank)
        return;
    for (int i = 0; i < 2 && at >= 1 && at < src->rank; i++) {
        const struct facts *facts = i == 0 ? src : dst;

        RULE(judge, positions > facts->size[at], CLQ_ERROR_SHAPE,
             "positions is %" PRId64 ": it must be at most %s.shape[%d], %" PRId64, positions,
             i == 0 ? "src" : "dst", at, (int64_t)facts->size[at]);
    }
    if (from->rank > 0 && to->rank > 0)
        RULE(judge, to->size[0] != from->size[0], CLQ_ERROR_SHAPE,
             "dst_indices.shape[0] is %" PRId64 ": it must be src_indices.shape[0], %" PRId64,
             (int64_t)to->size[0], (int64_t)from->size[0]);
    make_pieces(judge, desc);
    rules = entries_of(desc, true, PIECES, whole);
    rule_entries(judge, &rules);
    rules = entries_of(desc, false, PIECES, whole);
    rule_entries(judge, &rules);
    if (make_pieces(judge, desc))
        judge_size(judge, SRC_INDICES, &judge->facts[PIECES], 1);
}

static void judge_entries(struct judge *judge, const struct clq_move_rows_desc *desc)
{
    const bool src = judge->facts[SRC_INDICES].given;
    const int pieces = src ? DST : SRC;
    const struct entry_rules rules = entries_of(desc, src, pieces, is_whole(&judge->facts[src ? SRC : DST]));
    const int before = judge->count;

    rule_entries(judge, &rules);
    if (judge->count == before)
        judge_size(judge, rules.indices, &judge->facts[pieces], 1);
}

void move_rows_judge(struct judge *judge)
{
    const struct clq_move_rows_desc *desc = judge->desc;
    const int before = judge->count;

    judge_numbers(judge, desc);
    judge_types(judge);
    judge_input(judge);
    if (!judge_has_shapes(judge) || judge->count > before)
        return;
    judge_input_shape(judge);
    if (desc->src_index_kind == 2 || desc->dst_index_kind == 2)
        judge_nd(judge, desc);
    else if (has_both(judge))
        judge_between(judge, desc);
    else
        judge_entries(judge, desc);
}

void move_rows_judge_indices(struct judge *judge)
{
    const struct clq_move_rows_desc *desc = judge->desc;
    const bool nd = desc->src_index_kind == 2 || desc->dst_index_kind == 2;
    const int before = judge->count;

    for (int side = 0; side < 2 && judge->count == before; side++) {
        const bool src = side == 0;
        struct entry_rules rules;

        if (!judge->facts[src ? SRC_INDICES : DST_INDICES].given)
            continue;
        if (has_both(judge) && !nd)
            make_pieces(judge, desc);
        rules = entries_of(desc, src, has_both(judge) && !nd ? PIECES : src ? DST : SRC, false);
        if (nd)
            rule_nd_indices(judge, rules.cache, rules.indices);
        else
            rule_entry_indices(judge, &rules);
    }
}

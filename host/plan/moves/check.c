/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of clq_move_rows. */
#include "base/error.h"
#include "plan/belongs/axis.h"
#include "plan/moves/moves.h"

#include <inttypes.h>

/* One of both sides, and the descriptor's numbers for it. */
struct side {
    const char *prefix;
    const DLTensor *indices;
    uint32_t range, kind, unique; /* places may be read together */
    struct clq__placement *placement;
    struct clq__view *view;
};

static clq_status check_numbers(const struct side *side)
{
    clq_status status = CLQ_OK;
    const char *prefix = side->prefix;

    CLQ_REQUIRE(side->kind == CLQ_INDICES_BY_SHAPE || side->indices != NULL, CLQ_ERROR_VALUE,
                "%sindex_kind is %u: it must be CLQ_INDICES_BY_SHAPE (0) where %sindices is NULL", prefix,
                side->kind, prefix);
    CLQ_TRY(clq__slots_check(prefix, side->kind, side->range));
end:
    return status;
}

static clq_status check_choices(const struct clq_move_rows_desc *desc)
{
    clq_status status = CLQ_OK;
    const bool both = desc->src_indices != NULL && desc->dst_indices != NULL;
    const uint32_t kinds[2] = {desc->src_index_kind, desc->dst_index_kind};

    CLQ_REQUIRE(desc->src_indices != NULL || desc->dst_indices != NULL, CLQ_ERROR_NULL,
                "src_indices and dst_indices are both NULL: one of them must be a tensor");
    CLQ_REQUIRE(!both || (kinds[0] == CLQ_ND) == (kinds[1] == CLQ_ND), CLQ_ERROR_VALUE,
                "src_index_kind is %u and dst_index_kind is %u: both or none must be CLQ_ND (2)", kinds[0],
                kinds[1]);
    CLQ_REQUIRE(both || desc->positions == 0, CLQ_ERROR_VALUE,
                "positions is %u: it must be 0 where %s_indices is NULL, for %s has an entry's positions",
                desc->positions, desc->src_indices == NULL ? "src" : "dst",
                desc->src_indices == NULL ? "src" : "dst");
    for (int i = 0; i < 2 && desc->positions > 1; i++)
        CLQ_REQUIRE(kinds[i] == CLQ_INDICES_BY_SHAPE, CLQ_ERROR_VALUE,
                    "positions is %u: with %s_index_kind %s it must be 0 or 1, for an index is one place",
                    desc->positions, i == 0 ? "src" : "dst",
                    kinds[i] == CLQ_SLOTS ? "CLQ_SLOTS (1)" : "CLQ_ND (2)");
end:
    return status;
}

static clq_status check_types(const struct clq__checked_call *checked)
{
    clq_status status = CLQ_OK;
    const struct clq__view *src = &checked->x, *dst = &checked->y;

    CLQ_REQUIRE(src->type == dst->type ||
                    (clq__type_is(src->type, CLQ__FLOATS) && clq__type_is(dst->type, CLQ__FLOATS)),
                CLQ_ERROR_TYPE,
                "%s.dtype is %s: it must be that of %s, %s, or both must be float32, float16 or bfloat16",
                src->name, clq__type_name(src->type), dst->name, clq__type_name(dst->type));
    CLQ_REQUIRE(src->lanes == dst->lanes, CLQ_ERROR_TYPE,
                "%s.dtype has %d lanes: it must have those of %s, %d", src->name, src->lanes, dst->name,
                dst->lanes);
end:
    return status;
}

/* Whether a row keeps the last dimension, of which bytes hold several elements. */
static bool keeps_last(const struct clq__view *view)
{
    return clq__view_shares_bytes(view) || clq__view_has_blocks(view);
}

/* As kernels count: bytes at most. */
static clq_status check_size(struct clq__checked_call *checked, int64_t entries, int64_t positions)
{
    clq_status status = CLQ_OK;
    struct clq__placement *placement =
        checked->source.kind != CLQ_ENTRY_NONE ? &checked->source : &checked->placement;
    const struct clq__view *view = placement == &checked->source ? &checked->x : &checked->y;
    int64_t elements = 8; /* bytes of one, at most */
    bool empty = entries == 0 || positions == 0, overflows = false;

    overflows |= __builtin_mul_overflow(elements, entries, &elements);
    overflows |= __builtin_mul_overflow(elements, positions, &elements);
    for (int d = clq__moves_row_from(placement); d < view->rank; d++) {
        if (placement->kind != CLQ_ENTRY_ND && d == placement->axis)
            continue;
        empty |= view->shape[d] == 0;
        overflows |= __builtin_mul_overflow(elements, view->shape[d], &elements);
    }
    CLQ_REQUIRE(empty || !overflows, CLQ_ERROR_OVERFLOW,
                "%s.shape[0] is %" PRId64 ": all that moves must fit into 63 bits, in bytes",
                placement->indices.name, entries);
    checked->source.moves = checked->placement.moves = !empty;
end:
    return status;
}

/* A shape's row is the rest of the dimensions; that of the other tensor the rest behind its entries. */
static clq_status check_row(const struct side *side, const struct side *other)
{
    clq_status status = CLQ_OK;
    const struct clq__view *view = side->view, *row = other->view;
    const int from = clq__moves_row_from(side->placement), behind = clq__moves_row_from(other->placement);

    CLQ_REQUIRE(row->rank - behind == view->rank - from, CLQ_ERROR_RANK,
                "%s.ndim is %d: it must be %d, for %s.ndim is %d, and %d of them are the row", row->name,
                row->rank, view->rank - from + behind, view->name, view->rank, view->rank - from);
    for (int d = from; d < view->rank; d++)
        CLQ_REQUIRE(row->shape[d - from + behind] == view->shape[d], CLQ_ERROR_SHAPE,
                    "%s.shape[%d] is %lld: it must be %s.shape[%d], %lld", row->name, d - from + behind,
                    (long long)row->tensor->shape[d - from + behind], view->name, d,
                    (long long)view->tensor->shape[d]);
end:
    return status;
}

static clq_status check_coordinates(const struct side *side)
{
    clq_status status = CLQ_OK;
    struct clq__placement *placement = side->placement;
    const struct clq__view *indices = &placement->indices, *view = side->view;
    const int most = view->rank - keeps_last(view);

    CLQ_REQUIRE(indices->rank == 2, CLQ_ERROR_RANK,
                "%s.ndim is %d: with %sindex_kind CLQ_ND (2) it must be 2", indices->name, indices->rank,
                side->prefix);
    CLQ_REQUIRE(indices->shape[1] >= 1 && indices->shape[1] <= most, CLQ_ERROR_SHAPE,
                "%s.shape[1] is %lld: it must be from 1 to %d, the dimensions of %s%s", indices->name,
                (long long)indices->shape[1], most, view->name,
                most < view->rank ? " but the last, of which bytes hold several elements" : "");
    placement->kind = CLQ_ENTRY_ND;
    placement->range = side->range;
    placement->may_overlap = !side->unique;
    CLQ_TRY(clq__placement_check_count(placement));
end:
    return status;
}

/* The entries of both sides are as many. */
static clq_status check_counts(const struct side *side, const struct side *other)
{
    clq_status status = CLQ_OK;
    const struct clq__view *indices = &side->placement->indices,
                           *with = other->indices != NULL ? &other->placement->indices : other->view;

    CLQ_REQUIRE(indices->shape[0] == with->shape[0], CLQ_ERROR_SHAPE,
                "%s.shape[0] is %lld: it must be %s.shape[0], %lld", indices->name,
                (long long)indices->shape[0], with->name, (long long)with->shape[0]);
end:
    return status;
}

static clq_status check_nd(struct clq__checked_call *checked, const struct side *src, const struct side *dst)
{
    clq_status status = CLQ_OK;
    const struct side *side = src->indices != NULL ? src : dst, *other = side == src ? dst : src;

    if (src->indices != NULL)
        CLQ_TRY(check_coordinates(src));
    if (dst->indices != NULL)
        CLQ_TRY(check_coordinates(dst));
    CLQ_REQUIRE(other->view->rank > 0, CLQ_ERROR_RANK, "%s.ndim is 0: it must be from 1 to %d",
                other->view->name, CLQ__MAX_RANK);
    CLQ_TRY(check_row(side, other));
    CLQ_TRY(check_counts(side, other));
    CLQ_TRY(check_size(checked, side->placement->indices.shape[0], 1));
end:
    return status;
}

static struct clq__placement_rules rules_of(const struct clq_move_rows_desc *desc, const struct side *side,
                                            bool between)
{
    return (struct clq__placement_rules){.side = side->prefix,
                                         .axis = desc->axis,
                                         .least_rank = 2,
                                         .last_is_whole = keeps_last(side->view),
                                         .between_caches = between,
                                         .out_of_range = side->range,
                                         .unique = side->unique,
                                         .index_kind = side->kind};
}

/* The entries of two caches: no tensor, but of src's shape. */
static clq_status check_between(struct clq__checked_call *checked, const struct clq_move_rows_desc *desc,
                                const struct side *src, const struct side *dst)
{
    clq_status status = CLQ_OK;
    const struct clq__placement_rules from = rules_of(desc, src, true), to = rules_of(desc, dst, true);
    const struct clq__view *indices = &checked->source.indices;
    const int64_t positions = desc->positions > 0 ? desc->positions : 1;
    const int at = clq__axis_of(desc->axis, CLQ__AXIS_SECOND_TO_LAST, checked->x.rank);
    struct clq__view pieces = checked->x;

    CLQ_TRY(clq__view_check_rank(&checked->x, &checked->y));
    if (pieces.rank > 0)
        pieces.shape[0] = indices->rank > 0 ? indices->shape[0] : 0;
    if (at >= 1 && at < pieces.rank) {
        for (int i = 0; i < 2; i++) {
            const struct clq__view *view = i == 0 ? &checked->x : &checked->y;

            CLQ_REQUIRE(positions <= view->shape[at], CLQ_ERROR_SHAPE,
                        "positions is %lld: it must be at most %s.shape[%d], %lld", (long long)positions,
                        view->name, at, (long long)view->shape[at]);
        }
        pieces.shape[at] = positions;
    }
    CLQ_TRY(clq__placement_check_between(&checked->source, &checked->x, &pieces, &from));
    if (checked->placement.indices.rank > 0)
        CLQ_TRY(check_counts(dst, src));
    CLQ_TRY(clq__placement_check_between(&checked->placement, &checked->y, &pieces, &to));
    CLQ_TRY(check_size(checked, pieces.shape[0], positions));
end:
    return status;
}

/* One tensor is the entries, and the other the cache. */
static clq_status check_entries(struct clq__checked_call *checked, const struct clq_move_rows_desc *desc,
                                const struct side *cache, const struct side *pieces)
{
    clq_status status = CLQ_OK;
    const struct clq__placement_rules rules = rules_of(desc, cache, false);

    clq__placement_insert(cache->view, pieces->view, &rules);
    CLQ_TRY(clq__placement_check_between(cache->placement, cache->view, pieces->view, &rules));
    CLQ_TRY(check_size(checked, pieces->view->shape[0], cache->placement->length));
end:
    return status;
}

/* Before a position is inserted too. */
static clq_status check_input(struct clq__checked_call *checked, const struct clq_move_rows_desc *desc)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE(desc->input == NULL || desc->dst_indices != NULL, CLQ_ERROR_VALUE,
                "input is given: it must be NULL where dst_indices is NULL, for dst is rows of entries then");
    CLQ_TRY(clq__check_input(checked, desc->input));
end:
    return status;
}

static clq_status check_indices(const struct side *side)
{
    if (side->indices == NULL)
        return CLQ_OK;
    return clq__view_init(&side->placement->indices, side->placement->indices.name, side->indices,
                          CLQ__INDICES);
}

clq_status clq__moves_check(struct clq__checked_call *checked, const struct clq_move_rows_desc *desc)
{
    clq_status status = CLQ_OK;
    const struct side src = {.prefix = "src_",
                             .indices = desc->src_indices,
                             .range = desc->src_out_of_range,
                             .kind = desc->src_index_kind,
                             .unique = 1,
                             .placement = &checked->source,
                             .view = &checked->x},
                      dst = {.prefix = "dst_",
                             .indices = desc->dst_indices,
                             .range = desc->dst_out_of_range,
                             .kind = desc->dst_index_kind,
                             .unique = desc->unique,
                             .placement = &checked->placement,
                             .view = &checked->y};
    const struct side *cache = desc->src_indices != NULL ? &src : &dst;

    checked->placement.indices.name = checked->names->scales;
    checked->input.name = checked->names->zero_points;
    checked->unique = desc->unique != 0;
    CLQ_TRY(check_choices(desc));
    CLQ_TRY(check_numbers(&src));
    CLQ_TRY(check_numbers(&dst));
    CLQ_TRY(clq__view_init(&checked->x, checked->names->x, desc->src, CLQ__ANY));
    CLQ_TRY(clq__view_init(&checked->y, checked->names->y, desc->dst, CLQ__ANY));
    CLQ_TRY(check_types(checked));
    CLQ_TRY(clq__view_check_output(&checked->y)); /* as it is: a position may be inserted */
    CLQ_TRY(check_input(checked, desc));
    CLQ_TRY(check_indices(&src));
    CLQ_TRY(check_indices(&dst));
    if (cache->kind == CLQ_ND)
        CLQ_TRY(check_nd(checked, &src, &dst));
    else if (desc->src_indices != NULL && desc->dst_indices != NULL)
        CLQ_TRY(check_between(checked, desc, &src, &dst));
    else
        CLQ_TRY(check_entries(checked, desc, cache, cache == &src ? &dst : &src));
end:
    return status;
}

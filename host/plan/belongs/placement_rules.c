/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of indices, and of the shapes that they place, that the host can know. */
#include "base/error.h"
#include "plan/belongs/axis.h"
#include "plan/belongs/checked_call.h"

#include <clquant/quantize_scatter.h>
#include <stdio.h>

void clq__placement_init(struct clq__placement *placement, const char *name)
{
    clq__view_init_absent(&placement->indices, name);
    placement->kind = CLQ_ENTRY_NONE;
    placement->may_overlap = placement->moves = false;
    placement->range = CLQ_DROP;
    placement->batches = placement->size = placement->length = 1;
    placement->axis = 0;
    placement->report = placement->workspace = (struct clq__beside){NULL, 0};
}

clq_status clq__slots_check(const char *side, uint32_t index_kind, uint32_t out_of_range)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE(index_kind != CLQ_SLOTS || out_of_range == CLQ_DROP, CLQ_ERROR_VALUE,
                "%sout_of_range is %u: with %sindex_kind CLQ_SLOTS (1) it must be CLQ_DROP (0)", side,
                out_of_range, side);
end:
    return status;
}

/* Whether the tensors would fit with their entries along dimension d. */
static bool fit_along(const struct clq__view *cache, const struct clq__view *pieces, int d)
{
    for (int other = 1; other < cache->rank; other++)
        if (other != d && cache->shape[other] != pieces->shape[other])
            return false;
    return pieces->shape[d] <= cache->shape[d];
}

/* For dimension d, which is not axis. Whoever left axis out has another layout than the default's in mind. */
static clq_status refuse_size(const struct clq__view *cache, const struct clq__view *pieces, int d, int axis)
{
    char hint[48] = "";

    if (cache->lanes > 1 && d == cache->rank - 1)
        return clq__view_refuse_size(cache, pieces, d);
    if (fit_along(cache, pieces, d))
        snprintf(hint, sizeof hint, "; is axis %d meant?", d);
    return clq_error_set(
        CLQ_ERROR_SHAPE,
        "%s.shape[%d] is %lld: it must be %s.shape[%d], %lld, for axis is %d, where alone an entry may "
        "be shorter than the cache%s",
        pieces->name, d, (long long)pieces->shape[d], cache->name, d, (long long)cache->shape[d], axis, hint);
}

/* The axes from 1 to end - 1, counted from both ends. */
static const char *allowed(char text[64], int rank, int end)
{
    if (end == 2)
        snprintf(text, 64, "1 or %d", 1 - rank);
    else
        snprintf(text, 64, "from 1 to %d or from %d to %d", end - 1, 1 - rank, end - rank - 1);
    return text;
}

/* Whether pieces are of the cache's shape less dimension `at`, but for the first. */
static bool fits_without(const struct clq__view *cache, const struct clq__view *pieces, int at)
{
    for (int d = 1; d < cache->rank; d++)
        if (d != at && pieces->shape[d - (d > at)] != cache->shape[d])
            return false;
    return true;
}

void clq__placement_insert(const struct clq__view *cache, struct clq__view *pieces,
                           const struct clq__placement_rules *rules)
{
    const int rank = cache->rank, end = rank - (rules->last_is_whole ? 1 : 0),
              at = clq__axis_of(rules->axis, CLQ__AXIS_SECOND_TO_LAST, rank);

    if (rules->index_kind != CLQ_SLOTS || pieces->rank + 1 != rank || at < 1 || at >= end ||
        !fits_without(cache, pieces, at))
        return;
    for (int d = rank - 1; d > at; d--) {
        pieces->shape[d] = pieces->shape[d - 1];
        pieces->stride[d] = pieces->stride[d - 1];
    }
    pieces->shape[at] = 1;
    pieces->stride[at] = 0;
    pieces->rank = rank;
}

static clq_status check_shapes(struct clq__placement *placement, const struct clq__view *cache,
                               const struct clq__view *pieces, const struct clq__placement_rules *rules)
{
    clq_status status = CLQ_OK;
    const int rank = pieces->rank, at = clq__axis_of(rules->axis, CLQ__AXIS_SECOND_TO_LAST, rank);
    const int end = rank - (rules->last_is_whole ? 1 : 0);
    char text[CLQ__AXIS_TEXT], range[64];

    CLQ_REQUIRE(cache->rank >= rules->least_rank, CLQ_ERROR_RANK, "%s.ndim is %d: it must be from %d to %d",
                cache->name, cache->rank, rules->least_rank, CLQ__MAX_RANK);
    CLQ_TRY(clq__view_check_rank(pieces, cache));
    CLQ_REQUIRE(
        end > 1, CLQ_ERROR_RANK,
        "%s.ndim is %d: it must be at least 3, for entries are placed along a dimension that is neither the "
        "first nor the last",
        cache->name, rank);
    CLQ_REQUIRE(at >= 1 && at < end, CLQ_ERROR_AXIS,
                "%s: it must be %s, any of the %d dimensions of %s but the first%s",
                clq__axis_text(rules->axis, CLQ__AXIS_SECOND_TO_LAST, text), allowed(range, rank, end), rank,
                cache->name, end < rank ? " and the last" : "");
    for (int d = 1; d < rank; d++)
        if (d != at && cache->shape[d] != pieces->shape[d])
            CLQ_TRY(refuse_size(cache, pieces, d, at));
    CLQ_REQUIRE(pieces->shape[at] <= cache->shape[at], CLQ_ERROR_SHAPE,
                "%s.shape[%d] is %lld: it must be at most %s.shape[%d], %lld", pieces->name, at,
                (long long)pieces->shape[at], cache->name, at, (long long)cache->shape[at]);
    placement->axis = at;
    placement->batches = cache->shape[0];
    placement->size = cache->shape[at];
    placement->length = pieces->shape[at];
end:
    return status;
}

/* A slot is one position of the whole cache. */
static clq_status check_slots(const struct clq__placement *placement, const struct clq__view *pieces,
                              const char *side)
{
    clq_status status = CLQ_OK;
    const struct clq__view *indices = &placement->indices;

    CLQ_REQUIRE(indices->rank == 1, CLQ_ERROR_RANK,
                "%s.ndim is %d: with %sindex_kind CLQ_SLOTS (1) it must be 1", indices->name, indices->rank,
                side);
    CLQ_REQUIRE(
        placement->length == 1, CLQ_ERROR_SHAPE,
        "%s.shape[%d] is %lld: with %sindex_kind CLQ_SLOTS (1) it must be 1, for a slot is one position",
        pieces->name, placement->axis, (long long)placement->length, side);
end:
    return status;
}

/* Starts along a whole axis that nobody chose: whoever writes rows [N, H, D] to slots of a cache [S, H, D]
 * has the first in mind, and all starts but 0 would be out of range. */
static clq_status check_chosen(const struct clq__placement *placement, const struct clq__view *cache,
                               const struct clq__view *pieces, const struct clq__placement_rules *rules)
{
    clq_status status = CLQ_OK;
    const int at = placement->axis;

    CLQ_REQUIRE(
        rules->axis != 0 || rules->between_caches || rules->index_kind == CLQ_SLOTS ||
            placement->indices.rank != 1 || pieces->shape[at] != cache->shape[at] || cache->elements == 0,
        CLQ_ERROR_AXIS,
        "axis is left out, which means -2, and %s.shape[%d] is all of %s.shape[%d], %lld, so that an entry "
        "can start at 0 alone: give axis; a cache of which indices count the first dimension "
        "(CLQ_AXIS_FIRST) is taken as [1, %lld, ..] with index_kind CLQ_SLOTS (1)",
        pieces->name, at, cache->name, at, (long long)cache->shape[at], (long long)cache->shape[0]);
end:
    return status;
}

static clq_status check_indices(const struct clq__placement *placement, const struct clq__view *cache,
                                const struct clq__view *pieces, bool slots, const char *side)
{
    clq_status status = CLQ_OK;
    const struct clq__view *indices = &placement->indices;

    if (slots)
        CLQ_TRY(check_slots(placement, pieces, side));
    CLQ_REQUIRE(indices->rank == 1 || indices->rank == 2, CLQ_ERROR_RANK, "%s.ndim is %d: it must be 1 or 2",
                indices->name, indices->rank);
    CLQ_REQUIRE(indices->rank == 1 || indices->shape[1] == 2, CLQ_ERROR_SHAPE,
                "%s.shape[1] is %lld: it must be 2, a batch and a start", indices->name,
                (long long)indices->shape[1]);
    CLQ_REQUIRE(indices->shape[0] == pieces->shape[0], CLQ_ERROR_SHAPE,
                "%s.shape[0] is %lld: it must be %s.shape[0], %lld", indices->name,
                (long long)indices->shape[0], pieces->name, (long long)pieces->shape[0]);
    CLQ_REQUIRE(slots || indices->rank == 2 || indices->shape[0] <= cache->shape[0], CLQ_ERROR_SHAPE,
                "%s.shape[0] is %lld: with 1-D indices it must be at most %s.shape[0], %lld", indices->name,
                (long long)indices->shape[0], cache->name, (long long)cache->shape[0]);
end:
    return status;
}

clq_status clq__placement_check_count(const struct clq__placement *placement)
{
    clq_status status = CLQ_OK;
    const struct clq__view *indices = &placement->indices;

    CLQ_REQUIRE(!placement->may_overlap || indices->shape[0] < UINT32_MAX, CLQ_ERROR_SHAPE,
                "%s.shape[0] is %lld: it must be at most 4294967294 where unique is 0, for the last entry of "
                "a place is kept in 32 bits",
                indices->name, (long long)indices->shape[0]);
end:
    return status;
}

clq_status clq__placement_check_between(struct clq__placement *placement, const struct clq__view *cache,
                                        const struct clq__view *pieces,
                                        const struct clq__placement_rules *rules)
{
    clq_status status = CLQ_OK;
    const bool slots = rules->index_kind == CLQ_SLOTS;

    CLQ_TRY(check_shapes(placement, cache, pieces, rules));
    CLQ_TRY(check_indices(placement, cache, pieces, slots, rules->side));
    CLQ_TRY(check_chosen(placement, cache, pieces, rules));
    placement->kind = slots                          ? CLQ_ENTRY_SLOTS
                      : placement->indices.rank == 2 ? CLQ_ENTRY_PAIRS
                                                     : CLQ_ENTRY_STARTS;
    placement->range = rules->out_of_range;
    placement->moves = pieces->elements > 0;
    placement->may_overlap = placement->kind != CLQ_ENTRY_STARTS && !rules->unique;
    CLQ_TRY(clq__placement_check_count(placement));
end:
    return status;
}

clq_status clq__placement_check(struct clq__checked_call *checked, const struct clq__placement_rules *rules)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(clq__slots_check(rules->side, rules->index_kind, rules->out_of_range));
    CLQ_TRY(clq__view_init(&checked->placement.indices, "indices", rules->indices, CLQ__INDICES));
    CLQ_TRY(clq__placement_check_between(&checked->placement, &checked->y, &checked->x, rules));
end:
    return status;
}

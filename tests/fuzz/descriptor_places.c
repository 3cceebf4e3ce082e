/* SPDX-License-Identifier: Apache-2.0 */
/* Making and judging what the calls that read indices share. */
#include "descriptor_places.h"

#include <string.h>

unsigned make_places(struct slot *cache, struct slot *pieces, struct slot *indices, bool rows, int32_t *axis,
                     struct input *in)
{
    const unsigned counts = take(in);
    const int least_rank = rows ? 3 : 2, rank = least_rank + (int)(counts % 4);
    const int cache_lanes = cache->tensor.dtype.lanes;

    cache->tensor.ndim = pieces->tensor.ndim = rank;
    for (int d = 0; d < rank; d++) {
        const unsigned size = take(in) % 64;

        cache->shape[d] = pieces->shape[d] = size == 0 ? 0 : 1 + size % 5; /* seldom 0 */
    }
    if (cache->tensor.dtype.bits == 4) {
        pieces->shape[rank - 1] *= values_of(cache->tensor.dtype);
        cache->shape[rank - 1] = pieces->shape[rank - 1] / cache_lanes;
    }
    *axis = 1 + (int)(take(in) % (unsigned)(rank - least_rank + 1));
    pieces->shape[*axis] -= pieces->shape[*axis] * (int64_t)(counts >> 2 & 3) / 4;
    indices->tensor.ndim = counts & 128 ? 2 : 1;
    pieces->shape[0] = take(in) % 160;
    if (!(counts & 128))
        pieces->shape[0] = cache->shape[0] - pieces->shape[0] % 2 * (cache->shape[0] > 1);
    indices->shape[0] = pieces->shape[0];
    indices->shape[1] = 2;
    return counts;
}

bool places_agree(const struct shape *cache, const struct shape *pieces, const struct shape *indices,
                  bool rows, int32_t axis)
{
    const int rank = pieces->rank, end = rank - (rows || reference_shares_bytes(cache->type, 1));
    const wide at = axis_at(axis, -2, rank);

    if (rank < (rows ? 3 : 2) || cache->rank != rank || at < 1 || at >= end)
        return false;
    for (int d = 1; d < rank; d++)
        if (d == at ? pieces->logical[d] > cache->logical[d] : pieces->logical[d] != cache->logical[d])
            return false;
    if (indices->rank < 1 || indices->rank > 2 || (indices->rank == 2 && indices->logical[1] != 2))
        return false;
    return indices->logical[0] == pieces->logical[0] &&
           (indices->rank == 2 || indices->logical[0] <= cache->logical[0]);
}

void sides_init(struct sides *sides, int report)
{
    memset(sides, 0, sizeof(*sides));
    slot_init(&sides->slot[REPORT], report);
    slot_init(&sides->slot[WORKSPACE], -1);
    sides->offset[REPORT] = 64;
}

void sides_spoil(struct sides *sides, unsigned what, struct input *in)
{
    if (what < SIDES)
        sides->offset[what] = (uint64_t)take_value(in);
    else
        sides->slot[take(in) % SIDES].buffer = (int)(take(in) % (BUFFERS + 1)) - 1;
}

void sides_finish(struct sides *sides)
{
    for (int side = 0; side < SIDES; side++)
        slot_finish(&sides->slot[side]);
}

bool side_is_right(struct sides *sides, int side, wide words, const struct tensors *t)
{
    struct slot *slot = &sides->slot[side];
    struct shape *shape = &sides->shape[side];

    if (slot->buffer < 0 || words == 0)
        return true;
    if (!is_words(slot, sides->offset[side], words, shape) || !fits(slot, shape))
        return false;
    for (int i = 0; i < t->count; i++)
        if (is_there(t, i) && meets(slot, shape, &t->slot[i], &t->shape[i]))
            return false;
    return side == REPORT || sides->slot[REPORT].buffer < 0 ||
           !meets(slot, shape, &sides->slot[REPORT], &sides->shape[REPORT]);
}

void sides_take(struct sides *sides, const struct reference_report *report, wide workspace_words)
{
    report_add(&sides->slot[REPORT], report);
    if (workspace_words > 0 && sides->slot[WORKSPACE].buffer >= 0)
        forget_bytes(&sides->slot[WORKSPACE], &sides->shape[WORKSPACE]);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What the entries of an index tensor are, as check_indices sees them: the lowest wrong one, and why. */
#include "judge.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Of a right call. */
static int64_t index_at(const struct judge *judge, int t, int64_t row, int64_t column)
{
    const struct facts *facts = &judge->facts[t];
    const DLTensor *dl = &judge->call->tensors[t].dl;
    const unsigned char *at = ((const struct memory *)dl->data)->bytes + dl->byte_offset;
    const wide element = row * facts->stride[0] + (facts->rank > 1 ? column * facts->stride[1] : 0);
    int32_t narrow;
    int64_t value;

    if (facts->type == REFERENCE_I64) {
        memcpy(&value, at + 8 * element, 8);
        return value;
    }
    memcpy(&narrow, at + 4 * element, 4);
    return narrow;
}

/* Where an entry of 1-D indices lies, and what its number is often meant to be. */
static const char *starts_text(int64_t i, int64_t start, int64_t size, int64_t batches, char text[256])
{
    const bool is_slot = size > 0 && start >= size && start / size < batches;

    snprintf(
        text, 256, "; 1-D indices are starts, entry %" PRId64 "'s in batch %" PRId64 "%s", i, i,
        is_slot
            ? "; a slot of the whole cache is given with index_kind CLQ_SLOTS (1), or as [batch, start] in "
              "indices [N, 2]"
            : "");
    return text;
}

static void rule_slots(struct judge *judge, const struct entry_rules *rules, int64_t batches, int64_t size,
                       int d)
{
    const char *name = judge_name(judge, rules->indices);
    const int before = judge->count;

    for (int64_t i = 0; i < judge->facts[rules->indices].size[0] && judge->count == before; i++) {
        const int64_t slot = index_at(judge, rules->indices, i, 0);

        if (slot == -1)
            continue;
        if (batches == 0)
            RULE(judge, true, CLQ_ERROR_INDEX,
                 "%s[%" PRId64 "] is slot %" PRId64
                 ": the cache has no batches, for its first dimension is 0",
                 name, i, slot);
        else
            RULE(judge, slot < 0 || slot >= batches * size, CLQ_ERROR_INDEX,
                 "%s[%" PRId64 "] is slot %" PRId64 ": it must be from 0 to %" PRId64
                 ", for the cache has %" PRId64 " batches of %" PRId64
                 " on axis %d, or -1, which skips the entry",
                 name, i, slot, batches * size - 1, batches, size, d);
    }
}

void rule_entry_indices(struct judge *judge, const struct entry_rules *rules)
{
    const struct facts *cache = &judge->facts[rules->cache], *pieces = &judge->facts[rules->pieces],
                       *indices = &judge->facts[rules->indices];
    const int d = axis_meant(rules->axis, -2, cache->rank), before = judge->count;
    const int64_t batches = (int64_t)cache->size[0], size = (int64_t)cache->size[d],
                  length = (int64_t)pieces->size[d];
    const char *name = judge_name(judge, rules->indices);
    const bool pairs = indices->rank == 2;
    char text[256];

    if (rules->index_kind == 1) {
        if (pieces->elements > 0)
            rule_slots(judge, rules, batches, size, d);
        return;
    }
    for (int64_t i = 0; i < indices->size[0] && pieces->elements > 0 && judge->count == before; i++) {
        const int64_t batch = pairs ? index_at(judge, rules->indices, i, 0) : i,
                      start = index_at(judge, rules->indices, i, pairs);

        if (batches == 0)
            RULE(judge, true, CLQ_ERROR_INDEX,
                 "%s[%" PRId64 "] has batch %" PRId64
                 ": the cache has no batches, for its first dimension is 0",
                 name, i, batch);
        else if (batch < 0 || batch >= batches)
            RULE(judge, true, CLQ_ERROR_INDEX,
                 "%s[%" PRId64 "] has batch %" PRId64 ": it must be from 0 to %" PRId64
                 ", the cache's first dimension less one",
                 name, i, batch, batches - 1);
        else
            RULE(judge, start < 0 || start > size - length, CLQ_ERROR_INDEX,
                 "%s[%" PRId64 "] has start %" PRId64 ": it must be from 0 to %" PRId64
                 ", the cache's %" PRId64 " on axis %d less an entry's %" PRId64 "%s",
                 name, i, start, size - length, size, d, length,
                 pairs ? "" : starts_text(i, start, size, batches, text));
    }
}

void rule_nd_indices(struct judge *judge, int cache, int indices)
{
    const struct facts *facts = &judge->facts[cache], *index = &judge->facts[indices];
    const int before = judge->count;
    wide rest = index->size[0];

    for (int d = (int)index->size[1]; d < facts->rank; d++)
        rest = facts->size[d] == 0 ? 0 : rest;
    for (int64_t i = 0; i < index->size[0] && rest > 0 && judge->count == before; i++)
        for (int d = 0; d < index->size[1] && judge->count == before; d++) {
            const int64_t at = index_at(judge, indices, i, d), size = (int64_t)facts->size[d];

            if (size == 0)
                RULE(judge, true, CLQ_ERROR_INDEX,
                     "%s[%" PRId64 ", %d] is %" PRId64 ": there is no index, for %s.shape[%d] is 0",
                     judge_name(judge, indices), i, d, at, judge_name(judge, cache), d);
            else
                RULE(judge, at < 0 || at >= size, CLQ_ERROR_INDEX,
                     "%s[%" PRId64 ", %d] is %" PRId64 ": it must be from 0 to %" PRId64
                     ", %s.shape[%d] less one",
                     judge_name(judge, indices), i, d, at, size - 1, judge_name(judge, cache), d);
        }
}

void rule_group_indices(struct judge *judge, int x, int ends)
{
    const int64_t rows = (int64_t)judge->facts[x].size[0], groups = (int64_t)judge->facts[ends].size[0];
    const char *name = judge_name(judge, ends);
    const int before = judge->count;
    int64_t end = 0;

    for (int64_t g = 0; g < groups && judge->count == before; g++) {
        const int64_t last = end;

        end = index_at(judge, ends, g, 0);
        RULE(judge, end < last, CLQ_ERROR_INDEX,
             "%s[%" PRId64 "] is %" PRId64 ": it must be at least %" PRId64 ", %s", name, g, end, last,
             g == 0 ? "for rows are not negative" : "the entry before it");
        if (end >= last)
            RULE(judge, end > rows, CLQ_ERROR_INDEX,
                 "%s[%" PRId64 "] is %" PRId64 ": it must be at most %" PRId64 ", the number of rows", name,
                 g, end, rows);
    }
    if (judge->count == before)
        RULE(judge, end != rows, CLQ_ERROR_INDEX,
             "%s[%" PRId64 "] is %" PRId64 ": the last entry must be %" PRId64 ", the number of rows", name,
             groups - 1, end, rows);
}

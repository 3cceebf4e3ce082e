/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments by which kernels know entries and their places. */
#include "plan/belongs/checked_call.h"
#include "plan/shares/tuning.h"

#include <clquant/quantize_scatter.h>

bool clq__placement_is_placed(const struct clq__placement *placement)
{
    return placement->kind != CLQ_ENTRY_NONE && placement->kind != CLQ_ENTRY_GROUPS;
}

/* If entries may overlap or wrap, a position of an entry is a row of its own, for it is kept or dropped,
 * and placed, alone. */
bool clq__placement_has_positions(const struct clq__placement *placement)
{
    return clq__placement_is_placed(placement) && placement->length > 1 &&
           (placement->may_overlap || placement->range == CLQ_WRAP);
}

bool clq__placement_takes(const struct clq__placement *placement, int d)
{
    if (placement->kind == CLQ_ENTRY_NONE)
        return false;
    return d == 0 || (clq__placement_has_positions(placement) && d == placement->axis);
}

void clq__placement_fold(const struct clq__placement *placement, struct clq__fold *fold, int64_t count,
                         const int64_t position_stride[CLQ__FOLD_TENSORS],
                         const int64_t entry_stride[CLQ__FOLD_TENSORS])
{
    if (clq__placement_has_positions(placement))
        clq__fold_add(fold, true, placement->length, position_stride);
    if (placement->kind != CLQ_ENTRY_NONE)
        clq__fold_add(fold, true, count, entry_stride);
}

void clq__placement_choose_overlap(struct clq_entries *entries, int64_t rows)
{
    int64_t hashed = CLQ__HASH_LEAST;

    if (rows <= CLQ__SCAN_LOOKS / entries->count) {
        entries->overlap = CLQ_OVERLAP_SCAN;
        return;
    }
    entries->overlap = CLQ_OVERLAP_OWNER;
    entries->owner_words = entries->batches * entries->size;
    if (entries->length > 1 || entries->count >= entries->owner_words / CLQ__HASH_PLACES)
        return;
    while (hashed < 2 * entries->count)
        hashed *= 2;
    entries->overlap = CLQ_OVERLAP_HASH;
    entries->owner_words = hashed;
}

void clq__placement_describe(const struct clq__placement *placement, int64_t count, int64_t rows,
                             struct clq_entries *entries)
{
    entries->kind = placement->kind;
    entries->report_offset = -1;
    entries->positions = 1;
    if (placement->kind == CLQ_ENTRY_NONE)
        return;
    entries->count = placement->indices.shape[0];
    entries->rows = rows / count;
    entries->index_offset = clq__view_offset_units(&placement->indices);
    entries->index_stride = placement->indices.stride[0];
    entries->index_pair = placement->indices.rank > 1 ? placement->indices.stride[1] : 0;
    entries->wide = placement->indices.type == CLQ__I64;
    if (placement->report.buffer != NULL)
        entries->report_offset = (int64_t)(placement->report.offset_bytes / sizeof(uint32_t));
    if (!clq__placement_is_placed(placement))
        return;
    entries->range = placement->kind == CLQ_ENTRY_SLOTS ? CLQ_ENTRY_WRAP : placement->range;
    entries->batches = placement->batches;
    entries->size = placement->size;
    entries->length = placement->length;
    entries->positions = clq__placement_has_positions(placement) ? placement->length : 1;
    if (placement->may_overlap)
        clq__placement_choose_overlap(entries, rows);
}

void clq__placement_steps(const struct clq__placement *placement, const struct clq__view *cache,
                          int64_t *batch, int64_t *start)
{
    *batch = clq__view_step_units(cache, placement->batches, cache->stride[0]);
    *start = clq__view_step_units(cache, placement->size, cache->stride[placement->axis]);
}

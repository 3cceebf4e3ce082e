/* SPDX-License-Identifier: Apache-2.0 */
#include "entries.h"
#include "run_args.h"

#include "args/claim.h"
#include "cpu/tuning.h"

int64_t divided(int64_t n, const struct clq_divisor *d)
{
    return (int64_t)((uint64_t)((unsigned __int128)((uint64_t)n << 1) * d->magic >> 64) >> d->shift);
}

struct place place_of(struct run *run, int64_t row, const struct clq_dim *dim, uint32_t dims)
{
    struct place place = {0, 0, 0, 0};

    for (uint32_t d = 0; d < dims; d++) {
        const int64_t rest = d + 1 < dims ? divided(row, &dim[d].by_size) : row / dim[d].size,
                      index = row - rest * dim[d].size;

        place.x += index * dim[d].x;
        place.y += index * dim[d].y;
        place.scale += index * dim[d].scale;
        place.zero_point += index * dim[d].zero_point;
        row = rest;
    }
    if (row != 0)
        run_fail(run, "a row lies behind the last index of its dimensions");
    return place;
}

static uint32_t divided_32(uint32_t n, const struct clq_divisor *d)
{
    return (uint32_t)((uint64_t)(n << 1) * d->magic32 >> 32) >> d->shift;
}

struct place place_of_slice(struct run *run, int64_t number, const struct clq_dim *dim, uint32_t dims)
{
    const struct place whole = place_of(run, number, dim, dims);
    uint32_t x = 0, y = 0, scale = 0, zero_point = 0, row = (uint32_t)number;

    for (uint32_t d = 0; d < dims; d++) {
        const uint32_t rest = d + 1 < dims ? divided_32(row, &dim[d].by_size) : 0,
                       index = row - rest * (uint32_t)dim[d].size;

        x += index * (uint32_t)dim[d].x;
        y += index * (uint32_t)dim[d].y;
        scale += index * (uint32_t)dim[d].scale;
        zero_point += index * (uint32_t)dim[d].zero_point;
        row = rest;
    }
    if (number > INT32_MAX || x != whole.x || y != whole.y || scale != whole.scale ||
        zero_point != whole.zero_point)
        run_fail(run, "row %lld does not lie where 32 bits have it", (long long)number);
    return whole;
}

/* What an entry asks for, in range. */
struct target {
    bool kept, clamped, skipped;
    int64_t batch, start;
};

static int64_t nearest(int64_t value, int64_t last)
{
    return value < 0 ? 0 : value > last ? last : value;
}

/* A position of all batches, one behind the other; -1 skips the entry. */
static struct target slot_of(struct run *run, const struct clq_entries *e, int64_t slot)
{
    struct target target = {.skipped = slot == -1};

    if (e->range != CLQ_ENTRY_WRAP || e->length != 1 || e->positions != 1)
        run_fail(run, "slots of %lld positions, with policy %u", (long long)e->length, (unsigned)e->range);
    if (slot < 0)
        return target;
    target.batch = divided(slot, &e->by_size);
    target.start = slot - target.batch * e->size;
    target.kept = target.batch < e->batches;
    return target;
}

static struct target target_of(struct run *run, const struct clq_entries *e, unsigned indices, int64_t entry)
{
    const int64_t at = e->index_offset + entry * e->index_stride;
    const bool pairs = e->kind == CLQ_ENTRY_PAIRS;
    const int64_t batch = pairs ? run_load_index(run, indices, e->wide, at) : entry;
    const int64_t start = run_load_index(run, indices, e->wide, pairs ? at + e->index_pair : at);
    const int64_t last_start = e->size - e->length;
    const bool batch_fits = batch >= 0 && batch < e->batches, start_fits = start >= 0 && start <= last_start;
    struct target target = {batch_fits && start_fits, false, false, batch, start};

    if (e->kind == CLQ_ENTRY_SLOTS)
        return slot_of(run, e, start);
    if (e->range == CLQ_ENTRY_CLAMP && e->batches > 0) {
        target.clamped = !target.kept;
        target.kept = true;
        target.batch = nearest(batch, e->batches - 1);
        target.start = nearest(start, last_start);
    } else if (e->range == CLQ_ENTRY_WRAP) {
        /* ~n is -1 - n */
        const int64_t n = start < 0 ? ~start : start, m = n - divided(n, &e->by_size) * e->size;

        target.kept = batch_fits;
        target.start = start < 0 ? e->size - 1 - m : m;
    }
    return target;
}

/* Position number u of the entry: a ring goes on at its beginning. */
static int64_t position_of(struct run *run, const struct clq_entries *e, const struct target *target,
                           int64_t u)
{
    const int64_t position = target->start + u;

    if (position < e->size)
        return position;
    if (e->range != CLQ_ENTRY_WRAP)
        run_fail(run, "position %lld lies behind the last one, %lld", (long long)position,
                 (long long)e->size);
    return position - e->size;
}

static bool same_place(const struct target *a, const struct target *b)
{
    return a->batch == b->batch && a->start == b->start;
}

/* The word of the table for a place: its own one, or the first from some number on that is free, or has an
 * entry of this place. Where a search begins is nobody's business but the kernels'. */
static uint32_t *owner_of(struct run *run, const struct clq_entries *e, unsigned indices, unsigned owners,
                          const struct target *target, int64_t position)
{
    const int64_t number = target->batch * e->size + position;

    if (e->overlap == CLQ_OVERLAP_OWNER) {
        if (number < 0 || number >= e->owner_words)
            run_fail(run, "place %lld is none of the table's %lld words", (long long)number,
                     (long long)e->owner_words);
        return run_word(run, owners, e->owner_offset + number);
    }
    if (e->owner_words < 2 * e->count || (e->owner_words & (e->owner_words - 1)) != 0 || e->length != 1)
        run_fail(run, "a table of hashes of %lld words for %lld entries of %lld positions",
                 (long long)e->owner_words, (long long)e->count, (long long)e->length);
    for (int64_t i = 0; i < e->owner_words && !run_failed(run); i++) {
        uint32_t *word = run_word(run, owners, e->owner_offset + ((number + i) & (e->owner_words - 1)));

        if (word == NULL || *word == 0)
            return word;
        const struct target other = target_of(run, e, indices, (int64_t)*word - 1);

        if (same_place(&other, target))
            return word;
    }
    return NULL;
}

static bool covers(struct run *run, const struct clq_entries *e, const struct target *target,
                   int64_t position)
{
    for (int64_t u = 0; u < e->length; u++)
        if (position_of(run, e, target, u) == position)
            return true;
    return false;
}

enum { SRC_INDICES = 2 }; /* the buffer, of claim.cl too */

/* The same as where entries go; of kind NONE all of them are there. */
static struct target source_of(struct run *run, const struct clq_source *s, const struct clq_entries *e,
                               unsigned indices, int64_t entry)
{
    const struct clq_entries from = {.index_offset = s->index_offset,
                                     .index_stride = s->index_stride,
                                     .index_pair = s->index_pair,
                                     .batches = s->batches,
                                     .size = s->size,
                                     .length = e->length,
                                     .positions = s->kind == CLQ_ENTRY_SLOTS ? 1 : e->positions,
                                     .by_size = s->by_size,
                                     .kind = s->kind,
                                     .range = s->range,
                                     .wide = s->wide};

    if (s->kind == CLQ_ENTRY_NONE)
        return (struct target){.kept = true};
    return target_of(run, &from, indices, entry);
}

/* Whether a later entry writes the position, of those that have a source. */
static bool is_overwritten(struct run *run, const struct clq_entries *e, const struct entry_buffers *buffers,
                           const struct clq_source *source, int64_t entry, const struct target *target,
                           int64_t position)
{
    if (e->overlap == CLQ_OVERLAP_NONE)
        return false;
    if (e->overlap != CLQ_OVERLAP_SCAN) {
        const uint32_t *word = owner_of(run, e, buffers->indices, buffers->owners, target, position);

        return word == NULL || *word != (uint32_t)entry + 1;
    }
    for (int64_t later = entry + 1; later < e->count && !run_failed(run); later++) {
        const struct target other = target_of(run, e, buffers->indices, later);

        if (other.kept && other.batch == target->batch && covers(run, e, &other, position) &&
            source_of(run, source, e, SRC_INDICES, later).kept)
            return true;
    }
    return false;
}

/* Entries that were dropped or clamped are counted, and the lowest of them is kept as itself plus 1. On the
 * stub, launches that run at once may have one report. */
void entries_report(struct run *run, unsigned buffer, int64_t offset, int64_t entry, bool clamped)
{
    uint32_t *count, *first, lowest;

    if (offset < 0)
        return;
    count = run_word(run, buffer, offset + clamped);
    first = run_word(run, buffer, offset + 2);
    if (count == NULL || first == NULL)
        return;
    __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
    lowest = __atomic_load_n(first, __ATOMIC_RELAXED);
    while ((lowest == 0 || entry + 1 < lowest) &&
           !__atomic_compare_exchange_n(first, &lowest, (uint32_t)(entry + 1), false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
        ;
}

/* The first group whose end lies behind the row, by halving, for ends may be in any order. */
static int64_t group_of(struct run *run, const struct clq_entries *e, unsigned indices, int64_t row)
{
    int64_t low = 0, high = e->count;

    while (low < high) {
        const int64_t middle = low + (high - low) / 2;

        if (run_load_index(run, indices, e->wide, e->index_offset + middle * e->index_stride) <= row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const struct clq_source no_source = {.kind = CLQ_ENTRY_NONE};

bool entries_place(struct run *run, const struct clq_entries *e, const struct entry_buffers *buffers,
                   int64_t row, bool counts, struct place *place)
{
    int64_t entry, inside, position;
    struct target target;

    if (e->kind == CLQ_ENTRY_NONE)
        return true;
    if (e->positions < 1 || e->rows < e->positions || e->rows % e->positions != 0) {
        run_fail(run, "entries have %lld rows in %lld positions", (long long)e->rows,
                 (long long)e->positions);
        return false;
    }
    entry = divided(row, &e->by_rows);
    if (row <= INT32_MAX && divided_32((uint32_t)row, &e->by_rows) != entry)
        run_fail(run, "row %lld is of another entry in 32 bits", (long long)row);
    inside = row - entry * e->rows;
    entry += e->first;
    counts = counts && inside == 0;
    if (e->kind == CLQ_ENTRY_GROUPS) {
        const int64_t group = group_of(run, e, buffers->indices, entry);

        if (group == e->count && counts)
            entries_report(run, buffers->report, e->report_offset, entry, false);
        place->scale += group * e->scale_row;
        return group < e->count;
    }
    target = target_of(run, e, buffers->indices, entry);
    if (counts && !target.skipped && (!target.kept || target.clamped))
        entries_report(run, buffers->report, e->report_offset, entry, target.clamped);
    if (!target.kept)
        return false;
    position = position_of(
        run, e, &target, e->first_position + (e->positions > 1 ? divided(inside, &e->by_position_rows) : 0));
    if (is_overwritten(run, e, buffers, &no_source, entry, &target, position))
        return false;
    place->y += target.batch * e->y_batch + position * e->y_start;
    place->scale += target.batch * e->scale_batch + position * e->scale_start;
    place->zero_point += target.batch * e->zero_point_batch + position * e->zero_point_start;
    return true;
}

/* An entry that one side skips is none; one that a side drops is dropped once. */
static void report_moved(struct run *run, const struct clq_entries *e, int64_t entry,
                         const struct target *from, const struct target *to)
{
    const bool kept = from->kept && to->kept;

    if (!from->skipped && !to->skipped && (!kept || from->clamped || to->clamped))
        entries_report(run, 5, e->report_offset, entry, kept);
}

bool entries_move(struct run *run, const struct move_rows_args *args, int64_t row, bool counts,
                  struct place *place)
{
    static const struct entry_buffers buffers = {.indices = 3, .owners = 4, .report = 5};
    const struct clq_entries *e = &args->entries;
    const struct clq_source *s = &args->source;
    const int64_t entry = divided(row, &e->by_rows), inside = row - entry * e->rows,
                  u = e->positions > 1 ? divided(inside, &e->by_position_rows) : 0;
    const struct target from = source_of(run, s, e, SRC_INDICES, entry),
                        to = e->kind == CLQ_ENTRY_NONE ? (struct target){.kept = true}
                                                       : target_of(run, e, buffers.indices, entry);
    const struct clq_entries ring = {.size = s->size, .range = s->range};
    int64_t position;

    if (e->positions < 1 || e->rows % e->positions != 0 || entry >= e->count)
        run_fail(run, "row %lld of %lld entries with %lld rows in %lld positions", (long long)row,
                 (long long)e->count, (long long)e->rows, (long long)e->positions);
    if (counts && inside == 0)
        report_moved(run, e, entry, &from, &to);
    if (run_failed(run) || !from.kept || !to.kept)
        return false;
    *place = place_of(run, row, args->dim, args->outer);
    if (s->kind != CLQ_ENTRY_NONE)
        place->x += from.batch * s->x_batch + position_of(run, &ring, &from, u) * s->x_start;
    if (e->kind == CLQ_ENTRY_NONE)
        return !run_failed(run);
    position = position_of(run, e, &to, u);
    place->y += to.batch * e->y_batch + position * e->y_start;
    return !is_overwritten(run, e, &buffers, s, entry, &to, position) && !run_failed(run);
}

/* Positions of entries that have a source: one of a work-item, or those of a CPU's. */
void run_claim(struct run *run)
{
    const struct claim_args *a = run->launch->args;
    const struct clq_entries *e = &a->entries;
    const bool own = (run->launch->variant.bits & 255) == CLQ__CPU_CLAIM_CL;

    run_share(run, e->count * e->length, own ? CLQ_CPU_CLAIM_ITEM : 1, 0);
    for (int64_t item = 0; item < e->count * e->length && !run_failed(run); item++) {
        const int64_t entry = divided(item, &a->by_length);
        const struct target target = target_of(run, e, 0, entry);
        uint32_t *word;

        if (!target.kept || !source_of(run, &a->source, e, SRC_INDICES, entry).kept)
            continue;
        word = owner_of(run, e, 0, 1, &target, position_of(run, e, &target, item - entry * e->length));
        if (word != NULL && *word < (uint32_t)entry + 1)
            *word = (uint32_t)entry + 1;
    }
}

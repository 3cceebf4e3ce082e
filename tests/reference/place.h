/* SPDX-License-Identifier: Apache-2.0 */
/* Where the entries of indices go: one walk for every operator that scatters or gathers. */
#ifndef CLQUANT_REFERENCE_PLACE_H
#define CLQUANT_REFERENCE_PLACE_H

#include "reference.h"

/* Where an entry goes: its index of the first dimension, and its first element on the axis. */
struct reference_place {
    int64_t batch;
    int64_t start;
};

/* Entries of `length` on the axis, counted from 0, of a cache that indices, (N) or (N, 2), point into. */
struct reference_places {
    const struct reference_tensor *cache;
    const struct reference_tensor *indices;
    int axis;
    int64_t length;
    enum reference_range range;
    bool slots; /* indices (N): batch * size + start, or -1, which skips the entry */
};

/* False where the entry is dropped or skipped; what becomes of it is added to the report. */
bool reference_place_of(const struct reference_places *places, int64_t entry, struct reference_place *place,
                        struct reference_report *report);

/* The index in the cache of what stands at `from` of the entry: only an entry of a ring goes past the end,
 * and goes on at the beginning. */
void reference_placed(const struct reference_places *places, struct reference_place place,
                      const int64_t *from, int64_t *to);

/* The first group whose end row lies behind row, as a binary search finds it, or the number of groups
 * (group_quantize.c). */
int64_t reference_group_of(const struct reference_tensor *group_index, int64_t row);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the device's memory allows at the places of a scatter: a kernel that reads as much as the scatter, in
 * order, writes as much at the same places, and computes nothing. */
#ifndef CLQUANT_BENCH_LIMIT_PLACES_H
#define CLQUANT_BENCH_LIMIT_PLACES_H

#include "limit.h"
#include "places.h"

struct limit_places {
    const struct places *places;
    struct limit_mix mix;
    size_t next; /* run: it takes its set of places */
};

/* Of entries at pairs (batch, start), of one position, that read and write so many bytes each. Adds nothing
 * where these are no whole words of 16 bytes, as many read for each that is written. Clear accepts zeros. */
bool limit_places_add(struct bench *bench, struct race *race, struct limit_places *loop,
                      const struct places *places, size_t src_entry_bytes, size_t dst_entry_bytes);
void limit_places_clear(struct limit_places *loop);

#endif

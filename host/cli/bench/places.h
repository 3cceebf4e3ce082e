/* SPDX-License-Identifier: Apache-2.0 */
/* Indices of a scatter: sets of places, at random or in order, a set for each call, so that calls differ in
 * where they write. */
#ifndef CLQUANT_BENCH_PLACES_H
#define CLQUANT_BENCH_PLACES_H

#include "bench.h"

struct places {
    int64_t batches, length;        /* of the cache: its first dimension and its axis */
    int64_t entries, update_length; /* of the updates */
    bool pairs;    /* (batch, start) for each entry of one position, no two of a set the same; else a start */
    bool slots;    /* pairs: as one number, batch * length + start */
    bool ordered;  /* pairs: each behind the one before, round the cache */
    int64_t paged; /* pairs: whole batches of this half of the cache, 1 or 2, at random; 0: positions */
    int64_t repeated; /* paged: each so many times; 0: once */
    int sets;

    cl_mem buffer;
};

/* Fills what follows `sets`, with the same places each time; clear accepts what init left, or zeros. */
bool places_init(struct bench *bench, struct places *places);
void places_clear(struct places *places);

/* Numbers of an entry. */
int places_columns(const struct places *places);

/* Of the set of this call. */
size_t places_offset_bytes(const struct places *places, size_t call);

#endif

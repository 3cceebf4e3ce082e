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
    int32_t *values;
};

/* Fills what follows `sets`; clear accepts what init left, or zeros. */
bool places_init(struct bench *bench, struct places *places);
void places_clear(struct places *places);

/* Numbers of an entry. */
int places_columns(const struct places *places);

/* Of the set of this call. */
size_t places_offset_bytes(const struct places *places, size_t call);
const int32_t *places_of_call(const struct places *places, size_t call);

/* Where entry i of the call begins. */
void places_entry(const struct places *places, size_t call, int64_t i, int64_t *batch, int64_t *start);

/* The first position, counted over all batches, that no entry of the call writes; -1: each is written. */
int64_t places_untouched(const struct places *places, size_t call);

#endif

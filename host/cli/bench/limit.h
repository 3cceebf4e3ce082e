/* SPDX-License-Identifier: Apache-2.0 */
/* What the device's memory allows: the contestants that compute nothing. */
#ifndef CLQUANT_BENCH_LIMIT_H
#define CLQUANT_BENCH_LIMIT_H

#include "call.h"
#include "race.h"

enum { LIMIT_MIXES = 64, WORD_BYTES = 16 };

/* The fastest way to stream one mix of bytes, found once. */
struct limit_mix {
    size_t src_bytes, dst_bytes;
    struct limit_way {
        struct stream_way host; /* a CPU's */
        size_t local, global;   /* any other device's, of its kernel */
    } way;
    cl_kernel kernel;
    const struct places *places; /* of entries, where the kernel writes at places */
    size_t next;                 /* run: it takes its set of places */
};

struct limit {
    struct limit_mix mixes[LIMIT_MIXES];
    size_t count;
};

/* Adds the stream loop over so many bytes of x and y, on a CPU pieces that nobody has just read. */
bool limit_add(struct bench *bench, struct limit *limit, struct race *race, size_t src_bytes,
               size_t dst_bytes);

/* Adds a kernel that reads as much as a scatter of entries at pairs (batch, start), of one position, writes
 * as much at the same places, and computes nothing. Nothing is added where the bytes that an entry reads and
 * writes are no whole words of 16 bytes, as many read for each that is written. */
bool limit_places_add(struct bench *bench, struct race *race, struct limit_mix *mix,
                      const struct places *places, size_t src_entry_bytes, size_t dst_entry_bytes);

/* Accepts zeros. */
void limit_mix_clear(struct limit_mix *mix);
void limit_clear(struct limit *limit);

#endif

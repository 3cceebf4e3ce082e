/* SPDX-License-Identifier: Apache-2.0 */
/* What the device's memory allows: the contestants that compute nothing. */
#ifndef CLQUANT_BENCH_LIMIT_H
#define CLQUANT_BENCH_LIMIT_H

#include "race.h"
#include "stream.h"

enum { LIMIT_MIXES = 64, WORD_BYTES = 16 };

/* The fastest way to stream one mix of bytes, found once. */
struct limit_mix {
    size_t src_bytes, dst_bytes;
    struct stream_way way; /* a CPU's */
    cl_kernel kernel;      /* any other device's, with its sizes */
    size_t local, global;
};

struct limit {
    struct limit_mix mixes[LIMIT_MIXES];
    size_t count;
};

/* Adds the stream loop over so many bytes of x and y, on a CPU pieces that nobody has just read; and copies
 * of a half of both. */
bool limit_add(struct bench *bench, struct race *race, size_t src_bytes, size_t dst_bytes);

/* Of a kernel of bench.cl whose arguments are set, so many blocks of 16-byte words: the fastest group size
 * and number of blocks an item. And a run of it. */
bool limit_find_sizes(struct bench *bench, struct limit_mix *mix, cl_ulong blocks);
bool limit_run(struct bench *bench, const struct limit_mix *mix);

/* Copies alone, for the report's head. */
bool limit_measure_copies(struct bench *bench);

void limit_clear(struct limit *limit);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The stream loop: reads the same bytes and writes the same bytes as an operator, and computes nothing. What
 * it reaches is what the memory allows, so an operator's share of it is a fair figure on any machine.
 *
 * Mixes from eight bytes read for one written, to one read for eight written, have a loop each; for any other
 * the nearest one runs and the rest is only read, or only written. A block of a mix R:W is R lines of 64
 * bytes in and W lines out: each line out is the exclusive or of the lines in, so that nothing that is read
 * can be left away. What is less than a line is left. */
#ifndef CLQUANT_BENCH_STREAM_H
#define CLQUANT_BENCH_STREAM_H

#include "pool.h"

#include <stdbool.h>
#include <stdint.h>

enum { LINE_BYTES = 64 };

/* X(lines read, lines written) of a block */
#define STREAM_MIXES(X) X(8, 1) X(4, 1) X(2, 1) X(1, 1) X(1, 2) X(1, 4) X(1, 8) X(1, 0) X(0, 1)

#define STREAM_MIX_ONE(reads, writes) +1
enum { STREAM_MIX_COUNT = STREAM_MIXES(STREAM_MIX_ONE) };

/* sink: a line that takes what a loop without writes has read. */
typedef void stream_loop(const uint8_t *src, uint8_t *dst, size_t blocks, size_t ahead_bytes, uint8_t *sink);

/* What each instruction set has. (stream_loops.c) */
extern const struct stream_loops {
    const char *name;
    stream_loop *run[STREAM_MIX_COUNT][2][2]; /* mix, prefetch, non-temporal */
} stream_loops_plain, stream_loops_avx2, stream_loops_avx512;

/* One way to run the loop. */
struct stream_way {
    size_t set;           /* of instructions */
    unsigned ahead_bytes; /* prefetched that far ahead; 0: not at all */
    bool non_temporal;    /* written past the caches */
};

struct stream_bytes {
    const void *src;
    void *dst;
    size_t src_bytes, dst_bytes;
};

/* The sets of instructions that this processor has, the widest last. */
size_t stream_sets(void);
const char *stream_set_name(size_t set);

void stream_run(struct pool *pool, const struct stream_way *way, const struct stream_bytes *bytes);

/* Lists every way that this processor has; returns how many. */
enum { STREAM_MOST_WAYS = 30 };
size_t stream_list_ways(struct stream_way ways[STREAM_MOST_WAYS]);

#endif

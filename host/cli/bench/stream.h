/* SPDX-License-Identifier: Apache-2.0 */
/* The stream loop: reads the same bytes and writes the same bytes as an operator, and computes nothing. What
 * it reaches is what the memory allows, so an operator's share of it is a fair figure on any machine.
 *
 * Mixes from eight bytes read for one written, to one read for eight written, have a loop each; for any other
 * the nearest one runs and the rest is only read, or only written. A block of a mix R:W is R lines of 64
 * bytes in and W lines out: each line out is the exclusive or of the lines in, so that nothing that is read
 * can be left away. Where less than a block is left its lines are shorter. */
#ifndef CLQUANT_BENCH_STREAM_H
#define CLQUANT_BENCH_STREAM_H

#include "isa.h"
#include "pool.h"

#include <stdbool.h>

/* One way to run the loop. */
struct stream_way {
    enum isa isa;
    unsigned ahead_bytes; /* prefetched that far ahead; 0: not at all */
    bool non_temporal;    /* written past the caches */
};

struct stream_bytes {
    const void *src;
    void *dst;
    size_t src_bytes, dst_bytes;
};

void stream_run(struct pool *pool, const struct stream_way *way, const struct stream_bytes *bytes);

/* Every way that this processor has, on these bytes; returns the fastest. */
struct stream_way stream_find_way(struct pool *pool, const struct stream_bytes *bytes);

#endif

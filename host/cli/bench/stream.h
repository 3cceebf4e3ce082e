/* SPDX-License-Identifier: Apache-2.0 */
/* The stream loop: reads the same bytes and writes the same bytes as an operator, and computes nothing. What
 * it reaches is what the memory allows, so an operator's share of it is a fair figure on any machine.
 *
 * A block of R:W is R lines of 64 bytes in and W lines out: each line out is the exclusive or of all lines in
 * so far, so that nothing that is read can be left away. R or W is 1, and the other the nearest whole number;
 * what that leaves is only read, or only written, and less than a line is left. */
#ifndef CLQUANT_BENCH_STREAM_H
#define CLQUANT_BENCH_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A thread for every processor that the process may use, the caller's among them, kept alive between timings
 * so that none pays for starting them. False: the system refused one. Once in a process. (pool.c) */
bool pool_start(void);
void pool_stop(void);

/* Calls piece(arg, 0 .. pieces-1), each once, from all threads; returns when all are done. Threads take
 * pieces as they finish, so a processor that is busy elsewhere holds nobody up. */
void pool_run(size_t pieces, void (*piece)(void *arg, size_t index), void *arg);

enum { LINE_BYTES = 64, STREAM_MOST_WAYS = 30 };

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

/* Lists every way that this processor has; returns how many. */
size_t stream_list_ways(struct stream_way ways[STREAM_MOST_WAYS]);

void stream_run(const struct stream_way *way, const struct stream_bytes *bytes);

/* What one thread does; sink is a line that takes what is read where nothing is written. */
struct stream_piece {
    const uint8_t *src;
    uint8_t *dst, *sink;
    size_t blocks, reads, writes, ahead_bytes;
};

/* Of each set of instructions. (stream_loops.c) */
typedef void stream_loop(const struct stream_piece *piece, bool non_temporal);
stream_loop stream_plain, stream_avx2, stream_avx512;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A thread for every processor, kept alive between timings so that none pays for starting them. */
#ifndef CLQUANT_BENCH_POOL_H
#define CLQUANT_BENCH_POOL_H

#include <stddef.h>

struct pool;

/* As many threads as the process may use processors; the caller's is one of them. NULL: the system refused.
 */
struct pool *pool_create(void);
void pool_destroy(struct pool *pool);

/* Calls piece(arg, 0 .. pieces-1), each once, from all threads; returns when all are done. Threads take
 * pieces as they finish, so a processor that is busy elsewhere holds nobody up. */
void pool_run(struct pool *pool, size_t pieces, void (*piece)(void *arg, size_t index), void *arg);

#endif

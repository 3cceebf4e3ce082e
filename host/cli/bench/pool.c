/* SPDX-License-Identifier: Apache-2.0 */
/* Persistent threads between two barriers: one starts a run, the other ends it. */
#include "pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { MOST_THREADS = 256 };

struct pool {
    pthread_t threads[MOST_THREADS]; /* those beside the caller's */
    size_t started;
    pthread_mutex_t gate;
    pthread_barrier_t start, end;
    bool refused, stopping; /* written while no thread reads them: behind the gate, or the barrier */
    atomic_size_t next;
    size_t pieces;
    void (*piece)(void *arg, size_t index);
    void *arg;
};

static void take_pieces(struct pool *pool)
{
    size_t index;

    while ((index = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed)) < pool->pieces)
        pool->piece(pool->arg, index);
}

static void *serve(void *arg)
{
    struct pool *pool = arg;

    /* Held by pool_create until every thread is there, or none is wanted any more. */
    pthread_mutex_lock(&pool->gate);
    pthread_mutex_unlock(&pool->gate);
    if (pool->refused)
        return NULL;
    for (;;) {
        pthread_barrier_wait(&pool->start);
        if (pool->stopping)
            return NULL;
        take_pieces(pool);
        pthread_barrier_wait(&pool->end);
    }
}

static size_t processors(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;

    return count > MOST_THREADS ? MOST_THREADS : (size_t)count;
}

static void join_threads(struct pool *pool)
{
    for (size_t i = 0; i < pool->started; i++)
        pthread_join(pool->threads[i], NULL);
    pthread_barrier_destroy(&pool->start);
    pthread_barrier_destroy(&pool->end);
    pthread_mutex_destroy(&pool->gate);
    free(pool);
}

struct pool *pool_create(void)
{
    struct pool *pool = calloc(1, sizeof *pool);
    size_t threads = processors();

    if (!pool)
        return NULL;
    pthread_mutex_init(&pool->gate, NULL);
    pthread_barrier_init(&pool->start, NULL, (unsigned)threads);
    pthread_barrier_init(&pool->end, NULL, (unsigned)threads);

    pthread_mutex_lock(&pool->gate);
    while (pool->started < threads - 1 &&
           pthread_create(&pool->threads[pool->started], NULL, serve, pool) == 0)
        pool->started++;
    pool->refused = pool->started < threads - 1;
    pthread_mutex_unlock(&pool->gate);

    if (pool->refused) {
        join_threads(pool);
        pool = NULL;
    }
    return pool;
}

void pool_destroy(struct pool *pool)
{
    if (!pool)
        return;
    pool->stopping = true;
    pthread_barrier_wait(&pool->start);
    join_threads(pool);
}

void pool_run(struct pool *pool, size_t pieces, void (*piece)(void *arg, size_t index), void *arg)
{
    for (size_t i = 0; !pool && i < pieces; i++)
        piece(arg, i);
    if (!pool)
        return;
    pool->pieces = pieces;
    pool->piece = piece;
    pool->arg = arg;
    atomic_store(&pool->next, 0);
    pthread_barrier_wait(&pool->start);
    take_pieces(pool);
    pthread_barrier_wait(&pool->end);
}

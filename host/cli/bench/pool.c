/* SPDX-License-Identifier: Apache-2.0 */
/* Persistent threads, which wait for the next run. */
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
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    size_t run, busy; /* how many runs were begun; threads that are not done with the last one */
    bool stopping;
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

    pthread_mutex_lock(&pool->lock);
    for (size_t done = 0;; done = pool->run) {
        while (pool->run == done && !pool->stopping)
            pthread_cond_wait(&pool->begin, &pool->lock);
        if (pool->stopping)
            break;
        pthread_mutex_unlock(&pool->lock);
        take_pieces(pool);
        pthread_mutex_lock(&pool->lock);
        if (--pool->busy == 0)
            pthread_cond_signal(&pool->end);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static size_t processors(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;

    return count > MOST_THREADS ? MOST_THREADS : (size_t)count;
}

struct pool *pool_create(void)
{
    struct pool *pool = calloc(1, sizeof *pool);
    const size_t others = processors() - 1;

    if (!pool)
        return NULL;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->begin, NULL);
    pthread_cond_init(&pool->end, NULL);
    while (pool->started < others && pthread_create(&pool->threads[pool->started], NULL, serve, pool) == 0)
        pool->started++;
    if (pool->started == others)
        return pool;
    pool_destroy(pool);
    return NULL;
}

void pool_destroy(struct pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->stopping = true;
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
    for (size_t i = 0; i < pool->started; i++)
        pthread_join(pool->threads[i], NULL);
    pthread_cond_destroy(&pool->end);
    pthread_cond_destroy(&pool->begin);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

void pool_run(struct pool *pool, size_t pieces, void (*piece)(void *arg, size_t index), void *arg)
{
    pthread_mutex_lock(&pool->lock);
    pool->pieces = pieces;
    pool->piece = piece;
    pool->arg = arg;
    pool->busy = pool->started;
    pool->run++;
    atomic_store(&pool->next, 0);
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
    take_pieces(pool);
    pthread_mutex_lock(&pool->lock);
    while (pool->busy > 0)
        pthread_cond_wait(&pool->end, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

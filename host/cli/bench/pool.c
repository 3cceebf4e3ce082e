/* SPDX-License-Identifier: Apache-2.0 */
/* Persistent threads, which wait for the next run. */
#include "stream.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { MOST_THREADS = 256 };

static struct {
    pthread_t threads[MOST_THREADS]; /* those beside the caller's */
    size_t started;
    size_t run, busy; /* how many runs were begun; threads that are not done with the last one */
    bool stopping;
    atomic_size_t next;
    size_t pieces;
    void (*piece)(void *arg, size_t index);
    void *arg;
} pool;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t begin = PTHREAD_COND_INITIALIZER, end = PTHREAD_COND_INITIALIZER;

static void take_pieces(void)
{
    size_t index;

    while ((index = atomic_fetch_add_explicit(&pool.next, 1, memory_order_relaxed)) < pool.pieces)
        pool.piece(pool.arg, index);
}

static void *serve(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    for (size_t done = 0;; done = pool.run) {
        while (pool.run == done && !pool.stopping)
            pthread_cond_wait(&begin, &lock);
        if (pool.stopping)
            break;
        pthread_mutex_unlock(&lock);
        take_pieces();
        pthread_mutex_lock(&lock);
        if (--pool.busy == 0)
            pthread_cond_signal(&end);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

bool pool_start(void)
{
    cpu_set_t set;
    const int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    const size_t others = (count > MOST_THREADS ? MOST_THREADS : (size_t)count) - 1;

    while (pool.started < others && pthread_create(&pool.threads[pool.started], NULL, serve, NULL) == 0)
        pool.started++;
    return pool.started == others;
}

void pool_stop(void)
{
    pthread_mutex_lock(&lock);
    pool.stopping = true;
    pthread_cond_broadcast(&begin);
    pthread_mutex_unlock(&lock);
    while (pool.started > 0)
        pthread_join(pool.threads[--pool.started], NULL);
}

void pool_run(size_t pieces, void (*piece)(void *arg, size_t index), void *arg)
{
    pthread_mutex_lock(&lock);
    pool.pieces = pieces;
    pool.piece = piece;
    pool.arg = arg;
    pool.busy = pool.started;
    pool.run++;
    atomic_store(&pool.next, 0);
    pthread_cond_broadcast(&begin);
    pthread_mutex_unlock(&lock);
    take_pieces();
    pthread_mutex_lock(&lock);
    while (pool.busy > 0)
        pthread_cond_wait(&end, &lock);
    pthread_mutex_unlock(&lock);
}

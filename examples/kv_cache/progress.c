/* SPDX-License-Identifier: Apache-2.0 */
/* A thread beside the one that waits for the compiler. */
#include "progress.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct progress {
    const char *what;
    bool over;
    pthread_mutex_t lock;
    pthread_cond_t end;
    pthread_t thread;
};

static void show(const struct progress *progress, bool terminal, int seconds)
{
    if (terminal)
        fprintf(stderr, "\r\033[Kkv_cache: %s, %d s", progress->what, seconds);
    else if (seconds == 1)
        fprintf(stderr, "kv_cache: %s\n", progress->what);
    fflush(stderr);
}

static void *watch(void *user)
{
    struct progress *progress = user;
    const bool terminal = isatty(STDERR_FILENO) == 1;
    struct timespec next;
    int seconds = 0;

    clock_gettime(CLOCK_REALTIME, &next);
    pthread_mutex_lock(&progress->lock);
    while (!progress->over) {
        next.tv_sec++;
        while (!progress->over && pthread_cond_timedwait(&progress->end, &progress->lock, &next) != ETIMEDOUT)
            ; /* woken for nothing, or for the end */
        if (!progress->over)
            show(progress, terminal, ++seconds);
    }
    pthread_mutex_unlock(&progress->lock);
    if (terminal && seconds > 0)
        fputs("\r\033[K", stderr);
    return NULL;
}

struct progress *progress_begin(const char *what)
{
    struct progress *progress = malloc(sizeof *progress);

    if (progress == NULL)
        return NULL;
    *progress = (struct progress){.what = what};
    pthread_mutex_init(&progress->lock, NULL);
    pthread_cond_init(&progress->end, NULL);
    if (pthread_create(&progress->thread, NULL, watch, progress) == 0)
        return progress;
    pthread_cond_destroy(&progress->end);
    pthread_mutex_destroy(&progress->lock);
    free(progress);
    return NULL;
}

void progress_end(struct progress *progress)
{
    if (progress == NULL)
        return;
    pthread_mutex_lock(&progress->lock);
    progress->over = true;
    pthread_cond_signal(&progress->end);
    pthread_mutex_unlock(&progress->lock);
    pthread_join(progress->thread, NULL);
    pthread_cond_destroy(&progress->end);
    pthread_mutex_destroy(&progress->lock);
    free(progress);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Each part of a step is waited for, so that it can be timed: a model would enqueue them all. */
#include "decode.h"

#include "attention.h"
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <timing.h>

enum part { PUT, GET, PRODUCTS, PARTS };

static clq_status enqueue(const struct cache *cache, int64_t step, enum part part, cl_event *done)
{
    const int64_t token = cache->loop->setup->context + step;

    switch (part) {
    case PUT:
        return cache_put(cache, token, 1, done);
    case GET:
        return cache_get(cache, token + 1, done);
    default:
        return attention_run(cache->loop, step, token + 1, cache->format->rotated, done);
    }
}

static clq_status wait(cl_event event)
{
    const clq_status status = clWaitForEvents(1, &event);

    clReleaseEvent(event);
    return device_failed(status, "clWaitForEvents");
}

static clq_status run_step(const struct cache *cache, int64_t step, double seconds[PARTS])
{
    clq_status status = CLQ_OK;

    for (int part = 0; part < PARTS && status == CLQ_OK; part++) {
        const double start = now_s();
        cl_event done = NULL;

        status = enqueue(cache, step, (enum part)part, &done);
        if (status == CLQ_OK)
            status = wait(done);
        seconds[part] = now_s() - start;
    }
    return status;
}

/* The prompt, and the first step once for nothing but its kernels, which PoCL compiles when they first run. */
static clq_status prepare(const struct cache *cache)
{
    char what[96];
    double ignored[PARTS];
    struct progress *progress;
    cl_event done = NULL;
    clq_status status;

    snprintf(what, sizeof what, "%s: building kernels%s", cache->format->name,
             cache->format == &formats[0] ? ", CLBlast's up to 30 s the first time" : "");
    progress = progress_begin(what);
    status = cache_put(cache, 0, cache->loop->setup->context, &done);
    if (status == CLQ_OK)
        status = wait(done);
    if (status == CLQ_OK)
        status = run_step(cache, 0, ignored);
    progress_end(progress);
    return status;
}

/* Wherever the events say that all is done. */
static clq_status read_outputs(const struct loop *loop, float *outputs)
{
    const size_t size_bytes =
        (size_t)(setup_query_rows(loop->setup) * loop->setup->head_size) * sizeof *outputs;

    return clq_tensor_read(loop->device.queue, &loop->outputs->dl_tensor, CL_TRUE, outputs, size_bytes, 0,
                           NULL, NULL);
}

static clq_status run_steps(const struct cache *cache, float *outputs, double *seconds[PARTS])
{
    const struct setup *s = cache->loop->setup;
    clq_status status = CLQ_OK;

    for (int64_t step = 0; step < s->steps && status == CLQ_OK; step++) {
        double taken[PARTS] = {0};

        status = run_step(cache, step, taken);
        for (int part = 0; part < PARTS; part++)
            seconds[part][step] = taken[part];
        if (status == CLQ_OK)
            status = read_outputs(cache->loop, outputs + step * setup_query_rows(s) * s->head_size);
    }
    return status;
}

clq_status decode_run(const struct loop *loop, const struct format *format, float *outputs,
                      struct result *result)
{
    const size_t steps = (size_t)loop->setup->steps;
    double *all = malloc(PARTS * steps * sizeof *all), *seconds[PARTS] = {all, all + steps, all + 2 * steps};
    struct cache cache = {0};
    clq_status status;

    if (all == NULL)
        return clq_error_set(CLQ_ERROR_MEMORY, "no memory for the times of %zu steps", steps);
    *result = (struct result){.format = format};
    status = cache_create(&cache, loop, format);
    if (status == CLQ_OK)
        status = cache_token_bytes(&cache, &result->token_bytes);
    if (status == CLQ_OK)
        status = prepare(&cache);
    if (status == CLQ_OK)
        status = run_steps(&cache, outputs, seconds);
    if (status == CLQ_OK) {
        result->put_us = 1e6 * median(seconds[PUT], steps);
        result->get_us = 1e6 * median(seconds[GET], steps);
        result->products_us = 1e6 * median(seconds[PRODUCTS], steps);
    }
    cache_destroy(&cache);
    free(all);
    return status;
}

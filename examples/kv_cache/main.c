/* SPDX-License-Identifier: Apache-2.0 */
/* A decode loop whose keys and values are kept in each of the formats in turn: what it saves, what it costs.
 * --help lists the options. Each part of a step is waited for, so that it can be timed: a model would enqueue
 * them all. */
#include "kv_cache.h"

#include <clblast_c.h>
#include <stdarg.h>
#include <stdio.h>

enum part { PUT, GET, PRODUCTS, PARTS };

int complain(int status, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    fputs("kv_cache: ", stderr);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
    return status;
}

clq_status noted(clq_status status, const char *call)
{
    return status == CLQ_OK
               ? status
               : clq_error_set(status, "%s failed with %s (%d)", call, clq_status_name(status), (int)status);
}

static clq_status enqueue(const struct cache *cache, int64_t step, enum part part, cl_event *done)
{
    const int64_t token = cache->loop->options->context + step;

    switch (part) {
    case PUT:
        return cache_put(cache, token, 1, done);
    case GET:
        return cache_get(cache, token + 1, done);
    default:
        return attention_run(cache->loop, step, token + 1, done);
    }
}

static clq_status wait(cl_event event)
{
    const clq_status status = clWaitForEvents(1, &event);

    clReleaseEvent(event);
    return noted(status, "clWaitForEvents");
}

static clq_status run_step(const struct cache *cache, int64_t step, double seconds[PARTS])
{
    for (int part = 0; part < PARTS; part++) {
        const double start = now_s();
        cl_event done = NULL;

        TRY(enqueue(cache, step, (enum part)part, &done));
        TRY(wait(done));
        seconds[part] = now_s() - start;
    }
    return CLQ_OK;
}

/* outputs gets what every step's attention gave: [steps, batch, heads, queries, head size]; seconds those of
 * each part, step by step. First the prompt, and the first step once for nothing but its kernels, which PoCL
 * compiles when they first run. */
static clq_status run_steps(const struct cache *cache, float *outputs, double *seconds[PARTS])
{
    const struct options *o = cache->loop->options;
    const size_t count = (size_t)(query_rows(o) * o->head_size);
    double taken[PARTS] = {0};
    cl_event done = NULL;

    TRY(cache_put(cache, 0, o->context, &done));
    TRY(wait(done));
    TRY(run_step(cache, 0, taken));
    for (int64_t step = 0; step < o->steps; step++) {
        TRY(run_step(cache, step, taken));
        for (int part = 0; part < PARTS; part++)
            seconds[part][step] = taken[part];
        TRY(clq_tensor_read(cache->loop->queue, &cache->loop->outputs->dl_tensor, CL_TRUE,
                            outputs + (size_t)step * count, count * sizeof *outputs, 0, NULL, NULL));
    }
    return CLQ_OK;
}

static clq_status run_format(const struct loop *loop, const struct format *format, float *outputs,
                             struct result *result)
{
    const size_t steps = (size_t)loop->options->steps;
    double *all = malloc(PARTS * steps * sizeof *all), *seconds[PARTS] = {all, all + steps, all + 2 * steps};
    struct cache cache = {0};
    clq_status status;

    if (all == NULL)
        return clq_error_set(CLQ_ERROR_MEMORY, "no memory for the times of %zu steps", steps);
    status = cache_create(&cache, loop, format);
    if (status == CLQ_OK)
        status = run_steps(&cache, outputs, seconds);
    if (status == CLQ_OK)
        *result = (struct result){.format = format,
                                  .token_bytes = cache_token_bytes(&cache),
                                  .put_us = 1e6 * median(seconds[PUT], steps),
                                  .get_us = 1e6 * median(seconds[GET], steps),
                                  .products_us = 1e6 * median(seconds[PRODUCTS], steps)};
    if (status == CLQ_OK && fused_can(format))
        status = fused_run(&cache, &result->fused);
    cache_destroy(&cache);
    free(all);
    return status;
}

/* How far outputs are from the right ones; returns the root mean square of the right ones themselves. */
static double compare(const float *outputs, const float *right, size_t count, struct result *result)
{
    double squares = 0.0, size = 0.0;

    for (size_t i = 0; i < count; i++) {
        const double error = fabs((double)outputs[i] - (double)right[i]);

        result->max_error = error > result->max_error || isnan(error) ? error : result->max_error;
        squares += error * error;
        size += (double)right[i] * (double)right[i];
    }
    result->rms_error = squares > 0.0 ? sqrt(squares / size) : 0.0;
    return sqrt(size / (double)count);
}

static int failed(clq_status status)
{
    return complain(status == CLQ_ERROR_VALUE ? REFUSED : SYSTEM, "%s: %s", clq_status_name(status),
                    clq_error_detail());
}

static int print(const struct loop *loop, const struct result *results, int count, double rms)
{
    const struct options *o = loop->options;
    char title[200];

    snprintf(title, sizeof title, "batch %lld, %lld heads of %lld, %lld queries each, %lld + %lld tokens",
             (long long)o->batch, (long long)o->heads, (long long)o->head_size, (long long)o->queries,
             (long long)o->context, (long long)o->steps);
    printf("%s: %s, %s\n", loop->device_name, o->keys != NULL ? o->keys : "keys with outlier channels",
           title);
    printf("the float16 cache's outputs, of RMS %.5f, agree with a plain C computation of a sample; "
           "errors are against them; times are per step\n\n",
           rms);
    report_print(results, count);
    printf("\n");
    for (int i = 0; i < count; i++)
        if (results[i].fused.format != NULL)
            fused_print(&results[i].fused);
    return o->plot != NULL ? report_plot(results, count, title, o->plot) : DONE;
}

static int run_formats(const struct loop *loop, const struct activations *activations)
{
    const struct options *o = loop->options;
    const size_t last = (size_t)(query_rows(o) * o->head_size), count = (size_t)o->steps * last;
    float *right = malloc(count * sizeof *right), *outputs = malloc(count * sizeof *outputs);
    struct result results[NUM_FORMATS];
    int done = 0, status = right != NULL && outputs != NULL ? DONE : complain(SYSTEM, "no memory");
    double rms = 0.0;

    for (int i = 0; i < NUM_FORMATS && status == DONE; i++) {
        const clq_status run = run_format(loop, &formats[i], i == 0 ? right : outputs, &results[done]);
        status = run == CLQ_OK ? DONE : failed(run);
        if (status == DONE && i == 0)
            status = attention_check(o, activations, right + count - last);
        if (status == DONE)
            rms = compare(i == 0 ? right : outputs, right, count, &results[done++]);
    }
    if (status == DONE)
        status = print(loop, results, done, rms);
    free(outputs);
    free(right);
    return status;
}

static int run(struct options *options)
{
    struct activations activations = {0};
    struct loop loop = {0};
    int status = options->plot != NULL ? report_can_plot(options->plot) : DONE;

    if (status == DONE)
        status = activations_create(&activations, options);
    if (status == DONE) {
        const clq_status created = loop_create(&loop, options, &activations);

        if (created == CLQ_OK)
            fputs("kv_cache: building kernels; CLBlast's take up to a minute the first time\n", stderr);
        status = created == CLQ_OK ? run_formats(&loop, &activations) : failed(created);
        loop_destroy(&loop);
    }
    CLBlastClearCache(); /* now: at the process's end the driver may be gone before it */
    activations_destroy(&activations);
    return status;
}

int main(int argc, char **argv)
{
    struct options options = {0};
    bool help = false;
    int status = options_read(&options, argc, argv, &help);

    if (status == DONE && !help)
        status = run(&options);
    if (fflush(stdout) != 0 && status == DONE)
        status = complain(SYSTEM, "standard output cannot be written");
    return status;
}

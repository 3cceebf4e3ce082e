/* SPDX-License-Identifier: Apache-2.0 */
/* Perplexity, and how far the predictions are from those with the float16 cache. A text is cut into pieces,
 * each of which begins with empty caches. A step's tokens go through the model once for each format, float16
 * first, so that its logits are there to compare with. */
#include "../common/values.h"
#include "run.h"

#include <stdio.h>

struct evaluation {
    const struct model *model;
    struct step step;
    struct cache caches[NUM_FORMATS];
    int num_caches;
    DLManagedTensor *right, *logits; /* [batch, vocabulary] */
    DLManagedTensor *next;           /* int32 [batch] */
    DLManagedTensor *found;          /* [batch, 2] */
    float on_host[2 * MOST_BATCH];
    struct result *results;
    int64_t wanted, done; /* predictions of all formats */
    double said_s;        /* see progress */
};

static clq_status create(struct evaluation *e, const struct options *options)
{
    const struct model *m = e->model;
    const int64_t logits[] = {options->batch, m->vocabulary}, found[] = {options->batch, 2};

    TRY(step_create(&e->step, m, options->batch, options->context));
    TRY(device_tensor(m->device, CLQ_FLOAT32, 2, logits, &e->right));
    TRY(device_tensor(m->device, CLQ_FLOAT32, 2, logits, &e->logits));
    TRY(device_tensor(m->device, CLQ_INT32, 1, &options->batch, &e->next));
    TRY(device_tensor(m->device, CLQ_FLOAT32, 2, found, &e->found));
    for (int i = 0; i < NUM_FORMATS; i++)
        if (i == 0 || options->wanted[i]) {
            struct cache *cache = &e->caches[e->num_caches];
            struct result *result = &e->results[e->num_caches++];

            TRY(cache_create(cache, &e->step, &formats[i]));
            *result = (struct result){.format = &formats[i], .token_bytes = cache->token_bytes};
            result->bits =
                8.0 * result->token_bytes / (double)(2 * m->num_layers * m->kv_heads * m->head_size);
        }
    return CLQ_OK;
}

/* tokens[count] is the one behind the step's. */
static clq_status run_format(struct evaluation *e, int which, const int32_t *tokens, int64_t count,
                             int64_t first)
{
    const struct device *device = e->model->device;
    const DLManagedTensor *logits = which == 0 ? e->right : e->logits;
    struct result *result = &e->results[which];
    const cl_uint vocabulary = (cl_uint)e->model->vocabulary;
    const struct argument arguments[] = {BUFFER(logits), BUFFER(e->right), BUFFER(e->next), BUFFER(e->found),
                                         VALUE(vocabulary)};
    const double start = now_s();

    TRY(step_run(&e->step, &e->caches[which], tokens, count, first, 0, logits));
    TRY(device_run(device, device->kernels[COMPARE], (size_t)count, 1, arguments, 5));
    TRY(noted(clEnqueueReadBuffer(device->queue, e->found->dl_tensor.data, CL_TRUE, 0,
                                  (size_t)count * 2 * sizeof *e->on_host, e->on_host, 0, NULL, NULL),
              "clEnqueueReadBuffer"));
    if (result->predicted > 0) { /* the first step compiles kernels, on PoCL */
        result->seconds += now_s() - start;
        result->timed += count;
    }
    for (int64_t i = 0; i < count; i++) {
        result->nll += (double)e->on_host[2 * i];
        result->divergence += (double)e->on_host[2 * i + 1];
    }
    result->predicted += count;
    e->done += count;
    progress(&e->said_s, "", e->done / e->num_caches, e->wanted / e->num_caches);
    return CLQ_OK;
}

static clq_status run_step(struct evaluation *e, const int32_t *tokens, int64_t count, int64_t first)
{
    const bool is_begin = e->results[0].predicted == 0;

    TRY(noted(clEnqueueWriteBuffer(e->model->device->queue, e->next->dl_tensor.data, CL_TRUE, 0,
                                   (size_t)count * sizeof *tokens, tokens + 1, 0, NULL, NULL),
              "clEnqueueWriteBuffer"));
    for (int i = 0; i < e->num_caches; i++) {
        if (is_begin)
            TRY(cache_calibrate(&e->caches[i], &e->caches[0], count));
        TRY(run_format(e, i, tokens, count, first));
    }
    return CLQ_OK;
}

static clq_status run(struct evaluation *e, const struct options *options, const int32_t *tokens,
                      int64_t count)
{
    const int64_t pieces = (count + options->context - 1) / options->context;

    e->wanted = (count - pieces) * e->num_caches;
    for (int64_t piece = 0; piece + 1 < count; piece += options->context) {
        const int64_t left = count - piece, length = (left < options->context ? left : options->context) - 1;

        for (int64_t first = 0; first < length; first += options->batch)
            TRY(run_step(e, tokens + piece + first,
                         length - first < options->batch ? length - first : options->batch, first));
    }
    return CLQ_OK;
}

clq_status evaluate(const struct model *model, const struct options *options, const int32_t *tokens,
                    int64_t count, struct result *results, int *num_results)
{
    struct evaluation e = {.model = model, .results = results};
    clq_status status = create(&e, options);

    if (status == CLQ_OK)
        status = run(&e, options, tokens, count);
    *num_results = e.num_caches;
    for (int i = 0; i < e.num_caches; i++)
        cache_destroy(&e.caches[i]);
    return status;
}

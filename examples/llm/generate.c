/* SPDX-License-Identifier: Apache-2.0 */
/* Writes on: the prompt's tokens fill the cache, some in each step, then every token gives the next. */
#define _POSIX_C_SOURCE 200809L
#include "../common/values.h"
#include "run.h"

#include <stdio.h>
#include <unistd.h>

struct writing {
    const struct model *model;
    struct step step;
    struct cache cache, exact; /* the latter only for what static scales are found in */
    DLManagedTensor *logits;   /* [1, vocabulary] */
    float *on_host;
};

static clq_status create(struct writing *w, const struct options *options, int64_t positions)
{
    const int64_t logits[] = {1, w->model->vocabulary};
    int wanted = 0;

    for (int i = 0; i < NUM_FORMATS; i++)
        wanted = options->wanted[i] ? i : wanted;
    TRY(step_create(&w->step, w->model, options->batch, positions));
    TRY(cache_create(&w->cache, &w->step, &formats[wanted]));
    if (cache_needs_scales(&w->cache))
        TRY(cache_create(&w->exact, &w->step, &formats[0]));
    TRY(device_tensor(w->model->device, CLQ_FLOAT32, 2, logits, &w->logits));
    w->on_host = malloc((size_t)logits[1] * sizeof *w->on_host);
    return w->on_host != NULL ? CLQ_OK : clq_error_set(CLQ_ERROR_MEMORY, "no memory for logits");
}

static void destroy(struct writing *w)
{
    cache_destroy(&w->cache);
    cache_destroy(&w->exact);
    free(w->on_host);
}

static clq_status run_prompt(const struct writing *w, const int32_t *tokens, int64_t count)
{
    double said_s = 0.0;

    for (int64_t first = 0; first < count; first += w->step.batch) {
        const int64_t left = count - first, now = left < w->step.batch ? left : w->step.batch;

        if (first == 0 && cache_needs_scales(&w->cache)) {
            TRY(step_run(&w->step, &w->exact, tokens, now, 0, now - 1, w->logits));
            TRY(cache_calibrate(&w->cache, &w->exact, now));
        }
        TRY(step_run(&w->step, &w->cache, tokens + first, now, first, now - 1, w->logits));
        progress(&said_s, " of the prompt", first + now, count);
    }
    return CLQ_OK;
}

/* The likeliest token. */
static clq_status read_next(const struct writing *w, int32_t *next)
{
    const int64_t count = w->model->vocabulary;

    TRY(clq_tensor_read(w->model->device->queue, &w->logits->dl_tensor, CL_TRUE, w->on_host,
                        (size_t)count * sizeof *w->on_host, 0, NULL, NULL));
    *next = 0;
    for (int64_t i = 1; i < count; i++)
        *next = w->on_host[i] > w->on_host[*next] ? (int32_t)i : *next;
    return CLQ_OK;
}

static clq_status write_on(const struct writing *w, const struct tokenizer *tokenizer,
                           const struct options *options, const int32_t *tokens, int64_t count)
{
    const double start = now_s();
    double prompt_seconds, begin, said_s = 0.0;
    int32_t next = -1;
    int64_t written = 0;
    const bool is_seen = isatty(STDOUT_FILENO) == 1;

    TRY(run_prompt(w, tokens, count));
    TRY(read_next(w, &next));
    prompt_seconds = now_s() - start;
    for (int64_t i = 0; i < count; i++)
        tokenizer_print(tokenizer, tokens[i]);
    begin = now_s();
    for (; written < options->tokens && next != tokenizer->end; written++) {
        tokenizer_print(tokenizer, next);
        fflush(stdout);
        if (!is_seen)
            progress(&said_s, " written", written + 1, options->tokens);
        if (written + 1 < options->tokens) {
            TRY(step_run(&w->step, &w->cache, &next, 1, count + written, 0, w->logits));
            TRY(read_next(w, &next));
        }
    }
    putchar('\n');
    fprintf(
        stderr,
        "llm: %s cache of %.0f bytes a token; %lld tokens of the prompt in %.1f s, %lld written in %.1f s\n",
        w->cache.format->name, w->cache.token_bytes, (long long)count, prompt_seconds, (long long)written,
        now_s() - begin);
    return CLQ_OK;
}

clq_status generate(const struct model *model, const struct tokenizer *tokenizer,
                    const struct options *options, const int32_t *tokens, int64_t count)
{
    struct writing w = {.model = model};
    clq_status status = create(&w, options, count + options->tokens);

    if (status == CLQ_OK)
        status = write_on(&w, tokenizer, options, tokens, count);
    destroy(&w);
    return status;
}

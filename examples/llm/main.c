/* SPDX-License-Identifier: Apache-2.0 */
/* A small language model whose keys and values are kept as clquant quantizes them: what each format costs in
 * perplexity, or what the model writes with it. --help lists the options. */
#include "../common/plot.h"
#include "../common/values.h"
#include "run.h"

#include <clblast_c.h>
#include <errno.h>
#include <stdio.h>

clq_status read_file(const char *path, unsigned char **bytes, size_t *size)
{
    FILE *file = fopen(path, "rb");
    size_t room = 0, got = 1;
    int failed;

    if (file == NULL)
        return clq_error_set(CLQ_ERROR_SYSTEM, "%.200s: %s", path, strerror(errno));
    for (*size = 0; got > 0; *size += got) { /* its size is not asked for: a pipe has none */
        unsigned char *more = *bytes;

        if (*size == room) {
            room = 2 * room + 65536;
            more = realloc(*bytes, room);
        }
        if (more != NULL)
            *bytes = more;
        got = more != NULL ? fread(more + *size, 1, room - *size, file) : 0;
    }
    failed = ferror(file) ? errno : feof(file) ? 0 : ENOMEM;
    fclose(file);
    return failed == 0 ? CLQ_OK : clq_error_set(CLQ_ERROR_SYSTEM, "%.200s: %s", path, strerror(failed));
}

void progress(double *said_s, const char *what, int64_t done, int64_t all)
{
    const double now = now_s();

    if (*said_s == 0.0 ? done == all : done < all && now < *said_s + 5.0)
        return;
    *said_s = now;
    fprintf(stderr, "llm: %lld of %lld tokens%s\n", (long long)done, (long long)all, what);
}

/* begin: what each piece of the text begins with, as texts do; -1: with what is there. */
static clq_status measure(const struct model *model, const struct options *o, int32_t begin, int32_t *tokens,
                          int64_t count)
{
    struct result results[NUM_FORMATS];
    int num_results = 0;

    for (int64_t i = 0; i < count && begin >= 0; i += o->context)
        tokens[i] = begin;
    TRY(evaluate(model, o, tokens, count, results, &num_results));
    printf(
        "%s, on %s\nperplexity of %lld tokens of %s, in pieces of %lld, each without what was before it\n\n",
        o->model, model->device->name, (long long)results[0].predicted, o->text, (long long)o->context);
    report_print(results, num_results);
    return o->plot != NULL ? report_plot(results, num_results, o->plot) : CLQ_OK;
}

/* Everything that main frees, however far run came. */
struct program {
    struct gguf file;
    struct tokenizer tokenizer;
    struct device device;
    struct model model;
    unsigned char *text;
    int32_t *tokens;
};

static clq_status run(struct program *p, const struct options *o)
{
    size_t size = o->prompt != NULL ? strlen(o->prompt) : 0, count = 0;

    if (o->plot != NULL)
        TRY(plot_check(o->plot));
    TRY(gguf_open(&p->file, o->model));
    TRY(tokenizer_create(&p->tokenizer, &p->file));
    if (o->text != NULL)
        TRY(read_file(o->text, &p->text, &size));
    TRY(tokenizer_encode(&p->tokenizer, o->text != NULL ? (const char *)p->text : o->prompt, size,
                         o->text == NULL, &p->tokens, &count));
    if (o->text != NULL && o->tokens > 0 && count > (size_t)o->tokens)
        count = (size_t)o->tokens;
    if (o->list_tokens) {
        for (size_t i = 0; i < count; i++)
            printf("%s%d", i > 0 ? " " : "", (int)p->tokens[i]);
        putchar('\n');
        return CLQ_OK;
    }
    if (count < (o->text != NULL ? 2 : 1))
        return clq_error_set(CLQ_ERROR_VALUE, "%s has %zu tokens: too few", o->text ? o->text : "--prompt",
                             count);
    TRY(device_create(&p->device, o->device));
    TRY(model_create(&p->model, &p->device, &p->file, &p->tokenizer,
                     o->text != NULL ? o->context : (int64_t)count + o->tokens));
    fputs("llm: building kernels; CLBlast's take up to a minute the first time\n", stderr);
    return o->text != NULL ? measure(&p->model, o, p->tokenizer.begin, p->tokens, (int64_t)count)
                           : generate(&p->model, &p->tokenizer, o, p->tokens, (int64_t)count);
}

static void destroy(struct program *p)
{
    CLBlastClearCache(); /* now: at the process's end the driver may be gone before it */
    device_destroy(&p->device);
    tokenizer_destroy(&p->tokenizer);
    gguf_close(&p->file);
    free(p->text);
    free(p->tokens);
}

int main(int argc, char **argv)
{
    struct options options = {.context = 512, .batch = 128};
    struct program program = {0};
    clq_status status = options_read(&options, argc, argv);
    const bool usage = status != CLQ_OK;

    if (status == CLQ_OK && !options.help)
        status = run(&program, &options);
    destroy(&program);
    if (fflush(stdout) != 0 && status == CLQ_OK)
        status = clq_error_set(CLQ_ERROR_SYSTEM, "standard output cannot be written");
    if (status != CLQ_OK)
        fprintf(stderr, "llm: %s\n", clq_error_detail());
    return status == CLQ_OK ? 0 : usage ? 2 : 1;
}

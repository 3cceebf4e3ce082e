/* SPDX-License-Identifier: Apache-2.0 */
/* A small language model whose keys and values are kept as clquant quantizes them: what each format costs in
 * perplexity, or what the model writes with it. --help lists the options. */
#include "../common/values.h"
#include "run.h"

#include <clblast_c.h>
#include <errno.h>
#include <stdio.h>

static clq_status grow_and_read(FILE *file, const char *path, unsigned char **bytes, size_t *size)
{
    size_t room = 1 << 16, got = 1;

    *bytes = malloc(room);
    for (*size = 0; *bytes != NULL && got > 0; *size += got) {
        if (room - *size < 2) {
            unsigned char *more = realloc(*bytes, room *= 2);

            if (more == NULL)
                free(*bytes);
            *bytes = more;
        }
        got = *bytes != NULL ? fread(*bytes + *size, 1, room - *size - 1, file) : 0;
    }
    if (*bytes == NULL)
        return clq_error_set(CLQ_ERROR_MEMORY, "%.200s: no memory for its bytes", path);
    (*bytes)[*size] = 0;
    return ferror(file) ? clq_error_set(CLQ_ERROR_SYSTEM, "%.200s: %s", path, strerror(errno)) : CLQ_OK;
}

clq_status read_file(const char *path, unsigned char **bytes, size_t *size)
{
    FILE *file = fopen(path, "rb");
    clq_status status;

    if (file == NULL)
        return clq_error_set(CLQ_ERROR_SYSTEM, "%.200s: %s", path, strerror(errno));
    status = grow_and_read(file, path, bytes, size);
    fclose(file);
    return status;
}

static void list(const int32_t *tokens, size_t count)
{
    for (size_t i = 0; i < count; i++)
        printf("%s%d", i > 0 ? " " : "", (int)tokens[i]);
    putchar('\n');
}

static clq_status measure(const struct model *model, const struct options *o, const int32_t *tokens,
                          int64_t count)
{
    struct result results[NUM_FORMATS];
    int num_results = 0;

    TRY(evaluate(model, o, tokens, count, results, &num_results));
    printf(
        "%s, on %s\nperplexity of %lld tokens of %s, in pieces of %lld, each without what was before it\n\n",
        o->model, model->device->name, (long long)results[0].predicted, o->text, (long long)o->context);
    report_print(results, num_results);
    return o->plot != NULL ? report_plot(results, num_results, o->plot) : CLQ_OK;
}

static clq_status run_model(const struct options *o, struct gguf *file, const struct tokenizer *tokenizer,
                            const int32_t *tokens, int64_t count)
{
    const int64_t positions = o->text != NULL ? o->context : count + o->tokens;
    struct device device = {0};
    struct model model = {0};
    clq_status status = device_create(&device, o->device);

    if (status == CLQ_OK)
        status = model_create(&model, &device, file, tokenizer, positions);
    if (status == CLQ_OK)
        fputs("llm: building kernels; CLBlast's take up to a minute the first time\n", stderr);
    if (status == CLQ_OK)
        status = o->text != NULL ? measure(&model, o, tokens, count)
                                 : generate(&model, tokenizer, o, tokens, count);
    model_destroy(&model);
    CLBlastClearCache(); /* now: at the process's end the driver may be gone before it */
    device_destroy(&device);
    return status;
}

static clq_status run_file(const struct options *o, struct gguf *file, struct tokenizer *tokenizer)
{
    unsigned char *text = NULL;
    size_t size = o->prompt != NULL ? strlen(o->prompt) : 0, count = 0;
    int32_t *tokens = NULL;
    clq_status status = tokenizer_create(tokenizer, file);

    if (status == CLQ_OK && o->text != NULL)
        status = read_file(o->text, &text, &size);
    if (status == CLQ_OK)
        status = tokenizer_encode(tokenizer, o->text != NULL ? (const char *)text : o->prompt, size,
                                  o->text == NULL, &tokens, &count);
    if (status == CLQ_OK && o->text != NULL && o->tokens > 0 && count > (size_t)o->tokens)
        count = (size_t)o->tokens;
    if (status == CLQ_OK && o->list_tokens)
        list(tokens, count);
    else if (status == CLQ_OK && count < (o->text != NULL ? 2 : 1))
        status = clq_error_set(CLQ_ERROR_VALUE, "%s has %zu tokens: too few", o->text ? o->text : "--prompt",
                               count);
    else if (status == CLQ_OK)
        status = run_model(o, file, tokenizer, tokens, (int64_t)count);
    free(tokens);
    free(text);
    return status;
}

static clq_status run(const struct options *options)
{
    struct gguf file = {0};
    struct tokenizer tokenizer = {0};
    clq_status status = gguf_open(&file, options->model);

    if (status == CLQ_OK)
        status = run_file(options, &file, &tokenizer);
    tokenizer_destroy(&tokenizer);
    gguf_close(&file);
    return status;
}

int main(int argc, char **argv)
{
    struct options options = {.context = 512, .batch = 128};
    clq_status status = options_read(&options, argc, argv);
    const bool usage = status != CLQ_OK;

    if (status == CLQ_OK && !options.help)
        status = run(&options);
    if (fflush(stdout) != 0 && status == CLQ_OK)
        status = clq_error_set(CLQ_ERROR_SYSTEM, "standard output cannot be written");
    if (status != CLQ_OK)
        fprintf(stderr, "llm: %s\n", clq_error_detail());
    return status == CLQ_OK ? 0 : usage ? 2 : 1;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The ways of --compare: each is a type, or a rule of scales, and options of quantize_model behind colons. */
#include "compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USAGE(model, ...) fail((model)->failure, STATUS_USAGE, __VA_ARGS__)

enum { MOST_WORDS = 16, DEFAULT_ROTATE = 128 };

static bool is_rule(const char *word)
{
    return strncmp(word, "mx_", 3) == 0 || strcmp(word, "nvfp4") == 0;
}

/* The arguments that a way's words stand for. A word without a value is an option without one, but rotate,
 * which is by 128 then. */
static bool make_arguments(struct compare_way *way, char *argv[2 * MOST_WORDS + 8], int *argc,
                           struct failure *failure)
{
    static const char *const names[] = {"dtype", "block", "rotate", "symmetric", "asymmetric", NULL};
    static char options[][16] = {"--dtype", "--block", "--rotate", "--symmetric", "--asymmetric"};
    static char rule[] = "--scale-rule", rotate[] = "128";
    char *rest = NULL, *word = strtok_r(way->words, ":", &rest);

    if (!word)
        return fail(failure, STATUS_USAGE,
                    "--compare: a way is empty: one such as int4:block=64 is expected");
    argv[(*argc)++] = is_rule(word) ? rule : options[0];
    argv[(*argc)++] = word;
    for (int i = 0; (word = strtok_r(NULL, ":", &rest)) != NULL && i < MOST_WORDS; i++) {
        char *value = strchr(word, '=');
        size_t o = 0;

        if (value)
            *value++ = '\0';
        while (names[o] && strcmp(names[o], word) != 0)
            o++;
        if (!names[o] || (!value && o < 2) || (value && o > 2))
            return fail(failure, STATUS_USAGE,
                        "--compare %s: '%.100s%s%.100s': dtype=TYPE, block=N, rotate, rotate=R, symmetric or "
                        "asymmetric is expected behind a type or a rule of scales",
                        way->text, word, value ? "=" : "", value ? value : "");
        argv[(*argc)++] = options[o];
        if (o <= 2)
            argv[(*argc)++] = value ? value : rotate;
    }
    return true;
}

/* By the command's own reader, as if it were a run of its own to compressed-tensors; or to plain where
 * compressed-tensors have no such way. */
static bool parse(struct comparison *comparison, struct compare_way *way)
{
    static char name[] = "quantize_model", in[] = "IN", out[] = "-oOUT", to[] = "--to",
                formats[][24] = {"compressed-tensors", "plain"};
    struct failure failure = {.status = STATUS_DONE};
    bool ok = false;

    for (int format = 0; format < 2 && !ok; format++) {
        char *argv[2 * MOST_WORDS + 8] = {name, in, out, to, formats[format]};
        int argc = 5;

        snprintf(way->words, sizeof way->words, "%s", way->text);
        failure = (struct failure){.status = STATUS_DONE};
        way->model = (struct model){.failure = &failure};
        ok = make_arguments(way, argv, &argc, &failure) && model_parse(&way->model, argc, argv);
        model_free_lists(&way->model.options);
    }
    way->model.failure = comparison->model->failure;
    return ok ||
           USAGE(comparison->model, "%s%s%s%.900s", strstr(failure.text, "--compare") ? "" : "--compare ",
                 strstr(failure.text, "--compare") ? "" : way->text,
                 strstr(failure.text, "--compare") ? "" : ": ", failure.text);
}

/* The model's shards, with choices of its own. A way that meets no matrix stays, without a number. */
static bool choose(struct comparison *comparison, struct compare_way *way)
{
    struct model_options options = way->model.options;
    struct failure *failure = comparison->model->failure;
    const size_t count = comparison->model->shard_count;

    options.in.list = comparison->model->options.in.list;
    options.only = comparison->model->options.only;
    options.skip = comparison->model->options.skip;
    way->model = *comparison->model;
    way->model.options = options;
    way->model.shards = calloc(count, sizeof *way->model.shards);
    for (size_t i = 0; way->model.shards && i < count; i++) {
        struct model_shard *shard = &way->model.shards[i];

        *shard = comparison->model->shards[i];
        shard->tensors = malloc((shard->tensor_count + 1) * sizeof *shard->tensors);
        if (!shard->tensors)
            return fail(failure, STATUS_SYSTEM, "no memory for the tensors of %s", way->text);
        memcpy(shard->tensors, comparison->model->shards[i].tensors,
               shard->tensor_count * sizeof *shard->tensors);
    }
    if (!way->model.shards)
        return fail(failure, STATUS_SYSTEM, "no memory for the shards of %s", way->text);
    if (model_choose(&way->model))
        return true;
    if (failure->status != STATUS_REFUSED)
        return false;
    *failure = (struct failure){.status = STATUS_DONE};
    return true;
}

bool compare_parse(struct comparison *comparison)
{
    struct model *model = comparison->model;
    const char *at = model->options.compare;

    comparison->ways = calloc(COMPARE_MOST_WAYS, sizeof *comparison->ways);
    if (!comparison->ways)
        return fail(model->failure, STATUS_SYSTEM, "no memory for %d ways", COMPARE_MOST_WAYS);
    for (bool more = true; more; at++) {
        const size_t length = strcspn(at, ",");
        struct compare_way *way = &comparison->ways[comparison->way_count];

        if (comparison->way_count == COMPARE_MOST_WAYS || length >= sizeof way->text)
            return USAGE(model, "--compare '%.100s': at most %d ways of %zu characters are expected", at,
                         COMPARE_MOST_WAYS, sizeof way->text - 1);
        comparison->way_count++;
        memcpy(way->text, at, length);
        if (!parse(comparison, way) || !choose(comparison, way))
            return false;
        at += length;
        more = *at == ',';
    }
    return true;
}

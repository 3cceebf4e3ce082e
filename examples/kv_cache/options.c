/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and checking the command line. */
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What becomes of a number where a file of keys is given. */
enum with_keys { AS_EVER, LEFT_OPEN, REFUSED };

static const struct number {
    const char *name, *what;
    size_t place; /* in struct options */
    int64_t low, high, standard;
    enum with_keys with_keys;
} numbers[] = {
    {"--batch", "sequences", offsetof(struct options, setup.batch), 1, 256, 2, REFUSED},
    {"--heads", "heads of keys and values", offsetof(struct options, setup.heads), 1, 1024, 8, REFUSED},
    {"--queries", "query heads for each of them", offsetof(struct options, setup.queries), 1, 64, 4, AS_EVER},
    {"--head-size", "channels of a head, an even number", offsetof(struct options, setup.head_size), 2, 4096,
     128, LEFT_OPEN},
    {"--context", "tokens in the cache before the first step", offsetof(struct options, setup.context), 1,
     1 << 21, 1024, LEFT_OPEN},
    {"--steps", "tokens to decode", offsetof(struct options, setup.steps), 1, 1 << 16, 16, AS_EVER},
    {"--seed", "of the activations", offsetof(struct options, seed), 1, INT32_MAX, 1, AS_EVER},
};

static const struct text {
    const char *name, *what;
    size_t place;
} texts[] = {
    {"--keys", "FILE     keys from a safetensors file", offsetof(struct options, keys)},
    {"--tensor", "NAME     which of its tensors; else the only one of floats",
     offsetof(struct options, tensor)},
    {"--order",
     "LETTERS  what its dimensions are: b batch, t tokens, h heads, c channels; without h the\n"
     "                       channels are those of all heads, of --head-size each. Else by rank:\n"
     "                       tc, thc or bhtc",
     offsetof(struct options, order)},
    {"--plot", "FILE     draws errors and bytes, .svg or .png", offsetof(struct options, plot)},
    {"--device", "TEXT     a number or a part of a name, as `clquant devices` shows them",
     offsetof(struct options, device)},
};

enum { NUMBERS = sizeof numbers / sizeof *numbers, TEXTS = sizeof texts / sizeof *texts };

void options_help(void)
{
    printf(
        "kv_cache: a decode loop whose keys and values are kept as float16, int8 and int4. For each: bytes,\n"
        "the error of the attention's output, and microseconds per step.\n\n");
    for (int i = 0; i < NUMBERS; i++)
        printf("  %-11s N        %s (%lld)\n", numbers[i].name, numbers[i].what,
               (long long)numbers[i].standard);
    for (int i = 0; i < TEXTS; i++)
        printf("  %-11s %s\n", texts[i].name, texts[i].what);
}

static bool read_number(struct options *options, const struct number *number, const char *value,
                        struct failure *failure)
{
    char *end = NULL;
    const long long read = strtoll(value, &end, 10);

    if (*value == '\0' || *end != '\0' || read < number->low || read > number->high)
        return fail(failure, STATUS_USAGE, "%s is '%s': it must be a number from %lld to %lld", number->name,
                    value, (long long)number->low, (long long)number->high);
    *(int64_t *)(void *)((char *)options + number->place) = read;
    return true;
}

static bool read_option(struct options *options, const char *name, const char *value, struct failure *failure)
{
    for (int i = 0; i < NUMBERS; i++)
        if (strcmp(name, numbers[i].name) == 0)
            return value != NULL ? read_number(options, &numbers[i], value, failure)
                                 : fail(failure, STATUS_USAGE, "%s needs a number", name);
    for (int i = 0; i < TEXTS; i++)
        if (strcmp(name, texts[i].name) == 0) {
            *(const char **)(void *)((char *)options + texts[i].place) = value;
            return value != NULL || fail(failure, STATUS_USAGE, "%s needs a value", name);
        }
    return fail(failure, STATUS_USAGE, "unknown option '%s': --help lists them", name);
}

/* A number that was not given is 0 so far. */
static bool complete(struct options *options, struct failure *failure)
{
    for (int i = 0; i < NUMBERS; i++) {
        int64_t *value = (int64_t *)(void *)((char *)options + numbers[i].place);
        const enum with_keys rule = options->keys != NULL ? numbers[i].with_keys : AS_EVER;

        if (rule == REFUSED && *value != 0)
            return fail(failure, STATUS_USAGE, "%s cannot be given with --keys, whose tensor says it",
                        numbers[i].name);
        if (rule == AS_EVER && *value == 0)
            *value = numbers[i].standard;
    }
    return true;
}

static bool check(const struct options *options, struct failure *failure)
{
    const char *dot = options->plot != NULL ? strrchr(options->plot, '.') : NULL;

    if (options->setup.head_size % 2 != 0)
        return fail(failure, STATUS_USAGE, "--head-size is %lld: packed int4 needs an even number",
                    (long long)options->setup.head_size);
    if (options->plot != NULL && (dot == NULL || (strcmp(dot, ".svg") != 0 && strcmp(dot, ".png") != 0)))
        return fail(failure, STATUS_USAGE, "--plot is '%s': its name must end in .svg or .png",
                    options->plot);
    if (options->keys == NULL && (options->tensor != NULL || options->order != NULL))
        return fail(failure, STATUS_USAGE, "--tensor and --order say how to read --keys, which is missing");
    return options->keys != NULL || options_check_size(&options->setup, failure);
}

bool options_check_size(const struct setup *setup, struct failure *failure)
{
    const double limit = (double)(1 << 28);
    const double cache =
        (double)setup->batch * (double)setup_tokens(setup) * (double)setup->heads * (double)setup->head_size;
    const double scores = (double)setup_query_rows(setup) * (double)setup_tokens(setup);

    if (cache > limit || scores > limit)
        return fail(failure, STATUS_USAGE,
                    "the keys would have %.0f elements and the scores %.0f: at most %.0f are for an "
                    "example",
                    cache, scores, limit);
    return true;
}

bool options_read(struct options *options, int argc, char **argv, struct failure *failure)
{
    *options = (struct options){0};
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0)
            options->help = true;
        else if (!read_option(options, argv[i], i + 1 < argc ? argv[i + 1] : NULL, failure))
            return false;
        else
            i++;
    return options->help || (complete(options, failure) && check(options, failure));
}

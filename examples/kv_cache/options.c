/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and checking the command line. */
#include "kv_cache.h"

#include <stdio.h>

/* What becomes of a number that is not given where a file of keys is: the file may say it. */
enum with_keys { AS_EVER, FROM_FILE, FROM_FILE_ALONE };

static const struct number {
    const char *name, *what;
    size_t place; /* in struct options */
    int64_t low, high, standard;
    enum with_keys with_keys;
} numbers[] = {
    {"--batch", "sequences", offsetof(struct options, batch), 1, 256, 2, FROM_FILE_ALONE},
    {"--heads", "heads of keys and values", offsetof(struct options, heads), 1, 1024, 8, FROM_FILE_ALONE},
    {"--queries", "query heads for each of them", offsetof(struct options, queries), 1, 64, 4, AS_EVER},
    {"--head-size", "channels of a head, an even number", offsetof(struct options, head_size), 2, 4096, 128,
     FROM_FILE},
    {"--context", "tokens in the cache before the first step", offsetof(struct options, context), 1, 1 << 21,
     1024, FROM_FILE},
    {"--steps", "tokens to decode", offsetof(struct options, steps), 1, 1 << 16, 16, AS_EVER},
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
     "LETTERS  what its dimensions are: b batch, t tokens, h heads, c\n"
     "                       channels; without h the channels are those of all heads,\n"
     "                       of --head-size each. Else by rank: tc, thc or bhtc",
     offsetof(struct options, order)},
    {"--plot", "FILE     draws errors and bytes, .svg or .png", offsetof(struct options, plot)},
    {"--device", "TEXT     a number or a part of a name, of `clquant devices`",
     offsetof(struct options, device)},
};

enum { NUMBERS = sizeof numbers / sizeof *numbers, TEXTS = sizeof texts / sizeof *texts };

static void print_help(void)
{
    printf("kv_cache: a decode loop whose keys and values are kept as float16, int8 and\n"
           "int4. For each: bytes, the error of the attention's output, and microseconds per\n"
           "step.\n\n");
    for (int i = 0; i < NUMBERS; i++)
        printf("  %-11s N        %s (%lld)\n", numbers[i].name, numbers[i].what,
               (long long)numbers[i].standard);
    for (int i = 0; i < TEXTS; i++)
        printf("  %-11s %s\n", texts[i].name, texts[i].what);
}

static void *at(struct options *options, size_t place)
{
    return (char *)options + place;
}

static int read_number(struct options *options, const struct number *number, const char *value)
{
    char *end = NULL;
    const long long read = strtoll(value, &end, 10);

    if (*value == '\0' || *end != '\0' || read < number->low || read > number->high)
        return complain(USAGE, "%s is '%.100s': it must be a number from %lld to %lld", number->name, value,
                        (long long)number->low, (long long)number->high);
    *(int64_t *)at(options, number->place) = read;
    return DONE;
}

static int read_option(struct options *options, const char *name, const char *value)
{
    for (int i = 0; i < NUMBERS; i++)
        if (strcmp(name, numbers[i].name) == 0)
            return value != NULL ? read_number(options, &numbers[i], value)
                                 : complain(USAGE, "%s needs a number", name);
    for (int i = 0; i < TEXTS; i++)
        if (strcmp(name, texts[i].name) == 0) {
            *(const char **)at(options, texts[i].place) = value;
            return value != NULL ? DONE : complain(USAGE, "%s needs a value", name);
        }
    return complain(USAGE, "unknown option '%.100s': --help lists them", name);
}

/* A number that was not given is 0 so far, and stays so where the keys' file will say it. */
static int complete(struct options *options)
{
    for (int i = 0; i < NUMBERS; i++) {
        int64_t *value = at(options, numbers[i].place);

        if (options->keys != NULL && numbers[i].with_keys == FROM_FILE_ALONE && *value != 0)
            return complain(USAGE, "%s cannot be given with --keys, whose tensor says it", numbers[i].name);
        if (*value == 0 && (options->keys == NULL || numbers[i].with_keys == AS_EVER))
            *value = numbers[i].standard;
    }
    return DONE;
}

static int check(const struct options *options)
{
    const char *dot = options->plot != NULL ? strrchr(options->plot, '.') : NULL;

    if (options->head_size % 2 != 0)
        return complain(USAGE, "--head-size is %lld: packed int4 needs an even number",
                        (long long)options->head_size);
    if (options->plot != NULL && (dot == NULL || (strcmp(dot, ".svg") != 0 && strcmp(dot, ".png") != 0)))
        return complain(USAGE, "--plot is '%s': its name must end in .svg or .png", options->plot);
    if (options->keys == NULL && (options->tensor != NULL || options->order != NULL))
        return complain(USAGE, "--tensor and --order say how to read --keys, which is missing");
    return options->keys != NULL ? DONE : options_check_size(options);
}

/* 32 bits count CLBlast's elements, and memory is not endless. */
int options_check_size(const struct options *o)
{
    const double limit = (double)(1 << 28), tokens = (double)tokens_of(o);
    const double cache = (double)o->batch * tokens * (double)o->heads * (double)o->head_size;
    const double scores = (double)query_rows(o) * tokens;

    if (cache > limit || scores > limit)
        return complain(
            USAGE, "the keys would have %.0f elements and the scores %.0f: at most %.0f are for an example",
            cache, scores, limit);
    return DONE;
}

int options_read(struct options *options, int argc, char **argv, bool *help)
{
    for (int i = 1; i < argc; i += 2) {
        int status;

        if (strcmp(argv[i], "--help") == 0) {
            *help = true;
            print_help();
            return DONE;
        }
        status = read_option(options, argv[i], i + 1 < argc ? argv[i + 1] : NULL);
        if (status != DONE)
            return status;
    }
    const int status = complete(options);

    return status == DONE ? check(options) : status;
}

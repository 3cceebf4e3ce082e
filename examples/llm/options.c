/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and checking the command line. */
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct number {
    const char *name, *what;
    size_t place;
    int64_t low, high;
} numbers[] = {
    {"--tokens", "of the text at most (all), or to write (100)", offsetof(struct options, tokens), 1,
     1 << 24},
    {"--context", "tokens of a piece of the text (512)", offsetof(struct options, context), 2, 1 << 20},
    {"--batch", "tokens of a step (128)", offsetof(struct options, batch), 1, 4096},
};

static const struct text {
    const char *name, *what;
    size_t place;
} texts[] = {
    {"--text", "FILE    measures the perplexity of a text", offsetof(struct options, text)},
    {"--prompt", "TEXT    writes on; <|im_start|> and the like are tokens", offsetof(struct options, prompt)},
    {"--device", "TEXT    a number or a part of a name, of `clquant devices`",
     offsetof(struct options, device)},
    {"--plot", "FILE    draws perplexity over bits, .svg or .png", offsetof(struct options, plot)},
};

enum { NUMBERS = sizeof numbers / sizeof *numbers, TEXTS = sizeof texts / sizeof *texts };

static void print_help(void)
{
    puts("llm MODEL.gguf --text FILE | --prompt TEXT: a small language model of the llama\n"
         "architecture, whose keys and values are kept in clquant's formats.\n");
    for (int i = 0; i < TEXTS; i++)
        printf("  %-9s %s\n", texts[i].name, texts[i].what);
    for (int i = 0; i < NUMBERS; i++)
        printf("  %-9s N       %s\n", numbers[i].name, numbers[i].what);
    puts("  --cache   FORMAT  may be given several times; `all` (with a text), or one of");
    for (int i = 0; i < NUM_FORMATS; i++)
        printf("%s%s%s", i % 5 == 0 ? "                    " : " ", formats[i].name,
               i % 5 == 4 || i + 1 == NUM_FORMATS ? "\n" : "");
    puts("  --list-tokens     prints the tokens' numbers, and does nothing else");
}

static clq_status read_cache(struct options *options, const char *name)
{
    bool known = false;

    for (int i = 0; i < NUM_FORMATS; i++)
        if (strcmp(name, formats[i].name) == 0 || strcmp(name, "all") == 0)
            known = options->wanted[i] = true;
    return known ? CLQ_OK
                 : clq_error_set(CLQ_ERROR_VALUE, "--cache is '%.100s': --help lists the formats", name);
}

static clq_status read_option(struct options *options, const char *name, const char *value)
{
    char *place = (char *)options, *end = NULL;

    if (strcmp(name, "--cache") == 0 && value != NULL)
        return read_cache(options, value);
    for (int i = 0; i < TEXTS; i++)
        if (strcmp(name, texts[i].name) == 0 && value != NULL) {
            memcpy(place + texts[i].place, &value, sizeof value);
            return CLQ_OK;
        }
    for (int i = 0; i < NUMBERS; i++)
        if (strcmp(name, numbers[i].name) == 0 && value != NULL) {
            const int64_t number = strtoll(value, &end, 10);

            if (*value == '\0' || *end != '\0' || number < numbers[i].low || number > numbers[i].high)
                return clq_error_set(CLQ_ERROR_VALUE, "%s is '%.100s': it must be a number from %lld to %lld",
                                     name, value, (long long)numbers[i].low, (long long)numbers[i].high);
            memcpy(place + numbers[i].place, &number, sizeof number);
            return CLQ_OK;
        }
    return clq_error_set(CLQ_ERROR_VALUE, "'%.100s' is no option, or its value is missing: --help lists them",
                         name);
}

static clq_status check(struct options *options)
{
    const char *dot = options->plot != NULL ? strrchr(options->plot, '.') : NULL;
    int wanted = 0;

    for (int i = 0; i < NUM_FORMATS; i++)
        wanted += options->wanted[i];
    if (options->model == NULL)
        return clq_error_set(CLQ_ERROR_VALUE, "no model is given: llm MODEL.gguf --text FILE, or --help");
    if ((options->text != NULL) == (options->prompt != NULL))
        return clq_error_set(CLQ_ERROR_VALUE, "either --text or --prompt is expected");
    if (options->prompt != NULL && wanted > 1)
        return clq_error_set(CLQ_ERROR_VALUE, "--prompt writes with one --cache, and %d are given", wanted);
    if (options->plot != NULL &&
        (options->text == NULL || dot == NULL || (strcmp(dot, ".svg") != 0 && strcmp(dot, ".png") != 0)))
        return clq_error_set(CLQ_ERROR_VALUE,
                             "--plot is '%.100s': it belongs to --text, and ends in .svg or .png",
                             options->plot);
    if (options->prompt != NULL && options->tokens == 0)
        options->tokens = 100;
    return CLQ_OK;
}

clq_status options_read(struct options *options, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            options->help = true;
            print_help();
            return CLQ_OK;
        }
        if (strcmp(argv[i], "--list-tokens") == 0) {
            options->list_tokens = true;
        } else if (argv[i][0] != '-' && options->model == NULL) {
            options->model = argv[i];
        } else {
            TRY(read_option(options, argv[i], i + 1 < argc ? argv[i + 1] : NULL));
            i++;
        }
    }
    return check(options);
}

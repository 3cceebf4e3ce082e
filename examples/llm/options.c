/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and checking the command line. */
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(struct options, field)

static const struct option {
    const char *name, *value, *what;
    size_t place;
    int64_t low, high; /* of a number; 0 and 0: it is a text */
} known[] = {
    {"--text", "FILE", "measures the perplexity of a text", AT(text), 0, 0},
    {"--prompt", "TEXT", "writes on; <|im_start|> and the like are tokens", AT(prompt), 0, 0},
    {"--device", "TEXT", "a number or a part of a name, of `clquant devices`", AT(device), 0, 0},
    {"--plot", "FILE", "draws perplexity over bits, .svg or .png", AT(plot), 0, 0},
    {"--tokens", "N", "of the text at most (all), or to write (100)", AT(tokens), 1, 1 << 24},
    {"--context", "N", "tokens of a piece of the text (512)", AT(context), 2, 1 << 20},
    {"--batch", "N", "tokens of a step (128)", AT(batch), 1, MOST_BATCH},
};

enum { NUM_KNOWN = sizeof known / sizeof *known };

static void print_help(void)
{
    puts("llm MODEL.gguf --text FILE | --prompt TEXT: a small language model of the llama\n"
         "architecture, whose keys and values are kept in clquant's formats.\n");
    for (int i = 0; i < NUM_KNOWN; i++)
        printf("  %-9s %-7s %s\n", known[i].name, known[i].value, known[i].what);
    puts("  --cache   FORMAT  may be given several times; `all` (with a text), or one of");
    for (int i = 0; i < NUM_FORMATS; i++)
        printf("%s%s%s", i % 5 == 0 ? "                    " : " ", formats[i].name,
               i % 5 == 4 || i + 1 == NUM_FORMATS ? "\n" : "");
    puts("  --list-tokens     prints the tokens' numbers, and does nothing else");
}

static clq_status read_cache(struct options *options, const char *name)
{
    bool is_known = false;

    for (int i = 0; i < NUM_FORMATS; i++)
        if (strcmp(name, formats[i].name) == 0 || strcmp(name, "all") == 0)
            is_known = options->wanted[i] = true;
    return is_known ? CLQ_OK
                    : clq_error_set(CLQ_ERROR_VALUE, "--cache is '%.100s': --help lists the formats", name);
}

static clq_status read_value(const struct option *option, const char *value, void *place)
{
    char *end = NULL;
    const int64_t number = strtoll(value, &end, 10);

    if (option->high == 0)
        memcpy(place, &value, sizeof value);
    else if (*value == '\0' || *end != '\0' || number < option->low || number > option->high)
        return clq_error_set(CLQ_ERROR_VALUE, "%s is '%.100s': it must be a number from %lld to %lld",
                             option->name, value, (long long)option->low, (long long)option->high);
    else
        memcpy(place, &number, sizeof number);
    return CLQ_OK;
}

static clq_status read_option(struct options *options, const char *name, const char *value)
{
    if (strcmp(name, "--cache") == 0 && value != NULL)
        return read_cache(options, value);
    for (int i = 0; i < NUM_KNOWN; i++)
        if (strcmp(name, known[i].name) == 0 && value != NULL)
            return read_value(&known[i], value, (char *)options + known[i].place);
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

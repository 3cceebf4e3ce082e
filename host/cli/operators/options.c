/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of an operator. */
#include "operator.h"

#include <errno.h>
#include <float.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

/* getopt_long's values of the options that every operator has; an operator's own count from OWN. */
enum { POSITIONAL = 1, OUT = 'o', HELP = 'h', DEVICE = 256, TENSOR, NAME, OWN };
enum { SHARED_OPTIONS = 5 };

#define USAGE(call, ...) fail((call)->failure, STATUS_USAGE, __VA_ARGS__)

const char *const operator_flag[] = {"off", "on", NULL};
const char *const operator_number_or_none[] = {"none", NULL};
const char *const operator_count[] = {"count", NULL};
const char *const operator_decimal[] = {"decimal", NULL};
const char *const operator_power[] = {"power", NULL};

float operator_decimal_of(int64_t value)
{
    const uint32_t bits = (uint32_t)value;
    float number;

    memcpy(&number, &bits, sizeof number);
    return number;
}

static bool parse_decimal(struct operator_call *call, const struct operator_option *option, const char *text,
                          int64_t *value)
{
    char *end = NULL;
    const float number = strtof(text, &end);
    uint32_t bits;

    if (*text == '\0' || *text == ' ' || *end || !(number >= 0.0f && number <= FLT_MAX))
        return USAGE(call, "--%s '%.100s': a number from 0 to %g is expected", option->name, text,
                     (double)FLT_MAX);
    memcpy(&bits, &number, sizeof bits);
    *value = bits;
    return true;
}

static size_t list_options(const struct operator_description *op,
                           struct option list[SHARED_OPTIONS + OPERATOR_MAX_OPTIONS + 1])
{
    static const struct option shared[SHARED_OPTIONS] = {
        {"output", required_argument, NULL, OUT},    {"help", no_argument, NULL, HELP},
        {"device", required_argument, NULL, DEVICE}, {"tensor", required_argument, NULL, TENSOR},
        {"name", required_argument, NULL, NAME},
    };
    size_t count = 0;

    for (; count < SHARED_OPTIONS; count++)
        list[count] = shared[count];
    for (size_t i = 0; i < OPERATOR_MAX_OPTIONS && op->options[i].name; i++)
        list[count++] = (struct option){
            op->options[i].name, op->options[i].choices == operator_flag ? no_argument : required_argument,
            NULL, OWN + (int)i};
    list[count] = (struct option){0};
    return count;
}

static bool parse_number(struct operator_call *call, const struct operator_option *option, const char *text,
                         int64_t *value)
{
    const bool may_be_none = option->choices == operator_number_or_none,
               counts = option->choices == operator_count;
    char *end = NULL;
    long number = 0;

    if (may_be_none && strcmp(text, "none") == 0) {
        *value = OPERATOR_NONE;
        return true;
    }
    errno = 0;
    number = strtol(text, &end, 10);
    if (*text == '\0' || *text == ' ' || *end || errno || number < (counts ? 0 : INT32_MIN) ||
        number > INT32_MAX)
        return USAGE(call, "--%s '%.100s': a whole number from %d to 2147483647%s is expected", option->name,
                     text, counts ? 0 : INT32_MIN, may_be_none ? ", or none," : "");
    *value = number;
    return true;
}

static bool parse_power(struct operator_call *call, const struct operator_option *option, const char *text,
                        int64_t *value)
{
    const struct clq_option *row = call->op->rows[option - call->op->options];
    char *end = NULL;
    const long number = strtol(text, &end, 10), least = (long)row->least, most = (long)row->most;

    if (*text == '\0' || *text == ' ' || *end ||
        (number != 0 && (number < least || number > most || (number & (number - 1)) != 0)))
        return USAGE(call, "--%s '%.100s': 0, or a power of two from %ld to %ld, is expected", option->name,
                     text, least, most);
    *value = number;
    return true;
}

static bool parse_choice(struct operator_call *call, const struct operator_option *option, const char *text,
                         int64_t *value)
{
    char known[1024] = "";

    for (size_t i = 0; option->choices[i]; i++) {
        if (!*option->choices[i]) /* a type that the option does not take */
            continue;
        if (strcmp(text, option->choices[i]) == 0) {
            *value = (int64_t)i;
            return true;
        }
        operator_list(known, sizeof known, ", ", option->choices[i]);
    }
    return USAGE(call, "--%s '%.100s': one of %s is expected", option->name, text, known);
}

static bool parse_own(struct operator_call *call, size_t i, const char *text)
{
    const struct operator_option *option = &call->op->options[i];

    call->values[i] = OPERATOR_UNSET;
    if (!text)
        return true;
    if (option->choices == operator_decimal)
        return parse_decimal(call, option, text, &call->values[i]);
    if (option->choices == operator_power)
        return parse_power(call, option, text, &call->values[i]);
    return option->choices && option->choices != operator_number_or_none && option->choices != operator_count
               ? parse_choice(call, option, text, &call->values[i])
               : parse_number(call, option, text, &call->values[i]);
}

static bool is_text(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && memcmp(name, text, length) == 0;
}

/* The input of that name or alias; OPERATOR_MAX_INPUTS: there is none. */
static size_t input_named(const struct operator_description *op, const char *text, size_t length)
{
    for (size_t i = 0; i < OPERATOR_MAX_INPUTS && op->inputs[i].name; i++)
        if (is_text(op->inputs[i].name, text, length))
            return i;
    for (size_t i = 0; i < OPERATOR_MAX_ALIASES && op->aliases[i].name; i++)
        if (is_text(op->aliases[i].name, text, length))
            return op->aliases[i].input;
    return OPERATOR_MAX_INPUTS;
}

/* --tensor x=NAME; without NAME an optional input is left out */
static bool parse_tensor(struct operator_call *call, const char *text)
{
    const char *equals = strchr(text, '=');
    size_t input = 0;

    if (!equals)
        return USAGE(call, "--tensor '%.200s': ARGUMENT=NAME is expected", text);
    input = input_named(call->op, text, (size_t)(equals - text));
    if (input == OPERATOR_MAX_INPUTS)
        return USAGE(call, "--tensor '%.200s': %s has no argument of that name; see clquant %s --help", text,
                     call->op->name, call->op->name);
    if (!equals[1] && !call->op->inputs[input].optional)
        return USAGE(call, "--tensor '%.200s': ARGUMENT=NAME is expected, for %s cannot be left out", text,
                     call->op->inputs[input].name);
    call->wanted[input] = equals + 1;
    return true;
}

static bool parse_one(struct operator_call *call, int option, char **argv)
{
    switch (option) {
    case POSITIONAL:
        call->in_paths[call->in_count++] = optarg;
        return true;
    case OUT:
        call->out_path = optarg;
        return true;
    case HELP:
        call->help = true;
        return true;
    case DEVICE:
        call->device_text = optarg;
        return true;
    case TENSOR:
        return parse_tensor(call, optarg);
    case NAME:
        return operator_parse_name(call, optarg);
    case ':':
        return USAGE(call, "%.200s needs a value", argv[optind - 1]);
    case '?':
        if (optopt >= OWN || optopt == HELP) /* of a flag */
            return USAGE(call, "%.200s: it takes no value; see clquant %s --help", argv[optind - 1],
                         call->op->name);
        if (optopt > 0) /* a letter, perhaps in the middle of several */
            return USAGE(call, "-%c: %s has no such option; see clquant %s --help", optopt, call->op->name,
                         call->op->name);
        return USAGE(call, "%.200s: %s has no such option, or several that begin so; see clquant %s --help",
                     argv[optind - 1], call->op->name, call->op->name);
    default:
        call->given[option - OWN] = true;
        return parse_own(call, (size_t)(option - OWN), optarg ? optarg : "on");
    }
}

bool operator_parse(struct operator_call *call, int argc, char **argv)
{
    struct option list[SHARED_OPTIONS + OPERATOR_MAX_OPTIONS + 1];
    int option = 0;

    list_options(call->op, list);
    call->in_paths = calloc((size_t)argc, sizeof *call->in_paths);
    if (!call->in_paths)
        return fail(call->failure, STATUS_SYSTEM, "no memory for %d arguments", argc);
    for (size_t i = 0; i < OPERATOR_MAX_OPTIONS && call->op->options[i].name; i++)
        if (!parse_own(call, i, call->op->options[i].fallback))
            return false;
    optind = 0; /* begin anew, also where getopt has run before */
    opterr = 0;
    while (!call->help && (option = getopt_long(argc, argv, "-:o:h", list, NULL)) != -1)
        if (!parse_one(call, option, argv))
            return false;
    for (; !call->help && optind < argc; optind++) { /* what follows -- */
        optarg = argv[optind];
        if (!parse_one(call, POSITIONAL, argv))
            return false;
    }
    if (call->help)
        return true;
    if (call->in_count == 0)
        return USAGE(call, "%s: an input file is expected; see clquant %s --help", call->op->name,
                     call->op->name);
    if (!call->out_path)
        return USAGE(call, "%s: -o OUT.safetensors is expected; see clquant %s --help", call->op->name,
                     call->op->name);
    return true;
}

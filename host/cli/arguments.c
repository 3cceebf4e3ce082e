/* SPDX-License-Identifier: Apache-2.0 */
#include "arguments.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>

enum { MOST_OPTIONS = 32, FIRST = 256 /* getopt_long's value of the first one */, OTHER = 1 };

static bool parse_number(const char *command, const struct argument *argument, const char *text,
                         struct failure *failure)
{
    uint64_t *number = argument->to;
    char *end = NULL;

    errno = 0;
    *number = strtoull(text, &end, 10);
    return (*text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && *number >= argument->least &&
            *number <= argument->most) ||
           fail(failure, STATUS_USAGE,
                "%s: --%s '%.100s': a whole number from %" PRIu64 " to %" PRIu64 " is expected", command,
                argument->name, text, argument->least, argument->most);
}

static bool add(struct texts *texts, const char *text, struct failure *failure)
{
    const char **list = realloc(texts->list, (texts->count + 1) * sizeof *list);

    if (!list)
        return fail(failure, STATUS_SYSTEM, "no memory for the command line");
    list[texts->count++] = text;
    texts->list = list;
    return true;
}

static bool take(const char *command, const struct argument *argument, struct failure *failure)
{
    switch (argument->kind) {
    case ARGUMENT_FLAG:
        *(bool *)argument->to = true;
        return true;
    case ARGUMENT_TEXT:
        *(const char **)argument->to = optarg;
        return true;
    case ARGUMENT_TEXTS:
        return add(argument->to, optarg, failure);
    case ARGUMENT_NUMBER:
        return parse_number(command, argument, optarg, failure);
    default:
        return argument->parse(argument->to, optarg, failure);
    }
}

/* The table as getopt_long has it. */
static void list_options(const struct argument *table, struct option known[MOST_OPTIONS + 1], char *letters)
{
    *letters++ = '-';
    *letters++ = ':';
    for (int i = 0; table[i].name; i++) {
        const bool flag = table[i].kind == ARGUMENT_FLAG;

        known[i] = (struct option){table[i].name, flag ? no_argument : required_argument, NULL, FIRST + i};
        if (table[i].letter)
            *letters++ = table[i].letter;
        if (table[i].letter && !flag)
            *letters++ = ':';
    }
    *letters = '\0';
}

static const struct argument *find(const struct argument *table, int option)
{
    if (option >= FIRST)
        return &table[option - FIRST];
    while (table->name && table->letter != option)
        table++;
    return table->name ? table : NULL;
}

static bool take_other(const char *command, struct texts *others, const char *text, struct failure *failure)
{
    return others ? add(others, text, failure)
                  : fail(failure, STATUS_USAGE, "%s: '%.100s': no argument is expected", command, text);
}

bool arguments_parse(const char *command, const struct argument *table, struct texts *others, int argc,
                     char **argv, struct failure *failure)
{
    struct option known[MOST_OPTIONS + 1] = {{0}};
    char letters[2 * MOST_OPTIONS + 3];
    int option = 0;

    list_options(table, known, letters);
    optind = 0; /* begin anew, also where getopt has run before */
    opterr = 0;
    while ((option = getopt_long(argc, argv, letters, known, NULL)) != -1) {
        const struct argument *argument = find(table, option);

        if (option == ':')
            return fail(failure, STATUS_USAGE, "%.200s needs a value", argv[optind - 1]);
        if (option != OTHER && !argument)
            return fail(failure, STATUS_USAGE,
                        "%.200s: %s has no such option, or several that begin so; see clquant %s --help",
                        argv[optind - 1], command, command);
        if (!(argument ? take(command, argument, failure) : take_other(command, others, optarg, failure)))
            return false;
        if (argument && argument->letter == 'h')
            return true;
    }
    for (; optind < argc; optind++) /* what follows -- */
        if (!take_other(command, others, argv[optind], failure))
            return false;
    return true;
}

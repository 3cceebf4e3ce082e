/* SPDX-License-Identifier: Apache-2.0 */
/* A command line, read by a table of its options. */
#ifndef CLQUANT_CLI_ARGUMENTS_H
#define CLQUANT_CLI_ARGUMENTS_H

#include "failure.h"

#include <stddef.h>
#include <stdint.h>

struct texts {
    const char **list; /* to be freed */
    size_t count;
};

struct argument {
    const char *name; /* without its --; NULL ends a table */
    enum {
        ARGUMENT_FLAG,   /* to: a bool */
        ARGUMENT_TEXT,   /* a const char * */
        ARGUMENT_TEXTS,  /* a struct texts: it may be repeated */
        ARGUMENT_NUMBER, /* a uint64_t, from least to most */
        ARGUMENT_PARSED, /* whatever parse takes */
    } kind;
    void *to;
    char letter; /* by which it is given too; 0: none. What stands behind -h is not read */
    uint64_t least, most;
    bool (*parse)(void *to, const char *text, struct failure *failure);
};

/* What is no option goes to others; NULL: there may be none. */
bool arguments_parse(const char *command, const struct argument *table, struct texts *others, int argc,
                     char **argv, struct failure *failure);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The command line. */
#ifndef CLQ_KV_CACHE_OPTIONS_H
#define CLQ_KV_CACHE_OPTIONS_H

#include "setup.h"

#include <failure.h>
#include <stdbool.h>

struct options {
    struct setup setup; /* 0 where an option was not given and depends on the keys' file */
    int64_t seed;
    const char *keys;   /* a safetensors file; NULL: keys are made up */
    const char *tensor; /* its name in the file; NULL: the only tensor of floats */
    const char *order;  /* a letter a dimension; NULL: by rank */
    const char *plot;   /* NULL: nothing is drawn */
    const char *device; /* NULL: the default */
    bool help;
};

bool options_read(struct options *options, int argc, char **argv, struct failure *failure);
void options_help(void);

/* Whether the whole fits: 32 bits count CLBlast's elements, and memory is not endless. */
bool options_check_size(const struct setup *setup, struct failure *failure);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers that the tests of the seam take: --NAME N. */
#ifndef CLQUANT_SEAM_OPTIONS_H
#define CLQUANT_SEAM_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct option {
    const char *name; /* "--seed" */
    uint64_t *number; /* one of the two */
    const char **text;
};

/* The options end with one without a name. False, with a sentence on standard error, at a word that is none of them. */
bool options_read(int argc, char **argv, const struct option *options);

#endif

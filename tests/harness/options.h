/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of random calls are told: --NAME N. */
#ifndef CLQUANT_HARNESS_OPTIONS_H
#define CLQUANT_HARNESS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct option {
    const char *name; /* "--seed" */
    uint64_t *number; /* one of the two */
    const char **text;
};

/* The options end with one without a name. False, with a sentence on standard error,
 * at a word that is none of them. */
bool options_read(int argc, char **argv, const struct option *options);

/* $CLQ_TEST_SEED, or the time. */
uint64_t options_seed(void);

#endif

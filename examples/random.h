/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers for the examples: the same ones for the same seed, on every machine. */
#ifndef CLQ_EXAMPLES_RANDOM_H
#define CLQ_EXAMPLES_RANDOM_H

#include <stdint.h>

struct example_random {
    uint64_t state; /* any seed will do */
};

double random_uniform(struct example_random *random); /* between 0 and 1, neither included */
double random_normal(struct example_random *random);

#endif

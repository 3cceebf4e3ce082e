/* SPDX-License-Identifier: Apache-2.0 */
/* What a model would compute: keys, values and queries.
 *
 * Keys as real ones are: in every head a few channels stand far off zero, in the same direction for every
 * token, and the others are nearly normal. Values have no such channels, but tokens of different size. */
#ifndef CLQ_KV_CACHE_ACTIVATIONS_H
#define CLQ_KV_CACHE_ACTIVATIONS_H

#include "setup.h"

#include <stdbool.h>

struct activations {
    uint16_t *keys;   /* float16 [batch, tokens, heads, head size] */
    uint16_t *values; /* the same */
    float *queries;   /* [steps, batch, heads, queries, head size] */
};

/* Room for the setup; false where there is no memory. Clear accepts what is half made. */
bool activations_init(struct activations *activations, const struct setup *setup);
void activations_clear(struct activations *activations);

void activations_fill_keys(struct activations *activations, const struct setup *setup, uint64_t seed);
void activations_fill_values(struct activations *activations, const struct setup *setup, uint64_t seed);

/* The queries, for the keys as they are: normal, and of such a size that a head's scores differ from token to
 * token by what a softmax makes something of. */
void activations_fill_queries(struct activations *activations, const struct setup *setup, uint64_t seed);

#endif

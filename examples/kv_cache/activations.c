/* SPDX-License-Identifier: Apache-2.0 */
/* Making activations. */
#include "activations.h"

#include <math.h>
#include <random.h>
#include <reference.h>
#include <stdlib.h>

static const double SCORES = 1.0; /* the standard deviation of a head's scores over the tokens */

bool activations_init(struct activations *activations, const struct setup *setup)
{
    const size_t elements = (size_t)setup_cache_elements(setup);
    const size_t queries = (size_t)(setup->steps * setup_query_rows(setup) * setup->head_size);

    activations->keys = calloc(elements, sizeof *activations->keys);
    activations->values = calloc(elements, sizeof *activations->values);
    activations->queries = calloc(queries, sizeof *activations->queries);
    return activations->keys != NULL && activations->values != NULL && activations->queries != NULL;
}

void activations_clear(struct activations *activations)
{
    free(activations->keys);
    free(activations->values);
    free(activations->queries);
    *activations = (struct activations){0};
}

/* One channel of a head in 32 is an outlier, and at least one of each head. */
static void draw_channel(struct example_random *random, int64_t channel, double *spread, double *shift)
{
    const double sign = random_uniform(random) < 0.5 ? -1.0 : 1.0, size = 6.0 + 10.0 * random_uniform(random);

    *spread = exp(0.3 * random_normal(random));
    *shift = channel % 32 == 0 ? sign * size : 0.0;
}

void activations_fill_keys(struct activations *activations, const struct setup *setup, uint64_t seed)
{
    const int64_t tokens = setup->batch * setup_tokens(setup), elements = setup_token_elements(setup);
    struct example_random random = {seed};

    for (int64_t e = 0; e < elements;
         e++) { /* the channel's nature is the model's: the same for all tokens */
        double spread, shift;

        draw_channel(&random, (e % setup->head_size + 7) % setup->head_size, &spread, &shift);
        for (int64_t t = 0; t < tokens; t++)
            activations->keys[t * elements + e] =
                reference_narrow_f16((float)(shift + spread * random_normal(&random)));
    }
}

void activations_fill_values(struct activations *activations, const struct setup *setup, uint64_t seed)
{
    const int64_t rows = setup->batch * setup_tokens(setup) * setup->heads;
    struct example_random random = {seed ^ 0x56};

    for (int64_t r = 0; r < rows; r++) {
        const double size = exp(0.3 * random_normal(&random));

        for (int64_t c = 0; c < setup->head_size; c++)
            activations->values[r * setup->head_size + c] =
                reference_narrow_f16((float)(size * random_normal(&random)));
    }
}

/* The variance of a head's keys around their mean, summed over the channels: what every token has in common
 * moves all its scores alike, and a softmax does not see it. */
static double spread_of_head(const struct activations *activations, const struct setup *setup, int64_t head)
{
    const int64_t tokens = setup->batch * setup_tokens(setup);
    double spread = 0.0;

    for (int64_t c = 0; c < setup->head_size; c++) {
        double sum = 0.0, squares = 0.0;

        for (int64_t t = 0; t < tokens; t++) {
            const double key = (double)reference_widen_f16(
                activations->keys[t * setup_token_elements(setup) + head * setup->head_size + c]);

            sum += key;
            squares += key * key;
        }
        spread += squares / (double)tokens - sum / (double)tokens * (sum / (double)tokens);
    }
    return spread;
}

void activations_fill_queries(struct activations *activations, const struct setup *setup, uint64_t seed)
{
    const int64_t group = setup->queries * setup->head_size;
    struct example_random random = {seed ^ 0x51};

    for (int64_t head = 0; head < setup->heads; head++) {
        const double spread = spread_of_head(activations, setup, head);
        const double size = spread > 0.0 ? SCORES * sqrt((double)setup->head_size / spread) : 1.0;

        for (int64_t s = 0; s < setup->steps * setup->batch; s++)
            for (int64_t i = 0; i < group; i++)
                activations->queries[(s * setup->heads + head) * group + i] =
                    (float)(size * random_normal(&random));
    }
}

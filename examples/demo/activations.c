/* SPDX-License-Identifier: Apache-2.0 */
/* Making activations. */
#include "activations.h"

#include <math.h>
#include <random.h>
#include <reference.h>
#include <stdlib.h>

void activations_fill(uint16_t *values, size_t tokens, size_t channels, uint64_t seed)
{
    struct example_random random = {seed};
    double *spread = malloc(channels * sizeof *spread), *shift = malloc(channels * sizeof *shift);

    if (spread == NULL || shift == NULL)
        abort();
    for (size_t c = 0; c < channels; c++) {
        const int outlier = random_uniform(&random) < 0.005;

        spread[c] = exp(0.4 * random_normal(&random)) * (outlier ? 4.0 : 1.0);
        shift[c] = outlier
                       ? (random_uniform(&random) < 0.5 ? -1 : 1) * (20.0 + 40.0 * random_uniform(&random))
                       : 0.0;
    }
    for (size_t t = 0; t < tokens; t++)
        for (size_t c = 0; c < channels; c++)
            values[t * channels + c] =
                reference_narrow_f16((float)(shift[c] + spread[c] * random_normal(&random)));
    free(shift);
    free(spread);
}

/* Making activations. */
#include "activations.h"

#include <math.h>
#include <stdlib.h>

#include <reference.h>

static uint64_t next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u); /* splitmix64 */

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double uniform(uint64_t *state)
{
    return ((double)(next(state) >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t *state)
{
    return sqrt(-2.0 * log(uniform(state))) * cos(6.283185307179586 * uniform(state));
}

void activations_fill(uint16_t *values, size_t tokens, size_t channels, uint64_t seed)
{
    uint64_t state = seed;
    double *spread = malloc(channels * sizeof *spread), *shift = malloc(channels * sizeof *shift);

    if (spread == NULL || shift == NULL)
        abort();
    for (size_t c = 0; c < channels; c++) {
        const int outlier = uniform(&state) < 0.005;

        spread[c] = exp(0.4 * normal(&state)) * (outlier ? 4.0 : 1.0);
        shift[c] = outlier ? (uniform(&state) < 0.5 ? -1 : 1) * (20.0 + 40.0 * uniform(&state)) : 0.0;
    }
    for (size_t t = 0; t < tokens; t++)
        for (size_t c = 0; c < channels; c++)
            values[t * channels + c] = reference_narrow_f16((float)(shift[c] + spread[c] * normal(&state)));
    free(shift);
    free(spread);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Scales and errors. */
#include "statistics.h"

#include <math.h>

void statistics_scales(const struct reference_tensor *x, float largest, float *scales)
{
    const int last = x->rank - 1;
    int64_t index[REFERENCE_MAX_RANK] = {0};

    for (int64_t c = 0; c < x->shape[last]; c++)
        scales[c] = 0.0f;
    do {
        const float magnitude = fabsf(reference_load(x, index));

        if (isfinite(magnitude) && magnitude > scales[index[last]])
            scales[index[last]] = magnitude;
    } while (reference_next(x, index));
    for (int64_t c = 0; c < x->shape[last]; c++)
        scales[c] = scales[c] > 0.0f ? scales[c] / largest : 1.0f;
}

struct statistics statistics_error(const struct reference_tensor *x, const struct reference_tensor *q,
                                   const float *scales)
{
    struct statistics result = {0};
    int64_t index[REFERENCE_MAX_RANK] = {0}, count = 0;
    double noise = 0.0, signal = 0.0;

    do {
        const double value = reference_load(x, index);
        const double error =
            value - (double)reference_load_int(q, index) * (double)scales[index[x->rank - 1]];

        if (!isfinite(value))
            continue;
        result.max_error = fmax(result.max_error, fabs(error));
        noise += error * error;
        signal += value * value;
        count++;
    } while (reference_next(x, index));
    result.rms_error = count > 0 ? sqrt(noise / (double)count) : 0.0;
    result.signal_to_noise_db = noise > 0.0 ? 10.0 * log10(signal / noise) : INFINITY;
    return result;
}

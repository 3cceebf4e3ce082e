/* SPDX-License-Identifier: Apache-2.0 */
/* Scales out of data, and how far the quantized values are from what they stand for. */
#ifndef CLQ_DEMO_STATISTICS_H
#define CLQ_DEMO_STATISTICS_H

#include <reference.h>

/* One scale per index of the last axis, absmax / largest; 1 where a channel is all zero. */
void statistics_scales(const struct reference_tensor *x, float largest, float *scales);

struct statistics {
    double max_error, rms_error, signal_to_noise_db;
};

/* x against q * scale, over the finite elements of x. */
struct statistics statistics_error(const struct reference_tensor *x, const struct reference_tensor *q,
                                   const float *scales);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* How long the device takes, beside what moves the same bytes and computes nothing, in turn. */
#ifndef CLQ_DEMO_MEASURE_H
#define CLQ_DEMO_MEASURE_H

#include "format.h"

#include <stddef.h>

#define MEASURE_COPIES 64

struct measure_work {
    DLManagedTensor *const *x, *const *y;
    int copies; /* of the data, used in turn, so that no round finds its data in a cache */
    bool (*run)(void *user, int copy);
    void *user;
};

struct measure {
    double ours_s, stream_s, share; /* medians; share is the median of the ratios stream / ours */
    const char *stream;             /* what ours was compared with */
};

/* Copies that together are larger than any last-level cache. */
int measure_copies(size_t bytes);

bool measure_run(const struct demo *demo, const struct measure_work *work, struct measure *measure);

#endif

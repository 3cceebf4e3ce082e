/* SPDX-License-Identifier: Apache-2.0 */
/* The clock, and timing several contestants in turn. */
#ifndef CLQUANT_BENCH_TIMING_H
#define CLQUANT_BENCH_TIMING_H

#include <stddef.h>

/* Seconds of a clock that only goes forward. */
double now_s(void);

/* The middle of the values, which are left sorted; count is at least 1. */
double median(double *values, size_t count);

#endif

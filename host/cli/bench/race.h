/* SPDX-License-Identifier: Apache-2.0 */
/* Timing in turn: every round runs every contestant once, so that a slow moment of the machine meets all of
 * them, and what is reported is the median of the ratios within a round. */
#ifndef CLQUANT_BENCH_RACE_H
#define CLQUANT_BENCH_RACE_H

#include "bench.h"

enum { RACE_ROUNDS = 9, RACE_MOST_ROUNDS = 81, RACE_MOST = 3 };

struct contestant {
    bool (*run)(struct bench *bench, void *self);
    void *self;
    double bytes; /* that it reads and writes */
    bool on_host; /* it works on x_host and y_host */
};

struct race {
    struct contestant list[RACE_MOST];
    size_t count, rounds;
    size_t least_rounds; /* 0: RACE_ROUNDS */
    double seconds[RACE_MOST][RACE_MOST_ROUNDS];
};

/* Seconds of a clock that only goes forward. */
double now_s(void);

/* The middle of the values, which are left sorted; count is at least 1. */
double median(double *values, size_t count);

/* Its number. */
size_t race_add(struct race *race, const struct contestant *contestant);

/* One round that does not count, then RACE_ROUNDS others, and more where they are short. */
bool race_run(struct bench *bench, struct race *race);

double race_median(const struct race *race, size_t index);

/* A contestant's time over the first one's, each divided by its bytes: the median of the rounds. */
double race_share(const struct race *race, size_t index);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Timing in turn: every round runs every contestant once, so that a slow moment of the machine meets all of
 * them, and what is reported is the median of the ratios within a round. */
#ifndef CLQUANT_BENCH_RACE_H
#define CLQUANT_BENCH_RACE_H

#include "bench.h"

enum { RACE_ROUNDS = 9, RACE_MOST_ROUNDS = 81, RACE_MOST = 8 };

enum race_role { RACE_OURS, RACE_STREAM, RACE_COPY, RACE_MEMCPY, RACE_PEER };

struct contestant {
    enum race_role role;
    const char *name; /* RACE_PEER: as it stands under vs */
    bool (*run)(struct bench *bench, void *self);
    void *self;
    double bytes; /* that it reads and writes */
    bool on_host; /* it works on x_host and y_host */
};

/* The first contestant is ours. */
struct race {
    struct contestant list[RACE_MOST];
    size_t count, rounds;
    size_t least_rounds; /* 0: RACE_ROUNDS */
    bool paired;         /* the first two follow each other, either of them first */
    double seconds[RACE_MOST][RACE_MOST_ROUNDS];
};

void race_add(struct race *race, const struct contestant *contestant);

/* One round that does not count, then RACE_ROUNDS others, and more where they are short. */
bool race_run(struct bench *bench, struct race *race);

/* The median of the first's time over the second's, each divided by its bytes where per_byte. */
double race_ratio(const struct race *race, size_t first, size_t second, bool per_byte);

double race_median(const struct race *race, size_t index);

/* Fills the row's figures from a race that was run. */
void race_report(const struct race *race, struct report_row *row);

#endif

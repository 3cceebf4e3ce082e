/* SPDX-License-Identifier: Apache-2.0 */
/* Timing in turn. */
#include "race.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ENOUGH_S 0.5 /* of rounds that count */

double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

size_t race_add(struct race *race, const struct contestant *contestant)
{
    race->list[race->count] = *contestant;
    return race->count++;
}

static bool time_one(struct bench *bench, const struct contestant *contestant, double *seconds)
{
    double start = 0;

    if (contestant->on_host && !data_begin_host(bench))
        return false;
    start = now_s();
    if (!contestant->run(bench, contestant->self))
        return false;
    *seconds = now_s() - start;
    return !contestant->on_host || data_end_host(bench);
}

/* Another one is first in each round: the caches, and those of the page tables, are as whoever ran before
 * left them. A bare loop that divides and writes to random places took 4.9 ms after a copy of 512 MiB, and
 * 3.7 ms after itself. */
static bool run_round(struct bench *bench, struct race *race, size_t first)
{
    for (size_t k = 0; k < race->count; k++) {
        const size_t i = (first + k) % race->count;

        if (!time_one(bench, &race->list[i], &race->seconds[i][race->rounds]))
            return false;
    }
    return true;
}

/* Medians of nine rounds of 20 ms are not steady: 0.84 to 0.95 of another in five runs. */
bool race_run(struct bench *bench, struct race *race)
{
    const size_t least = race->least_rounds > 0 ? race->least_rounds : RACE_ROUNDS;
    double start = 0;

    race->rounds = 0;
    if (!run_round(bench, race, 0))
        return false;
    start = now_s();
    while (race->rounds < least || (race->rounds < RACE_MOST_ROUNDS && now_s() - start < ENOUGH_S)) {
        if (!run_round(bench, race, race->rounds))
            return false;
        race->rounds++;
    }
    return true;
}

double race_median(const struct race *race, size_t index)
{
    double seconds[RACE_MOST_ROUNDS];

    memcpy(seconds, race->seconds[index], race->rounds * sizeof *seconds);
    return median(seconds, race->rounds);
}

double race_share(const struct race *race, size_t index)
{
    const double bytes = race->list[0].bytes / race->list[index].bytes;
    double ratios[RACE_MOST_ROUNDS];

    for (size_t round = 0; round < race->rounds; round++)
        ratios[round] = race->seconds[index][round] / race->seconds[0][round] * bytes;
    return median(ratios, race->rounds);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Timing in turn. */
#include "race.h"

#include "data.h"
#include "timing.h"

#include <string.h>

#define ENOUGH_S 0.5 /* of rounds that count */

void race_add(struct race *race, const struct contestant *contestant)
{
    race->list[race->count++] = *contestant;
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

static void shuffle(size_t *order, size_t count, uint32_t *state)
{
    for (size_t i = 0; i < count; i++) {
        size_t other = 0;

        *state = *state * 1664525u + 1013904223u;
        other = (*state >> 16) % (i + 1);
        order[i] = order[other];
        order[other] = i;
    }
}

/* The second contestant moves to the first one's side: before it where `before`. */
static void pair(size_t *order, size_t count, bool before)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (order[i] != 1)
            order[kept++] = order[i];
    for (size_t i = count - 1; i > 0; i--) {
        order[i] = order[i - 1];
        if (order[i - 1] == 0) {
            order[i - before] = 1;
            order[i - !before] = 0;
            return;
        }
    }
}

/* In another order each round: the caches, and those of the page tables, are as whoever ran before left them.
 * A bare loop that divides and writes to random places took 4.9 ms after a copy of 512 MiB,
 * and 3.7 ms after itself. */
static bool run_round(struct bench *bench, struct race *race, uint32_t *state)
{
    size_t order[RACE_MOST];

    shuffle(order, race->count, state);
    if (race->paired)
        pair(order, race->count, *state >> 31);
    for (size_t k = 0; k < race->count; k++)
        if (!time_one(bench, &race->list[order[k]], &race->seconds[order[k]][race->rounds]))
            return false;
    return true;
}

/* Medians of nine rounds of 20 ms are not steady: 0.84 to 0.95 of another in five runs. */
bool race_run(struct bench *bench, struct race *race)
{
    const size_t least = race->least_rounds > 0 ? race->least_rounds : RACE_ROUNDS;
    uint32_t state = 1;
    double start = 0;

    race->rounds = 0;
    if (!run_round(bench, race, &state))
        return false;
    start = now_s();
    while (race->rounds < least || (race->rounds < RACE_MOST_ROUNDS && now_s() - start < ENOUGH_S)) {
        if (!run_round(bench, race, &state))
            return false;
        race->rounds++;
    }
    return true;
}

double race_ratio(const struct race *race, size_t first, size_t second, bool per_byte)
{
    const double bytes = per_byte ? race->list[second].bytes / race->list[first].bytes : 1;
    double ratios[RACE_MOST_ROUNDS];

    for (size_t round = 0; round < race->rounds; round++)
        ratios[round] = race->seconds[first][round] / race->seconds[second][round] * bytes;
    return median(ratios, race->rounds);
}

double race_median(const struct race *race, size_t index)
{
    double seconds[RACE_MOST_ROUNDS];

    memcpy(seconds, race->seconds[index], race->rounds * sizeof *seconds);
    return median(seconds, race->rounds);
}

void race_report(const struct race *race, struct report_row *row)
{
    row->bytes = race->list[0].bytes;
    row->median_s = race_median(race, 0);
    row->gbps = row->bytes / row->median_s * 1e-9;
    for (size_t i = 1; i < race->count; i++) {
        switch (race->list[i].role) {
        case RACE_STREAM:
            row->share_of_stream = race_ratio(race, i, 0, true);
            break;
        case RACE_COPY:
            row->share_of_copy = race_ratio(race, i, 0, true);
            break;
        case RACE_MEMCPY:
            row->share_of_memcpy = race_ratio(race, i, 0, true);
            break;
        default:
            row->vs[row->peers].name = race->list[i].name;
            row->vs[row->peers++].ratio = race_ratio(race, i, 0, false);
        }
    }
}

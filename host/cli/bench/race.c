/* Timing in turn. */
#include "race.h"

#include "data.h"
#include "timing.h"

#include <string.h>

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
    *seconds = contestant->own_s ? *contestant->own_s : now_s() - start;
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

/* In another order each round: the caches, and those of the page tables, are as whoever ran before left them. A bare
 * loop that divides and writes to random places took 4.9 ms after a copy of 512 MiB, and 3.7 ms after itself. */
bool race_run(struct bench *bench, struct race *race)
{
    size_t order[RACE_MOST];
    uint32_t state = 1;

    for (int round = -1; round < RACE_ROUNDS; round++) {
        shuffle(order, race->count, &state);
        for (size_t k = 0; k < race->count; k++) {
            const size_t i = order[k];
            double seconds = 0;

            if (!time_one(bench, &race->list[i], &seconds))
                return false;
            if (round >= 0)
                race->seconds[i][round] = seconds;
        }
    }
    return true;
}

double race_ratio(const struct race *race, size_t first, size_t second, bool per_byte)
{
    const double bytes = per_byte ? race->list[second].bytes / race->list[first].bytes : 1;
    double ratios[RACE_ROUNDS];

    for (int round = 0; round < RACE_ROUNDS; round++)
        ratios[round] = race->seconds[first][round] / race->seconds[second][round] * bytes;
    return median(ratios, RACE_ROUNDS);
}

double race_median(const struct race *race, size_t index)
{
    double seconds[RACE_ROUNDS];

    memcpy(seconds, race->seconds[index], sizeof seconds);
    return median(seconds, RACE_ROUNDS);
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

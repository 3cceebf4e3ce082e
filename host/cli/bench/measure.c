/* SPDX-License-Identifier: Apache-2.0 */
/* A row of the table: our call beside what memory allows, and ours in another way. */
#include "call.h"
#include "data.h"
#include "limit_places.h"

enum { OTHER_SET = 8 }; /* of places: what one contestant has just written is in the caches for nobody */

/* What runs beside ours. */
struct rivals {
    struct call other; /* ours, in another way */
    struct limit_places at_places;
};

/* The same elements dense, or the same call with the promise that entries are unique, or with pairs for
 * slots, or with rows as they are. */
static bool add_ours(struct bench *bench, struct race *race, const struct call *c, struct rivals *rivals)
{
    struct row row = c->row;
    const bool dense = (row.beside & BESIDE_DENSE) != 0, pairs = (row.beside & BESIDE_PAIRS) != 0;
    const bool unrotated = (row.beside & BESIDE_UNROTATED) != 0;

    if (!(row.beside & (BESIDE_DENSE | BESIDE_UNIQUE | BESIDE_PAIRS | BESIDE_UNROTATED)))
        return true;
    if (pairs)
        row.placement = PAIRS;
    else if (unrotated)
        row.rotate = 0;
    else
        row.unique = true;
    if (dense) {
        row.operation = row.layout < PER_ROW ? QUANTIZE : DYNAMIC_QUANTIZE;
        row.layout = row.layout < PER_ROW ? PER_LAST_AXIS : row.layout;
        row.placement = DENSE;
        row.rows = c->rows;
    }
    if (!call_begin(bench, &rivals->other, &row, c->library))
        return false;
    rivals->other.next = OTHER_SET;
    race_add(race, &(struct contestant){.role = RACE_PEER,
                                        .name = dense       ? "dense"
                                                : pairs     ? "pairs"
                                                : unrotated ? "unrotated"
                                                            : "unique",
                                        .run = call_run,
                                        .self = &rivals->other,
                                        .bytes = (double)(c->src_bytes + c->dst_bytes)});
    return true;
}

/* A scatter of entries of one position, no two of a call at the same place.
 * On a CPU a kernel of one loop is no measure. */
static bool add_at_places(struct bench *bench, struct race *race, const struct call *c, struct rivals *rivals)
{
    const int64_t rows = call_position_rows(c);

    if (bench->pool || !(c->row.beside & LIMITS) || !c->places.pairs || c->places.slots ||
        row_in_place(&c->row) ||
        (c->row.operation != QUANTIZE_SCATTER && c->row.operation != DYNAMIC_QUANTIZE_SCATTER &&
         c->row.operation != MOVE_ROWS))
        return true;
    return limit_places_add(bench, race, &rivals->at_places, &c->places,
                            row_type_bytes(c->row.src, rows * c->row.columns),
                            row_type_bytes(c->row.dst, rows * c->row.columns));
}

static bool run_race(struct bench *bench, struct call *c, struct race *race, struct rivals *rivals)
{
    const size_t bytes = c->src_bytes + c->dst_bytes;

    race_add(race, &(struct contestant){
                       .run = call_run, .self = c, .bytes = (double)(bytes + c->other_bytes) * c->row.calls});
    if ((c->row.beside & LIMITS) && !limit_add(bench, race, c->src_bytes, c->dst_bytes))
        return false;
    if (!add_ours(bench, race, c, rivals) || !add_at_places(bench, race, c, rivals))
        return false;
    return race_run(bench, race);
}

static bool measure(struct bench *bench, const struct row *row)
{
    struct call call = {0};
    struct rivals rivals = {0};
    struct report_row result;
    struct race race = {0};
    bool done = call_fill(bench, row) && call_begin(bench, &call, row, &bench->library) &&
                call_once_checked(bench, &call) && run_race(bench, &call, &race, &rivals);

    if (done) {
        call_describe(&call, &result);
        race_report(&race, &result);
        result.bytes /= call.row.calls;
        result.median_s /= call.row.calls;
        done = bench_add(bench, &result);
    }
    call_end(&rivals.other);
    limit_places_clear(&rivals.at_places);
    call_end(&call);
    return done;
}

static bool measure_row(void *user, const struct row *row)
{
    struct bench *bench = user;
    char label[256];

    row_label(row, label, sizeof label);
    return !bench_wants(bench, label) || measure(bench, row);
}

bool measure_rows(struct bench *bench)
{
    return rows_visit(measure_row, bench);
}

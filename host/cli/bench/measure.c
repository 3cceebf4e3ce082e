/* SPDX-License-Identifier: Apache-2.0 */
/* A row of the table: our call beside what memory allows, ours in another way, oneDNN and PyTorch. */
#include "call.h"
#include "data.h"
#include "limit_places.h"
#include "onednn.h"
#include "torch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { OTHER_SET = 8 }; /* of places: what one contestant has just written is in the caches for nobody */

/* What runs beside ours. */
struct rivals {
    struct call other; /* ours, in another way */
    struct limit_places at_places;
    struct onednn *onednn;
    struct torch_peer torch;
};

static bool run_onednn(struct bench *bench, void *self)
{
    const struct rivals *rivals = self;

    return onednn_run(rivals->onednn, bench->x_host, bench->y_host) ||
           fail(&bench->failure, STATUS_SYSTEM, "bench: oneDNN's reorder failed");
}

/* oneDNN only multiplies: for divide it gets the reciprocals, as its users do; its bytes may then differ. */
static void add_onednn(struct bench *bench, struct race *race, const struct call *c, struct rivals *rivals)
{
    const bool each = c->row.layout == PER_LAST_AXIS;
    const size_t count = (size_t)c->scales_shape[0];
    float *scales = NULL;

    if (!bench->pool || c->row.operation != QUANTIZE || c->row.src != F32 || c->row.dst != I8 ||
        (c->row.layout != PER_TENSOR && !each))
        return;
    scales = malloc(count * sizeof *scales);
    for (size_t i = 0; scales && i < count; i++)
        scales[i] = c->row.mode == DIVIDE ? 1.0f / bench->scale_values[i] : bench->scale_values[i];
    if (scales)
        rivals->onednn = onednn_create((size_t)c->rows, (size_t)c->row.columns, scales, each);
    if (rivals->onednn)
        race_add(race, &(struct contestant){.role = RACE_PEER,
                                            .name = "onednn",
                                            .run = run_onednn,
                                            .self = rivals,
                                            .bytes = (double)(c->src_bytes + c->dst_bytes),
                                            .on_host = true});
    free(scales);
}

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

/* What PyTorch has a call for, and what its users run in a decode loop: round, clamp, index_put_. It gets at
 * most TORCH_BYTES of x, and its time is then made longer. */
static void add_torch(struct bench *bench, struct race *race, const struct call *c, struct rivals *rivals)
{
    const int64_t columns = c->row.columns, heads = call_position_rows(c), entries = c->places.entries;
    const int64_t most = TORCH_BYTES / (int64_t)row_type_bytes(c->row.src, columns);
    const int64_t rows = c->rows < most ? c->rows : most;
    const char *src = reference_types[c->row.src].name, *name = "torch-index_put";
    char work[160];

    rivals->torch.times = (double)c->rows / (double)rows;
    if (c->row.operation == QUANTIZE && c->row.mode == DIVIDE && c->row.src == F32 &&
        (c->row.dst == I8 || c->row.dst == U8) &&
        (c->row.layout == PER_TENSOR || (c->row.layout == PER_LAST_AXIS && columns == 8192))) {
        name = c->row.layout == PER_TENSOR ? "torch-quantize_per_tensor" : "torch-quantize_per_channel";
        snprintf(work, sizeof work, "%s float32 q%s %" PRId64 " %" PRId64, name + 6,
                 reference_types[c->row.dst].name, rows, columns);
    } else if (c->row.operation == DYNAMIC_QUANTIZE && c->row.mode == ASYMMETRIC && c->row.dst == I4 &&
               c->row.src != BF16 && c->row.rotate == 0 &&
               c->row.block == 0) { /* it packs int4 with the scale of a row, not from bfloat16 */
        name = "torch-embedding_bag_4bit_prepack";
        snprintf(work, sizeof work, "%s %s %" PRId64 " %" PRId64, name + 6, src, rows, columns);
    } else if (c->row.operation == QUANTIZE_SCATTER && c->row.beside == 0) {
        rivals->torch.times = 1;
        snprintf(work, sizeof work,
                 "scatter float16 %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %d",
                 c->places.batches, c->places.length, heads, columns, entries, c->places.pairs);
    } else if (c->row.operation == MOVE_ROWS && c->places.update_length == 1) {
        const int64_t few = most / heads < entries ? most / heads : entries;

        rivals->torch.times = (double)entries / (double)few;
        snprintf(work, sizeof work,
                 "append %s %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %d", src,
                 c->places.batches, c->places.pairs && few < entries ? few : c->places.length, heads, columns,
                 few, c->places.pairs);
    } else if (c->row.operation == DYNAMIC_QUANTIZE_SCATTER && c->places.update_length == 1 &&
               c->row.placement != ORDERED &&
               c->row.placement != SLOTS) { /* its places are at random pairs */
        const int64_t few = most / 4 / heads < entries ? most / 4 / heads : entries;

        rivals->torch.times = (double)entries / (double)few;
        snprintf(work, sizeof work,
                 "dynamic_scatter %s %d %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %d", src,
                 c->row.dst == I4 ? 4 : 8, c->places.batches,
                 c->places.pairs && few < entries ? few : c->places.length, heads, columns, few,
                 c->places.pairs);
    } else {
        return;
    }
    torch_add(bench, race, &rivals->torch, name, c->row.calls, work);
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
    add_onednn(bench, race, c, rivals);
    add_torch(bench, race, c, rivals);
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
    onednn_destroy(rivals.onednn);
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

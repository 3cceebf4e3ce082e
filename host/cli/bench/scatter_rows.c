/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of quantize_scatter: prefill, the price of overlap, decode. */
#include "limit.h"
#include "quantize_case.h"
#include "scatter_case.h"
#include "torch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BACK_TO_BACK = 16, /* calls of a run where one is so short that the wait would be felt */
    OTHER_SET =
        SCATTER_SETS / 2, /* of places: what one contestant has just written is in the caches for nobody */
};

/* The same entries to places of the same kind, by hand in C: what a scatter can reach here. */
struct by_hand {
    struct scatter_case *c;
    struct peer_places places;
    struct peer_work work;
    struct peer_way way;
    size_t next;
};

static void by_hand_next(struct bench *bench, struct by_hand *hand)
{
    const size_t bytes = peer_src_bytes(PEER_F16, scatter_update_elements(hand->c));

    hand->places.pairs = places_of_call(&hand->c->places, hand->next++);
    hand->work.places = &hand->places;
    hand->work.x = (const char *)bench->x_host + data_next_piece(bench, bytes);
    hand->work.y = bench->y_host;
}

static bool run_by_hand(struct bench *bench, void *self)
{
    struct by_hand *hand = self;

    by_hand_next(bench, hand);
    peer_run(bench->pool, &hand->way, &hand->work);
    return true;
}

/* The work is that of the dense quantization, but for its places. */
static bool by_hand_init(struct bench *bench, struct scatter_case *c, const struct quantize_case *dense,
                         struct by_hand *hand)
{
    *hand = (struct by_hand){
        .c = c,
        .places = {.batch = (size_t)c->cache_shape[1],
                   .rows = (size_t)(dense->shape[0] / c->updates_shape[0])},
        .work = dense->work,
        .next = OTHER_SET,
    };
    if (!data_begin_host(bench))
        return false;
    by_hand_next(bench, hand);
    hand->way = peer_find_way(bench->pool, &hand->work);
    return data_end_host(bench);
}

static void describe(const struct scatter_case *c, struct report_row *row)
{
    row->operator_name = "quantize_scatter";
    row->src = "float16";
    row->dst = "int8";
    row->mode = "divide";
    row->axis = 1;
    row->has_axis = 1;
    row->ndim = c->ndim;
    memcpy(row->shape, c->cache_shape, sizeof c->cache_shape);
    snprintf(row->note, sizeof row->note, "%s, %" PRId64 " entries of %zu", c->note, c->updates_shape[0],
             scatter_update_elements(c) / (size_t)c->updates_shape[0]);
}

static bool wants(struct bench *bench, const struct scatter_case *c)
{
    char label[256];

    snprintf(label, sizeof label, "quantize_scatter float16 to int8, divide, %s", c->note);
    return bench_wants(bench, label);
}

static bool run_dense(struct bench *bench, void *self)
{
    struct quantize_case *dense = self;

    dense->x.byte_offset = data_next_piece(bench, quantize_src_bytes(dense));
    dense->y.byte_offset = dense->x.byte_offset / 2; /* float16 to int8 */
    return quantize_case_run(bench, dense);
}

/* The same elements through clq_quantize: a row of scales holds for as many of them. */
static void dense_init(struct bench *bench, const struct scatter_case *c, struct quantize_case *dense)
{
    *dense = (struct quantize_case){
        .src = PEER_F16, .dst = PEER_I8, .divide = true, .layout = PER_LAST_AXIS, .columns = c->scale_count};
    quantize_case_init(bench, dense);
    dense->shape[0] = (int64_t)scatter_update_elements(c) / c->scale_count;
    dense->work.rows = (size_t)dense->shape[0];
}

/* What users of PyTorch run in a decode loop: round, clamp, index_put_. */
static void add_torch(struct bench *bench, struct race *race, const struct scatter_case *c,
                      struct torch_peer *peer)
{
    const int64_t columns = c->scale_count, heads = c->ndim > 3 ? c->cache_shape[2] : 1;
    char work[160];

    peer->times = 1;
    snprintf(work, sizeof work,
             "scatter float16 %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %d",
             c->cache_shape[0], c->cache_shape[1], heads, columns, c->updates_shape[0], c->pairs);
    torch_add(bench, race, peer, "torch-index_put", c->calls, work);
}

/* Ours against one other way, maybe a second, and where a call is long against the stream loop. */
static bool race_against(struct bench *bench, struct scatter_case *c, const struct contestant *other,
                         const struct contestant *second, bool stream)
{
    const size_t elements = scatter_update_elements(c);
    const double bytes = (double)elements * 3 * c->calls;
    struct race race = {0};
    struct report_row row = {0};
    struct torch_peer torch;

    race_add(&race, &(struct contestant){.run = scatter_case_run, .self = c, .bytes = bytes});
    if (other)
        race_add(&race, other);
    else
        add_torch(bench, &race, c, &torch);
    if (second)
        race_add(&race, second);
    if (stream && !limit_add(bench, &race, 2 * elements, elements))
        return false;
    if (!race_run(bench, &race) || !scatter_case_check(bench, c))
        return false;
    describe(c, &row);
    race_report(&race, &row);
    row.bytes /= c->calls;
    row.median_s /= c->calls;
    return bench_add(bench, &row);
}

static bool prefill_row(struct bench *bench, struct scatter_case c)
{
    struct quantize_case dense;
    struct by_hand hand;
    const struct contestant as_dense = {.role = RACE_PEER, .name = "dense", .run = run_dense, .self = &dense};
    const struct contestant as_hand = {
        .role = RACE_PEER, .name = "c-scatter", .run = run_by_hand, .self = &hand, .on_host = true};
    const bool by_hand = bench->pool && c.pairs;
    bool done = false;

    if (!wants(bench, &c))
        return true;
    if (data_fill(bench, PEER_F16) && scatter_case_init(bench, &c)) {
        dense_init(bench, &c, &dense);
        done = (!by_hand || by_hand_init(bench, &c, &dense, &hand)) &&
               race_against(bench, &c, &as_dense, by_hand ? &as_hand : NULL, true);
    }
    scatter_case_clear(&c);
    return done;
}

/* Last entry wins, beside the promise that entries do not overlap. */
static bool overlap_row(struct bench *bench, struct scatter_case c)
{
    struct scatter_case unique = c;
    bool done = false;

    if (!wants(bench, &c))
        return true;
    unique.unique = true;
    if (data_fill(bench, PEER_F16) && scatter_case_init(bench, &c) && scatter_case_init(bench, &unique)) {
        unique.next = OTHER_SET;
        done =
            race_against(bench, &c,
                         &(struct contestant){
                             .role = RACE_PEER, .name = "unique", .run = scatter_case_run, .self = &unique},
                         NULL, false);
    }
    scatter_case_clear(&unique);
    scatter_case_clear(&c);
    return done;
}

static bool decode_row(struct bench *bench, struct scatter_case c)
{
    bool done = false;

    if (!wants(bench, &c))
        return true;
    if (data_fill(bench, PEER_F16) && scatter_case_init(bench, &c))
        done = race_against(bench, &c, NULL, NULL, false);
    scatter_case_clear(&c);
    return done;
}

static bool prefill_rows(struct bench *bench)
{
    struct scatter_case c = {.ndim = 4,
                             .cache_shape = {8, 32768, 8, 128},
                             .updates_shape = {32768, 1, 8, 128},
                             .pairs = true,
                             .calls = 1};

    c.note = "prefill 2-D last wins";
    if (!prefill_row(bench, c))
        return false;
    c.note = "prefill 2-D unique";
    c.unique = true;
    if (!prefill_row(bench, c))
        return false;
    c.note = "prefill 1-D";
    c.pairs = c.unique = false;
    c.updates_shape[0] = 8;
    c.updates_shape[1] = 4096;
    return prefill_row(bench, c);
}

static bool overlap_rows(struct bench *bench)
{
    static const int64_t few[] = {64, 256, 1024, 4096, 16384, 65536};
    const struct scatter_case wide = {.note = "overlap wide",
                                      .ndim = 3,
                                      .cache_shape = {8, 4096, 8192},
                                      .updates_shape = {1024, 1, 8192},
                                      .pairs = true,
                                      .calls = 4};

    if (!overlap_row(bench, wide))
        return false;
    for (size_t i = 0; i < sizeof few / sizeof *few; i++) {
        const struct scatter_case c = {.note = "overlap narrow",
                                       .ndim = 3,
                                       .cache_shape = {8, 32768, 1024},
                                       .updates_shape = {few[i], 1, 1024},
                                       .pairs = true,
                                       .calls = few[i] > 4096 ? 1 : BACK_TO_BACK};
        if (!overlap_row(bench, c))
            return false;
    }
    return true;
}

bool scatter_rows(struct bench *bench)
{
    struct scatter_case decode = {.note = "decode, calls back to back",
                                  .ndim = 3,
                                  .cache_shape = {24, 4096, 128},
                                  .updates_shape = {24, 1, 128},
                                  .calls = 256};

    if (!prefill_rows(bench) || !overlap_rows(bench) || !decode_row(bench, decode))
        return false;
    decode.note = "decode, each call waited for";
    decode.calls = 1;
    if (!decode_row(bench, decode))
        return false;
    decode = (struct scatter_case){.note = "decode, each call waited for",
                                   .ndim = 4,
                                   .cache_shape = {64, 32768, 8, 128},
                                   .updates_shape = {64, 1, 8, 128},
                                   .calls = 1};
    if (!decode_row(bench, decode))
        return false;
    decode.note = "decode, calls back to back";
    decode.calls = 64;
    return decode_row(bench, decode);
}

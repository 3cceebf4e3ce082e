/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of dynamic quantization, dense and scattered. */
#include "dynamic_case.h"
#include "limit.h"
#include "quantize_case.h"
#include "torch.h"
#include "unfused.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SETS = 16, WHOLE_SETS = 3, ROUNDS_OF_DECODE = 64 };

/* What runs beside ours. */
struct rivals {
    struct dynamic_case *c;
    struct dynamic_way way;
    struct dynamic_case dense;
    struct unfused unfused;
    struct torch_peer torch;
};

static bool run_peer(struct bench *bench, void *self)
{
    struct rivals *rivals = self;

    dynamic_case_on_host(bench, rivals->c);
    rivals->c->next++;
    dynamic_run(bench->pool, &rivals->way, &rivals->c->work);
    return true;
}

static bool add_peer(struct bench *bench, struct race *race, struct rivals *rivals)
{
    if (!data_begin_host(bench))
        return false;
    dynamic_case_on_host(bench, rivals->c);
    rivals->way = dynamic_find_way(bench->pool, &rivals->c->work);
    race_add(race,
             &(struct contestant){
                 .role = RACE_PEER, .name = "c-simd", .run = run_peer, .self = rivals, .on_host = true});
    return data_end_host(bench);
}

/* PyTorch packs int4 with the scale of a row. Not from bfloat16. */
static void add_torch_dense(struct bench *bench, struct race *race, struct rivals *rivals, size_t most)
{
    const struct dynamic_case *c = rivals->c;
    const size_t rows = c->rows < most ? c->rows : most;
    char work[160];

    rivals->torch.times = (double)c->rows / (double)rows;
    snprintf(work, sizeof work, "embedding_bag_4bit_prepack %s %zu %" PRId64, quantize_src_name(c->src), rows,
             c->columns);
    torch_add(bench, race, &rivals->torch, "torch-embedding_bag_4bit_prepack", c->calls, work);
}

/* And it has round, clamp and index_put_ for a cache. */
static void add_torch_scatter(struct bench *bench, struct race *race, struct rivals *rivals, size_t most)
{
    const struct dynamic_case *c = rivals->c;
    const struct places *places = &c->places;
    const int64_t few = (int64_t)most / 4 / c->heads;
    const int64_t entries = places->entries < few ? places->entries : few;
    const int64_t length = places->pairs && entries < places->entries ? entries : places->length;
    char work[160];

    rivals->torch.times = (double)places->entries / (double)entries;
    snprintf(work, sizeof work,
             "dynamic_scatter %s %d %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %d",
             quantize_src_name(c->src), c->dst == PEER_I4 ? 4 : 8, places->batches, length, c->heads,
             c->columns, entries, places->pairs);
    torch_add(bench, race, &rivals->torch, "torch-index_put", c->calls, work);
}

static void add_torch(struct bench *bench, struct race *race, struct rivals *rivals)
{
    const struct dynamic_case *c = rivals->c;
    const size_t most = TORCH_BYTES / peer_src_bytes(c->src, (size_t)c->columns);

    if (c->symmetric)
        return;
    /* Its places are at random. */
    if (c->scatters && c->places.update_length == 1 && !c->places.ordered)
        add_torch_scatter(bench, race, rivals, most);
    if (!c->scatters && c->dst == PEER_I4 && c->src != PEER_BF16)
        add_torch_dense(bench, race, rivals, most);
}

/* Ours without the scatter, and the scatter apart from the operator. */
static bool add_parts(struct bench *bench, struct race *race, struct rivals *rivals)
{
    struct dynamic_case *c = rivals->c;

    rivals->dense = (struct dynamic_case){.note = c->note,
                                          .src = c->src,
                                          .dst = c->dst,
                                          .symmetric = c->symmetric,
                                          .columns = c->columns,
                                          .calls = 1};
    if (!dynamic_case_init(bench, &rivals->dense))
        return false;
    race_add(race, &(struct contestant){
                       .role = RACE_PEER, .name = "dense", .run = dynamic_case_run, .self = &rivals->dense});
    if (!c->unique || c->dst != PEER_I4 || !unfused_fits(bench, c))
        return true;
    if (!unfused_init(bench, &rivals->unfused, c) || !data_spoil(bench) ||
        !unfused_run(bench, &rivals->unfused) || !dynamic_case_check(bench, c))
        return false;
    race_add(race, &(struct contestant){
                       .role = RACE_PEER, .name = "unfused", .run = unfused_run, .self = &rivals->unfused});
    return true;
}

static void describe(const struct dynamic_case *c, struct report_row *row)
{
    row->operator_name = c->scatters ? "dynamic_quantize_scatter" : "dynamic_quantize";
    row->src = quantize_src_name(c->src);
    row->dst = quantize_dst_name(c->dst);
    row->mode = c->symmetric ? "symmetric" : "asymmetric";
    row->has_axis = c->scatters;
    row->axis = 1;
    row->ndim = c->q.ndim;
    memcpy(row->shape, c->shape, sizeof c->shape);
    if (c->scatters)
        snprintf(row->note, sizeof row->note, "%s, %" PRId64 " entries of %" PRId64 " rows of %" PRId64,
                 c->note, c->places.entries, c->places.update_length * c->heads, c->columns);
    else
        snprintf(row->note, sizeof row->note, "%s of %" PRId64, c->note, c->columns);
}

static bool wants(struct bench *bench, const struct dynamic_case *c)
{
    char label[256];

    snprintf(label, sizeof label, "%s %s to %s, %s, %s%s of %" PRId64,
             c->scatters ? "dynamic_quantize_scatter" : "dynamic_quantize", quantize_src_name(c->src),
             quantize_dst_name(c->dst), c->symmetric ? "symmetric" : "asymmetric", c->note,
             c->scatters ? ", rows" : "", c->columns);
    return bench_wants(bench, label);
}

static bool add_all(struct bench *bench, struct race *race, struct rivals *rivals, bool whole)
{
    struct dynamic_case *c = rivals->c;
    const size_t src_bytes = dynamic_src_bytes(c), dst_bytes = dynamic_dst_bytes(c);

    race_add(race, &(struct contestant){.run = dynamic_case_run,
                                        .self = c,
                                        .bytes = (double)(src_bytes + dst_bytes) * c->calls});
    if (whole &&
        (!limit_add(bench, race, src_bytes, dst_bytes) || (bench->pool && !add_peer(bench, race, rivals)) ||
         (c->scatters && !add_parts(bench, race, rivals))))
        return false;
    add_torch(bench, race, rivals);
    return true;
}

/* Into a y that holds no result. */
static bool checked_call(struct bench *bench, struct dynamic_case *c)
{
    cl_event done = NULL;

    return data_spoil(bench) && dynamic_case_call(bench, c, &done) && device_wait(bench, done) &&
           dynamic_case_check(bench, c);
}

/* whole: all of x in one call, beside what memory allows. */
static bool measure(struct bench *bench, struct dynamic_case *c, bool whole)
{
    struct rivals rivals = {.c = c};
    struct report_row row = {0};
    struct race race = {0};
    bool done = data_fill(bench, c->src) && dynamic_case_init(bench, c) && checked_call(bench, c) &&
                add_all(bench, &race, &rivals, whole) && race_run(bench, &race);

    if (done) {
        describe(c, &row);
        race_report(&race, &row);
        row.bytes /= c->calls;
        row.median_s /= c->calls;
        done = bench_add(bench, &row);
    }
    unfused_clear(&rivals.unfused);
    dynamic_case_clear(c);
    return done;
}

static bool row_of(struct bench *bench, struct dynamic_case c, bool whole)
{
    return !wants(bench, &c) || measure(bench, &c, whole);
}

/* 96, which some heads have, is not a whole number of lines: from float16, which says enough of it. */
static const int64_t lengths[] = {96, 128, 1024, 4096};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static bool dense_rows(struct bench *bench, enum peer_src src)
{
    struct dynamic_case c = {.note = "rows", .src = src, .calls = 1};

    for (int form = 0; form < 4; form++) {
        c.dst = form & 1 ? PEER_I8 : PEER_I4;
        c.symmetric = form >= 2;
        for (int i = src == PEER_F16 ? 0 : 1; i < LENGTHS; i++) {
            c.columns = lengths[i];
            if (!row_of(bench, c, true))
                return false;
        }
    }
    return true;
}

static bool whole_rows(struct bench *bench, const char *note, enum peer_dst dst, bool pairs, bool unique)
{
    struct dynamic_case c = {.note = note,
                             .src = PEER_F16,
                             .dst = dst,
                             .scatters = true,
                             .unique = unique,
                             .places = {.pairs = pairs, .sets = WHOLE_SETS},
                             .calls = 1};

    for (int i = 0; i < LENGTHS; i++) {
        c.columns = lengths[i];
        c.heads = lengths[i] < 1024 ? 8 : 1;
        if (!row_of(bench, c, true))
            return false;
    }
    return true;
}

/* A prompt's tokens, of few heads, one behind the other. */
static bool ordered_row(struct bench *bench)
{
    return row_of(bench,
                  (struct dynamic_case){.note = "prefill 2-D in order",
                                        .src = PEER_F16,
                                        .dst = PEER_I4,
                                        .columns = 128,
                                        .heads = 4,
                                        .scatters = true,
                                        .unique = true,
                                        .places = {.pairs = true, .ordered = true, .sets = WHOLE_SETS},
                                        .calls = 1},
                  true);
}

static bool decode_rows(struct bench *bench)
{
    struct dynamic_case c = {.note = "decode, each call waited for",
                             .src = PEER_F16,
                             .dst = PEER_I4,
                             .columns = 128,
                             .scatters = true,
                             .places = {64, 32768, 64, 1, .sets = SETS},
                             .heads = 8,
                             .calls = 1};

    if (!row_of(bench, c, false))
        return false;
    c.note = "decode, calls back to back";
    c.calls = ROUNDS_OF_DECODE;
    return row_of(bench, c, false);
}

bool dynamic_rows(struct bench *bench)
{
    for (int src = 0; src < PEER_SRC_COUNT; src++)
        if (!dense_rows(bench, (enum peer_src)src))
            return false;
    return whole_rows(bench, "prefill 2-D unique", PEER_I4, true, true) &&
           whole_rows(bench, "prefill 2-D unique", PEER_I8, true, true) &&
           whole_rows(bench, "prefill 2-D last wins", PEER_I4, true, false) &&
           whole_rows(bench, "prefill 1-D", PEER_I4, false, true) && ordered_row(bench) && decode_rows(bench);
}

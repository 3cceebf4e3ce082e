/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of static quantization. */
#include "limit.h"
#include "onednn.h"
#include "quantize_case.h"
#include "torch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 8192 };
static const double weak_peer = 0.9; /* of the stream loop: below it the peer is no bar */

/* What runs beside ours. */
struct rivals {
    struct bench *bench;
    struct peer_work work;
    struct peer_way way;
    struct onednn *reorder;
    struct torch_peer torch;
};

static bool run_peer(struct bench *bench, void *self)
{
    struct rivals *rivals = self;

    rivals->work.x = bench->x_host;
    rivals->work.y = bench->y_host;
    peer_run(bench->pool, &rivals->way, &rivals->work);
    return true;
}

static bool run_onednn(struct bench *bench, void *self)
{
    struct rivals *rivals = self;

    return onednn_run(rivals->reorder, bench->x_host, bench->y_host) ||
           fail(&bench->failure, STATUS_SYSTEM, "bench: oneDNN's reorder failed");
}

/* oneDNN only multiplies: for divide it gets the reciprocals, as its users do; its bytes may then differ. */
static struct onednn *create_reorder(const struct quantize_case *c)
{
    const bool each = c->layout == PER_LAST_AXIS;
    float *scales = NULL;
    struct onednn *reorder = NULL;

    if (c->src != PEER_F32 || c->dst != PEER_I8 || (c->layout != PER_TENSOR && !each))
        return NULL;
    scales = malloc((size_t)c->scale_count * sizeof *scales);
    for (int64_t i = 0; scales && i < c->scale_count; i++)
        scales[i] = c->divide ? 1.0f / c->work.scale[i] : c->work.scale[i];
    if (scales)
        reorder = onednn_create(c->work.rows, c->work.columns, scales, each);
    free(scales);
    return reorder;
}

/* What PyTorch has a call for: division, of float32. */
static void add_torch(struct bench *bench, struct race *race, const struct quantize_case *c,
                      struct torch_peer *peer)
{
    const bool each = c->layout == PER_LAST_AXIS;
    const size_t most = TORCH_BYTES / peer_src_bytes(c->src, c->work.columns);
    const size_t rows = c->work.rows < most ? c->work.rows : most;
    char work[128];

    if (c->src != PEER_F32 || (c->dst != PEER_I8 && c->dst != PEER_U8) || !c->divide ||
        (c->layout != PER_TENSOR && !each))
        return;
    peer->times = (double)c->work.rows / (double)rows;
    snprintf(work, sizeof work, "%s float32 q%s %zu %zu",
             each ? "quantize_per_channel" : "quantize_per_tensor", c->dst == PEER_I8 ? "int8" : "uint8",
             rows, c->work.columns);
    torch_add(bench, race, peer, each ? "torch-quantize_per_channel" : "torch-quantize_per_tensor", 1, work);
}

static bool add_rivals(struct bench *bench, struct race *race, const struct quantize_case *c,
                       struct rivals *rivals)
{
    const double bytes = (double)quantize_src_bytes(c) + (double)quantize_dst_bytes(c);

    rivals->work = c->work;
    if (!data_begin_host(bench))
        return false;
    rivals->work.x = bench->x_host;
    rivals->work.y = bench->y_host;
    rivals->way = peer_find_way(bench->pool, &rivals->work);
    race_add(race, &(struct contestant){.role = RACE_PEER,
                                        .name = "c-simd",
                                        .run = run_peer,
                                        .self = rivals,
                                        .bytes = bytes,
                                        .on_host = true});
    rivals->reorder = create_reorder(c);
    if (rivals->reorder)
        race_add(race, &(struct contestant){.role = RACE_PEER,
                                            .name = "onednn",
                                            .run = run_onednn,
                                            .self = rivals,
                                            .bytes = bytes,
                                            .on_host = true});
    add_torch(bench, race, c, &rivals->torch);
    return data_end_host(bench);
}

/* The same elements, dense and with a scale for each index of the last axis. */
static struct quantize_case dense_case(const struct quantize_case *c)
{
    return (struct quantize_case){
        .src = c->src, .dst = c->dst, .divide = c->divide, .layout = PER_LAST_AXIS, .columns = c->columns};
}

static void init_dense(struct bench *bench, const struct quantize_case *c, struct quantize_case *dense)
{
    *dense = dense_case(c);
    quantize_case_init(bench, dense);
    dense->shape[0] = (int64_t)c->work.rows;
}

static const struct contestant *find(const struct race *race, enum race_role role, const char *name,
                                     size_t *index)
{
    for (*index = 0; *index < race->count; ++*index) {
        const struct contestant *contestant = &race->list[*index];
        if (contestant->role == role && (!name || strcmp(contestant->name, name) == 0))
            return contestant;
    }
    return NULL;
}

static bool peer_is_weak(const struct race *race)
{
    size_t stream = 0, peer = 0;

    return find(race, RACE_STREAM, NULL, &stream) && find(race, RACE_PEER, "c-simd", &peer) &&
           race_ratio(race, stream, peer, true) < weak_peer;
}

static void note_of(const struct quantize_case *c, char *note, size_t size_bytes)
{
    switch (c->layout) {
    case PER_TENSOR:
        snprintf(note, size_bytes, "per tensor");
        break;
    case PER_LAST_AXIS:
        snprintf(note, size_bytes, "per index of the last axis");
        if (c->columns != COLUMNS)
            snprintf(note, size_bytes, "per index of the last axis, rows of %" PRId64, c->columns);
        break;
    case PER_OTHER_AXIS:
        snprintf(note, size_bytes, "per index of axis 1, inner size %" PRId64, c->columns);
        break;
    default:
        snprintf(note, size_bytes, "strided rows, per index of the last axis");
    }
}

static void describe(const struct quantize_case *c, struct report_row *row)
{
    row->operator_name = "quantize";
    row->src = quantize_src_name(c->src);
    row->dst = quantize_dst_name(c->dst);
    row->mode = c->divide ? "divide" : "multiply";
    row->has_axis = c->layout != PER_TENSOR;
    row->axis = c->axis;
    row->ndim = c->x.ndim;
    memcpy(row->shape, c->shape, sizeof c->shape);
    note_of(c, row->note, sizeof row->note);
}

static bool run_race(struct bench *bench, struct quantize_case *c, struct race *race, struct rivals *rivals)
{
    struct quantize_case dense;
    const double bytes = (double)quantize_src_bytes(c) + (double)quantize_dst_bytes(c);

    race_add(race, &(struct contestant){.run = quantize_case_run, .self = c, .bytes = bytes});
    if (!limit_add(bench, race, quantize_src_bytes(c), quantize_dst_bytes(c)))
        return false;
    if (bench->pool && !add_rivals(bench, race, c, rivals))
        return false;
    if (c->layout == PER_OTHER_AXIS || c->layout == STRIDED) {
        init_dense(bench, c, &dense);
        race_add(race, &(struct contestant){.role = RACE_PEER,
                                            .name = "dense",
                                            .run = quantize_case_run,
                                            .self = &dense,
                                            .bytes = bytes});
    }
    return race_run(bench, race);
}

static bool measure(struct bench *bench, struct quantize_case *c)
{
    const float around = c->dst == PEER_I4 ? 1.0f : 16.0f;
    struct report_row row = {0};
    struct rivals rivals = {0};
    struct race race = {0};
    bool done = false;

    quantize_case_init(bench, c);
    if (!data_fill(bench, c->src) || !data_fill_scales(bench, c->divide ? 1.0f / around : around) ||
        !data_spoil(bench) || !quantize_case_run(bench, c) || !quantize_case_check(bench, c))
        return false;
    describe(c, &row);
    done = run_race(bench, c, &race, &rivals);
    if (done) {
        race_report(&race, &row);
        if (!c->divide && peer_is_weak(&race))
            strncat(row.note, ", peer-weak", sizeof row.note - strlen(row.note) - 1);
        done = bench_add(bench, &row);
    }
    onednn_destroy(rivals.reorder);
    return done;
}

static bool row_of(struct bench *bench, struct quantize_case c)
{
    struct report_row row = {0};
    char label[256];

    describe(&c, &row);
    snprintf(label, sizeof label, "%s %s to %s, %s, %s", row.operator_name, row.src, row.dst, row.mode,
             row.note);
    return !bench_wants(bench, label) || measure(bench, &c);
}

static bool dense_rows(struct bench *bench, enum peer_src src, enum peer_dst dst)
{
    for (int layout = PER_TENSOR; layout <= PER_LAST_AXIS; layout++) {
        for (int divide = 0; divide <= 1; divide++) {
            const struct quantize_case c = {.src = src,
                                            .dst = dst,
                                            .divide = divide != 0,
                                            .layout = (enum quantize_layout)layout,
                                            .columns = COLUMNS};
            if (!row_of(bench, c))
                return false;
        }
    }
    return true;
}

static bool layout_rows(struct bench *bench, enum peer_src src, enum peer_dst dst)
{
    static const struct {
        enum quantize_layout layout;
        int64_t columns;
    } layouts[] = {{PER_LAST_AXIS, 96}, {PER_OTHER_AXIS, 256}, {PER_OTHER_AXIS, 4096}, {STRIDED, 4096}};

    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        const struct quantize_case c = {.src = src,
                                        .dst = dst,
                                        .divide = true,
                                        .layout = layouts[i].layout,
                                        .columns = layouts[i].columns};
        if (!row_of(bench, c))
            return false;
    }
    return true;
}

/* By source, so that the data is made once for each. */
bool quantize_rows(struct bench *bench)
{
    for (int src = 0; src < PEER_SRC_COUNT; src++) {
        for (int dst = 0; dst < PEER_DST_COUNT; dst++) {
            const bool common = dst == PEER_I8 || dst == PEER_I4;

            if ((common || src == PEER_F32) && !dense_rows(bench, (enum peer_src)src, (enum peer_dst)dst))
                return false;
            if (common && !layout_rows(bench, (enum peer_src)src, (enum peer_dst)dst))
                return false;
        }
    }
    return true;
}

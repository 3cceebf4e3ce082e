/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of clq_quantize on the bench's data. */
#include "quantize_case.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLED_ROWS = 64, MOST_CHANNELS = 1024 };

static const struct {
    const char *name;
    DLDataType type;
} sources[] = {
    {"float32", {kDLFloat, 32, 1}}, {"float16", {kDLFloat, 16, 1}}, {"bfloat16", {kDLBfloat, 16, 1}}};
static const struct {
    const char *name;
    DLDataType type;
} results[] = {{"int8", {kDLInt, 8, 1}},
               {"uint8", {kDLUInt, 8, 1}},
               {"int32", {kDLInt, 32, 1}},
               {"int4", {kDLInt, 4, 1}}};

const char *quantize_src_name(enum peer_src src)
{
    return sources[src].name;
}

const char *quantize_dst_name(enum peer_dst dst)
{
    return results[dst].name;
}

DLDataType quantize_src_type(enum peer_src src)
{
    return sources[src].type;
}

DLDataType quantize_dst_type(enum peer_dst dst)
{
    return results[dst].type;
}

static size_t elements_of(const struct quantize_case *c)
{
    return c->work.rows * c->work.columns;
}

size_t quantize_src_bytes(const struct quantize_case *c)
{
    return peer_src_bytes(c->src, elements_of(c));
}

size_t quantize_dst_bytes(const struct quantize_case *c)
{
    return peer_dst_bytes(c->dst, elements_of(c));
}

/* x is [rows, columns], or [outer, channels, columns] where the scales go with the channels. */
static int shape_of(const struct bench *bench, struct quantize_case *c)
{
    int64_t rows = (int64_t)(bench->x_bytes / peer_src_bytes(c->src, 1)) / c->columns;

    if (c->layout == PER_OTHER_AXIS) {
        c->shape[1] = rows < MOST_CHANNELS ? rows : MOST_CHANNELS;
        c->shape[0] = rows / c->shape[1];
        c->shape[2] = c->columns;
        c->strides[0] = c->shape[1] * c->columns;
        c->strides[1] = c->columns;
        c->strides[2] = 1;
        return 3;
    }
    /* Every second row is left out: a half of a fused pair of projections, for one. */
    c->shape[0] = c->layout == STRIDED ? rows / 2 : rows;
    c->shape[1] = c->columns;
    c->strides[0] = c->layout == STRIDED ? 2 * c->columns : c->columns;
    c->strides[1] = 1;
    return 2;
}

static void work_of(struct quantize_case *c, const float *scales)
{
    const bool other = c->layout == PER_OTHER_AXIS;

    c->work = (struct peer_work){
        .scale = scales,
        .rows = (size_t)(other ? c->shape[0] * c->shape[1] : c->shape[0]),
        .columns = (size_t)c->columns,
        .row_stride = (size_t)(other ? c->columns : c->strides[0]),
        .scales = (size_t)c->scale_count,
        .src = c->src,
        .dst = c->dst,
        .scale_kind = other                     ? PEER_SCALE_ROW
                      : c->layout == PER_TENSOR ? PEER_SCALE_ONE
                                                : PEER_SCALE_EACH,
        .divide = c->divide,
    };
}

void quantize_case_init(struct bench *bench, struct quantize_case *c)
{
    const DLDevice device = {kDLOpenCL, 0};
    const int ndim = shape_of(bench, c);

    c->scale_count = c->layout == PER_TENSOR ? 1 : c->layout == PER_OTHER_AXIS ? c->shape[1] : c->columns;
    c->axis = c->layout == PER_OTHER_AXIS ? 1 : -1;
    c->x = (DLTensor){.data = bench->x,
                      .device = device,
                      .ndim = ndim,
                      .dtype = sources[c->src].type,
                      .shape = c->shape,
                      .strides = c->strides};
    c->y = (DLTensor){
        .data = bench->y, .device = device, .ndim = ndim, .dtype = results[c->dst].type, .shape = c->shape};
    c->scales = (DLTensor){
        .data = bench->scales, .device = device, .ndim = 1, .dtype = CLQ_FLOAT32, .shape = &c->scale_count};
    c->desc = (struct clq_quantize_desc){.x = &c->x,
                                         .scales = &c->scales,
                                         .y = &c->y,
                                         .axis = c->axis,
                                         .mode = c->divide ? CLQ_DIVIDE : CLQ_MULTIPLY};
    work_of(c, bench->scale_values);
}

bool quantize_case_run(struct bench *bench, void *self)
{
    const struct quantize_case *c = self;
    cl_event done = NULL;

    if (clq_quantize(bench->context, bench->queue, &c->desc, 0, NULL, &done) != CLQ_OK)
        return fail(&bench->failure, STATUS_SYSTEM, "bench: %s", clq_error_detail());
    return device_wait(bench, done);
}

struct sample {
    uint8_t *x, *y, *expected; /* one row of each */
    size_t x_bytes, y_bytes;
};

static bool check_row(struct bench *bench, const struct quantize_case *c, const struct sample *sample,
                      size_t row)
{
    const struct peer_way way = {.isa = ISA_PLAIN};
    struct peer_work work = c->work;

    if (!data_read(bench, bench->x, peer_src_bytes(c->src, row * work.row_stride), sample->x,
                   sample->x_bytes) ||
        !data_read(bench, bench->y, row * sample->y_bytes, sample->y, sample->y_bytes))
        return false;
    if (work.scale_kind == PEER_SCALE_ROW)
        work.scale += row % work.scales;
    work.rows = 1;
    work.scales = 1;
    work.x = sample->x;
    work.y = sample->expected;
    peer_run(bench->pool, &way, &work);
    for (size_t i = 0; i < sample->y_bytes; i++)
        if (sample->y[i] != sample->expected[i])
            return fail(&bench->failure, STATUS_SYSTEM,
                        "bench: %s to %s, %s: byte %zu of row %zu is %u on the device and must be %u; "
                        "see clquant selftest",
                        quantize_src_name(c->src), quantize_dst_name(c->dst),
                        c->divide ? "divide" : "multiply", i, row, sample->y[i], sample->expected[i]);
    return true;
}

bool quantize_case_check(struct bench *bench, const struct quantize_case *c)
{
    const size_t rows = c->work.rows, count = rows < SAMPLED_ROWS ? rows : SAMPLED_ROWS;
    struct sample sample = {.x_bytes = peer_src_bytes(c->src, c->work.columns),
                            .y_bytes = peer_dst_bytes(c->dst, c->work.columns)};
    bool right = true;

    sample.x = malloc(sample.x_bytes + 2 * sample.y_bytes);
    if (!sample.x)
        return fail(&bench->failure, STATUS_SYSTEM, "bench: no memory for a row of %zu bytes",
                    sample.x_bytes);
    sample.y = sample.x + sample.x_bytes;
    sample.expected = sample.y + sample.y_bytes;
    for (size_t i = 0; i < count && right; i++)
        right = check_row(bench, c, &sample, count > 1 ? i * (rows - 1) / (count - 1) : 0);
    free(sample.x);
    return right;
}

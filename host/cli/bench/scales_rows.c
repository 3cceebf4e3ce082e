/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of find_scales, beside a loop that only reads. */
#include "limit.h"
#include "quantize_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 8192, READ_ROWS = 64 };
enum axis { PER_TENSOR_SCALE = -2, LAST_AXIS = -1, FIRST_AXIS = 0 };

struct scales_case {
    enum peer_src src;
    enum axis axis;
    int64_t shape[2], count;
    DLTensor x, scales;
    struct clq_find_scales_desc desc;
};

static void init(struct bench *bench, struct scales_case *c)
{
    const DLDevice device = {kDLOpenCL, 0};

    c->shape[0] = (int64_t)(bench->x_bytes / peer_src_bytes(c->src, COLUMNS));
    c->shape[1] = COLUMNS;
    c->count = c->axis == PER_TENSOR_SCALE ? 1 : c->axis == FIRST_AXIS ? c->shape[0] : COLUMNS;
    c->x = (DLTensor){.data = bench->x,
                      .device = device,
                      .ndim = 2,
                      .dtype = c->src == PEER_F32 ? CLQ_FLOAT32 : CLQ_FLOAT16,
                      .shape = c->shape};
    c->scales =
        (DLTensor){.data = bench->y, .device = device, .ndim = 1, .dtype = CLQ_FLOAT32, .shape = &c->count};
    c->desc = (struct clq_find_scales_desc){
        .x = &c->x, .scales = &c->scales, .axis = c->axis == FIRST_AXIS ? CLQ_AXIS_FIRST : -1};
}

static bool run(struct bench *bench, void *self)
{
    const struct scales_case *c = self;
    cl_event done = NULL;

    if (clq_find_scales(bench->context, bench->queue, &c->desc, 0, NULL, &done) != CLQ_OK)
        return fail(&bench->failure, STATUS_SYSTEM, "bench: %s", clq_error_detail());
    return device_wait(bench, done);
}

/* The size of element i, as bits that are ordered as floats are: the bench's values are all finite. */
static uint32_t size_of(const struct scales_case *c, const void *x, size_t i)
{
    return c->src == PEER_F32 ? ((const uint32_t *)x)[i] & 0x7fffffff : ((const uint16_t *)x)[i] & 0x7fffu;
}

static float value_of(const struct scales_case *c, uint32_t bits)
{
    float value = 0;

    if (c->src == PEER_F16) /* normal numbers */
        return ldexpf((float)(1024 + (bits & 1023)), (int)(bits >> 10) - 25);
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool largest(struct bench *bench, const struct scales_case *c, void *x, uint32_t *sizes)
{
    const size_t row_bytes = peer_src_bytes(c->src, COLUMNS);
    size_t rows = 0;

    for (size_t row = 0; row < (size_t)c->shape[0]; row += rows) {
        rows = (size_t)c->shape[0] - row < READ_ROWS ? (size_t)c->shape[0] - row : READ_ROWS;
        if (!data_read(bench, bench->x, row * row_bytes, x, rows * row_bytes))
            return false;
        for (size_t i = 0; i < rows * COLUMNS; i++) {
            const size_t index = c->axis == PER_TENSOR_SCALE ? 0
                                 : c->axis == FIRST_AXIS     ? row + i / COLUMNS
                                                             : i % COLUMNS;
            const uint32_t size = size_of(c, x, i);

            sizes[index] = size > sizes[index] ? size : sizes[index];
        }
    }
    return true;
}

/* A wrong answer has no speed. */
static bool check(struct bench *bench, struct scales_case *c)
{
    const size_t count = (size_t)c->count;
    void *x = malloc(peer_src_bytes(c->src, COLUMNS) * READ_ROWS);
    uint32_t *sizes = calloc(count, sizeof *sizes);
    float *found = calloc(count, sizeof *found);
    bool right = x && sizes && found;

    if (!right)
        fail(&bench->failure, STATUS_SYSTEM, "bench: no memory for scales");
    right = right && data_spoil(bench) && run(bench, c) &&
            data_read(bench, bench->y, 0, found, count * sizeof *found) && largest(bench, c, x, sizes);
    for (size_t i = 0; i < count && right; i++) {
        const float wanted = value_of(c, sizes[i]) / 127.0f;

        if (memcmp(&found[i], &wanted, sizeof wanted) != 0)
            right = fail(&bench->failure, STATUS_SYSTEM,
                         "bench: find_scales: scale %zu is %a on the device and must be %a; see clquant "
                         "selftest",
                         i, (double)found[i], (double)wanted);
    }
    free(x);
    free(sizes);
    free(found);
    return right;
}

static bool measure(struct bench *bench, struct scales_case *c, const char *note)
{
    const size_t src_bytes = peer_src_bytes(c->src, (size_t)(c->shape[0] * c->shape[1]));
    struct race race = {0};
    struct report_row row = {.operator_name = "find_scales",
                             .src = quantize_src_name(c->src),
                             .dst = "int8",
                             .mode = "divide",
                             .axis = c->axis,
                             .has_axis = c->axis != PER_TENSOR_SCALE,
                             .ndim = 2,
                             .shape = {c->shape[0], COLUMNS}};

    race_add(&race, &(struct contestant){.run = run, .self = c, .bytes = (double)src_bytes});
    if (!limit_add(bench, &race, src_bytes, 0) || !race_run(bench, &race) || !check(bench, c))
        return false;
    snprintf(row.note, sizeof row.note, "%s", note);
    race_report(&race, &row);
    return bench_add(bench, &row);
}

bool scales_rows(struct bench *bench)
{
    static const struct {
        enum peer_src src;
        enum axis axis;
        const char *note;
    } rows[] = {{PEER_F32, PER_TENSOR_SCALE, "per tensor"},
                {PEER_F32, LAST_AXIS, "per index of the last axis"},
                {PEER_F32, FIRST_AXIS, "per index of the first axis"},
                {PEER_F16, PER_TENSOR_SCALE, "per tensor"},
                {PEER_F16, LAST_AXIS, "per index of the last axis"},
                {PEER_F16, FIRST_AXIS, "per index of the first axis"}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scales_case c = {.src = rows[i].src, .axis = rows[i].axis};
        char label[128];

        snprintf(label, sizeof label, "find_scales %s to int8, divide, %s", quantize_src_name(c.src),
                 rows[i].note);
        if (!bench_wants(bench, label))
            continue;
        if (!data_fill(bench, c.src))
            return false;
        init(bench, &c);
        if (!measure(bench, &c, rows[i].note))
            return false;
    }
    return true;
}

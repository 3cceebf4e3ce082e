/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of dequantize: to float16, dense and gathered, each as large as the bench's y. */
#include "data.h"
#include "limit.h"
#include "places.h"

#include "reference.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 64, BATCHES = 8, LENGTH = 256 };

enum layout {
    PER_TENSOR,
    PER_LAST_AXIS, /* of 8192 */
    PER_ROW,       /* of 128, as a cache has them */
    PER_PART_ROW,  /* of 96: a line and a half of int8 */
    AT_STARTS,     /* entries of 256 positions of 1024, a scale for each of these */
    AT_PAIRS,      /* one position each, in random order */
    ROWS_AT_PAIRS, /* 8 rows of 128 each, with a scale a row */
    LAYOUTS,
};
static const struct {
    const char *note;
    int64_t last;
    bool of_rows, gathered;
} layouts[LAYOUTS] = {
    [PER_TENSOR] = {"per tensor", 8192, false, false},
    [PER_LAST_AXIS] = {"per index of the last axis", 8192, false, false},
    [PER_ROW] = {"per row of 128", 128, true, false},
    [PER_PART_ROW] = {"per row of 96", 96, true, false},
    [AT_STARTS] = {"gathered, entries of 256 x 1024", 1024, false, true},
    [AT_PAIRS] = {"gathered, entries of 1024", 1024, false, true},
    [ROWS_AT_PAIRS] = {"gathered, entries of 8 rows of 128", 128, true, true},
};

struct back {
    enum layout layout;
    bool int4;
    int64_t elements;
    int64_t q_shape[4], y_shape[4], scale_shape[4], index_shape[2];
    int ndim;
    struct places places;
    cl_mem row_scales;
    DLTensor q, y, scale, indices;
    struct clq_dequantize_desc desc;
};

static const float row_scale = 0.37f; /* of all rows: which one is read does not matter to the time */

static size_t q_bytes(const struct back *b, int64_t elements)
{
    return (size_t)(b->int4 ? elements / 2 : elements);
}

/* [.., last] of y, and of the cache or q. */
static void shape(struct back *b)
{
    const int64_t last = layouts[b->layout].last, rows = b->elements / last;
    const int64_t y[LAYOUTS][4] = {
        {rows, last},    {rows, last},          {rows, last}, {rows, last}, {rows / LENGTH, LENGTH, last},
        {rows, 1, last}, {rows / 8, 1, 8, last}};
    const int64_t q[LAYOUTS][4] = {{rows, last},
                                   {rows, last},
                                   {rows, last},
                                   {rows, last},
                                   {rows / LENGTH, 2 * LENGTH, last},
                                   {BATCHES, rows / BATCHES, last},
                                   {BATCHES, rows / 8 / BATCHES, 8, last}};

    b->ndim = b->layout == ROWS_AT_PAIRS ? 4 : layouts[b->layout].gathered ? 3 : 2;
    memcpy(b->y_shape, y[b->layout], sizeof b->y_shape);
    memcpy(b->q_shape, q[b->layout], sizeof b->q_shape);
    memcpy(b->scale_shape, q[b->layout], sizeof b->scale_shape);
    b->index_shape[0] = b->y_shape[0];
    b->index_shape[1] = 2;
}

static bool create_row_scales(struct bench *bench, struct back *b)
{
    size_t count = 1;
    cl_int code = CL_SUCCESS;

    for (int d = 0; d < b->ndim - 1; d++)
        count *= (size_t)b->q_shape[d];
    b->row_scales =
        clCreateBuffer(clq_context_cl(bench->context), CL_MEM_READ_WRITE, count * sizeof(float), NULL, &code);
    if (code == CL_SUCCESS)
        code = clEnqueueFillBuffer(bench->queue, b->row_scales, &row_scale, sizeof row_scale, 0,
                                   count * sizeof(float), 0, NULL, NULL);
    return device_check(bench, "a buffer of scales", code);
}

static DLTensor tensor(cl_mem data, DLDataType dtype, int ndim, int64_t *shape)
{
    return (DLTensor){.data = data, .device = {kDLOpenCL, 0}, .ndim = ndim, .dtype = dtype, .shape = shape};
}

static bool init(struct bench *bench, struct back *b)
{
    const bool gathered = layouts[b->layout].gathered, of_rows = layouts[b->layout].of_rows;

    shape(b);
    if (of_rows && !create_row_scales(bench, b))
        return false;
    b->q = tensor(bench->x, b->int4 ? CLQ_INT4 : CLQ_INT8, b->ndim, b->q_shape);
    b->y = tensor(bench->y, CLQ_FLOAT16, b->ndim, b->y_shape);
    if (of_rows)
        b->scale = tensor(b->row_scales, CLQ_FLOAT32, b->ndim - 1, b->scale_shape);
    else
        b->scale =
            tensor(bench->scales, CLQ_FLOAT32, b->layout == PER_TENSOR ? 0 : 1, b->q_shape + b->ndim - 1);
    b->desc = (struct clq_dequantize_desc){.q = &b->q,
                                           .scales = &b->scale,
                                           .y = &b->y,
                                           .axis = -1,
                                           .mode = of_rows ? CLQ_DEQUANTIZE_DYNAMIC : CLQ_DEQUANTIZE_DIVIDE};
    if (!gathered)
        return true;
    b->places = (struct places){.batches = b->q_shape[0],
                                .length = b->q_shape[1],
                                .entries = b->y_shape[0],
                                .update_length = b->y_shape[1],
                                .pairs = b->layout != AT_STARTS,
                                .sets = 1};
    if (!places_init(bench, &b->places))
        return false;
    b->indices = tensor(b->places.buffer, CLQ_INT32, b->places.pairs ? 2 : 1, b->index_shape);
    b->desc.indices = &b->indices;
    b->desc.axis = 1;
    return true;
}

static void clear(struct back *b)
{
    places_clear(&b->places);
    if (b->row_scales)
        clReleaseMemObject(b->row_scales);
}

static bool run(struct bench *bench, void *self)
{
    const struct back *b = self;
    cl_event done = NULL;

    if (clq_dequantize(bench->context, bench->queue, &b->desc, 0, NULL, &done) != CLQ_OK)
        return fail(&bench->failure, STATUS_SYSTEM, "bench: %s", clq_error_detail());
    return device_wait(bench, done);
}

/* The first element in q of row number `row` of y. */
static int64_t source_of(const struct back *b, int64_t row)
{
    const int64_t last = layouts[b->layout].last, a_position = b->layout == ROWS_AT_PAIRS ? 8 : 1;
    int64_t batch = 0, start = 0, inside = 0;

    if (!layouts[b->layout].gathered)
        return row * last;
    places_entry(&b->places, 0, row / (b->y_shape[1] * a_position), &batch, &start);
    inside = row % (b->y_shape[1] * a_position);
    return ((batch * b->q_shape[1] + start) * a_position + inside) * last;
}

static bool check_row(struct bench *bench, const struct back *b, int64_t row)
{
    enum { MOST_LAST = 8192 };
    static uint16_t y[MOST_LAST];
    static uint8_t q[MOST_LAST];
    const int64_t last = layouts[b->layout].last, from = source_of(b, row);

    if (!data_read(bench, bench->x, q_bytes(b, from), q, q_bytes(b, last)) ||
        !data_read(bench, bench->y, (size_t)(row * last) * 2, y, (size_t)last * 2))
        return false;
    for (int64_t i = 0; i < last; i++) {
        const int byte = b->int4 ? q[i / 2] >> (i % 2 * 4) & 15 : q[i], top = b->int4 ? 8 : 128;
        const float scale = layouts[b->layout].of_rows ? row_scale
                            : b->layout == PER_TENSOR  ? bench->scale_values[0]
                                                       : bench->scale_values[i];

        if (y[i] != reference_narrow_f16((float)((byte ^ top) - top) * scale))
            return fail(&bench->failure, STATUS_SYSTEM,
                        "bench: dequantize, %s: element %" PRId64 " of row %" PRId64
                        " is wrong on the device; see clquant selftest",
                        layouts[b->layout].note, i, row);
    }
    return true;
}

static bool check(struct bench *bench, struct back *b)
{
    const int64_t rows = b->elements / layouts[b->layout].last;

    if (!data_spoil(bench) || !run(bench, b))
        return false;
    for (int64_t i = 0; i < SAMPLES; i++)
        if (!check_row(bench, b, i * (rows - 1) / (SAMPLES - 1)))
            return false;
    return true;
}

static bool measure(struct bench *bench, struct back *b)
{
    const size_t src_bytes = q_bytes(b, b->elements), dst_bytes = (size_t)b->elements * 2;
    const size_t scale_bytes =
        layouts[b->layout].of_rows ? (size_t)(b->elements / layouts[b->layout].last) * 4 : 0;
    struct race race = {0};
    struct report_row row = {.operator_name = "dequantize",
                             .src = b->int4 ? "int4" : "int8",
                             .dst = "float16",
                             .mode = layouts[b->layout].of_rows ? "dynamic" : "divide",
                             .ndim = b->ndim};

    memcpy(row.shape, b->y_shape, sizeof b->y_shape);
    snprintf(row.note, sizeof row.note, "%s", layouts[b->layout].note);
    race_add(&race,
             &(struct contestant){.run = run,
                                  .self = b,
                                  .bytes = (double)src_bytes + (double)dst_bytes + (double)scale_bytes});
    if (!limit_add(bench, &race, src_bytes, dst_bytes) || !race_run(bench, &race) || !check(bench, b))
        return false;
    race_report(&race, &row);
    return bench_add(bench, &row);
}

bool dequantize_rows(struct bench *bench)
{
    for (int layout = 0; layout < LAYOUTS; layout++)
        for (int int4 = 0; int4 < 2; int4++) {
            /* Of a whole number of MiB every gathered shape comes out even. */
            const int64_t last = layouts[layout].last, elements = (int64_t)(bench->x_bytes / 2);
            struct back b = {
                .layout = (enum layout)layout, .int4 = int4 != 0, .elements = elements / last * last};
            char label[128];
            bool done = false;

            snprintf(label, sizeof label, "dequantize %s to float16, %s, %s", int4 ? "int4" : "int8",
                     layouts[layout].of_rows ? "dynamic" : "divide", layouts[layout].note);
            if (!bench_wants(bench, label))
                continue;
            done = data_fill(bench, PEER_F16) && data_fill_scales(bench, 0.1f) && init(bench, &b) &&
                   measure(bench, &b);
            clear(&b);
            if (!done)
                return false;
        }
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The self-test of dequantize: dense, by groups, gathered, and of rows with scales of their own. */
#include "dequantize.h"
#include "selftest.h"

#include <stdio.h>
#include <string.h>

enum source { DENSE, GROUPS, STARTS, PAIRS };

/* What is left out: dense, divide, one scale and zero point per index of the last axis. */
struct dequantize_case {
    const char *name;
    enum reference_type q;
    int lanes, rank;
    int64_t shape[CLQ_MAX_RANK]; /* of q, in values */
    enum clq_dequantize_mode mode;
    bool one; /* scale and zero point */
    bool no_zero_points;
    enum reference_type zero_point;
    enum source source;
    int64_t count, length; /* groups, or entries and their length; axis is 1 */
    enum clq_range_policy policy;
    enum layout q_layout, y_layout;
};

static const struct dequantize_case cases[] = {
    {"int8", REFERENCE_I8, 1, 2, {31, 129}, .zero_point = REFERENCE_F32},
    {"int8, one scale", REFERENCE_I8, 1, 1, {100003}, .one = true, .zero_point = REFERENCE_I8},
    {"int8, multiply", REFERENCE_I8, 1, 2, {17, 96}, CLQ_DEQUANTIZE_MULTIPLY, .zero_point = REFERENCE_BF16},
    {"uint8", REFERENCE_U8, 1, 3, {3, 7, 65}, .zero_point = REFERENCE_U8},
    {"uint8, one scale, multiply", REFERENCE_U8, 1, 2, {9, 130}, CLQ_DEQUANTIZE_MULTIPLY, .one = true},
    {"int32", REFERENCE_I32, 1, 2, {19, 77}, .zero_point = REFERENCE_I32},
    {"int4", REFERENCE_I4, 1, 2, {29, 200}, .zero_point = REFERENCE_F16},
    {"int4 in bytes, multiply",
     REFERENCE_I4,
     2,
     2,
     {29, 34},
     CLQ_DEQUANTIZE_MULTIPLY,
     .no_zero_points = true},
    {"int4 in words, one scale", REFERENCE_I4, 8, 2, {5, 1024}, .one = true},
    {"int4, padded", REFERENCE_I4, 1, 2, {19, 66}, .q_layout = LAYOUT_PADDED, .y_layout = LAYOUT_EVERY_THIRD},
    {"int8, transposed",
     REFERENCE_I8,
     1,
     3,
     {6, 35, 18},
     .q_layout = LAYOUT_TRANSPOSED,
     .y_layout = LAYOUT_PADDED},
    {"int8, repeated", REFERENCE_I8, 1, 2, {31, 66}, .q_layout = LAYOUT_REPEATED},
    {"groups", REFERENCE_I8, 1, 2, {67, 40}, CLQ_DEQUANTIZE_MULTIPLY, .source = GROUPS, .count = 5},
    {"rows", REFERENCE_I4, 1, 3, {5, 17, 128}, CLQ_DEQUANTIZE_DYNAMIC, .zero_point = REFERENCE_F32},
    {"rows, symmetric", REFERENCE_I8, 1, 2, {90, 33}, CLQ_DEQUANTIZE_DYNAMIC, .no_zero_points = true},
    {"gather", REFERENCE_I8, 1, 3, {5, 17, 64}, .source = STARTS, .count = 5, .length = 3},
    {"gather, a ring",
     REFERENCE_I4,
     2,
     3,
     {4, 9, 40},
     .source = PAIRS,
     .count = 20,
     .length = 5,
     .policy = CLQ_WRAP},
    {"gather rows",
     REFERENCE_I4,
     1,
     4,
     {3, 11, 4, 64},
     CLQ_DEQUANTIZE_DYNAMIC,
     .source = PAIRS,
     .count = 30,
     .length = 2,
     .policy = CLQ_CLAMP},
};

struct probes {
    struct probe q, scale, zero_points, indices, report, y;
};

static bool is_gathered(const struct dequantize_case *c)
{
    return c->source == STARTS || c->source == PAIRS;
}

static void fill_q(struct selftest *test, struct probe *q)
{
    int64_t index[CLQ_MAX_RANK] = {0};

    do
        reference_store_code(&q->host, index, random_bits(test));
    while (reference_next(&q->host, index));
}

/* Out of range now and then, on both sides; the ends of groups in order, and past the last row. */
static void fill_indices(struct selftest *test, struct probe *indices, const struct dequantize_case *c)
{
    for (int64_t i = 0; i < c->count; i++) {
        if (c->source == GROUPS)
            probe_put_index(indices, i, 0, (i + 1) * c->shape[0] / (c->count + 1));
        if (c->source == PAIRS)
            probe_put_index(indices, i, 0, random_below(test, (int)c->shape[0] + 2) - 1);
        if (is_gathered(c))
            probe_put_index(indices, i, c->source == PAIRS, random_below(test, (int)c->shape[1] + 2) - 1);
    }
}

static bool create_parameter(struct selftest *test, struct probe *probe, const struct dequantize_case *c,
                             enum reference_type type, bool is_scale)
{
    const int64_t last = c->shape[c->rank - 1], one = 1, groups[] = {c->count, last};
    bool ok = false;

    if (c->mode == CLQ_DEQUANTIZE_DYNAMIC)
        ok = probe_create(test, probe, type, 1, c->rank - 1, c->shape, LAYOUT_PADDED);
    else if (c->source == GROUPS && is_scale)
        ok = probe_create(test, probe, type, 1, 2, groups, LAYOUT_DENSE);
    else
        ok = probe_create(test, probe, type, 1, 1, c->one || c->source == GROUPS ? &one : &last,
                          LAYOUT_EVERY_THIRD);
    if (ok)
        probe_fill(test, probe, is_scale ? VALUES_SCALES : VALUES_ZERO_POINTS);
    return ok && probe_upload(test, probe);
}

static bool create(struct selftest *test, struct probes *p, const struct dequantize_case *c,
                   enum reference_type y, enum reference_type scale)
{
    const int64_t entries[] = {c->count, 2}, words[] = {sizeof(struct clq_report) / 4};
    int64_t q_shape[CLQ_MAX_RANK], y_shape[CLQ_MAX_RANK];

    memcpy(q_shape, c->shape, sizeof q_shape);
    memcpy(y_shape, c->shape, sizeof y_shape);
    q_shape[c->rank - 1] /= c->lanes;
    if (is_gathered(c)) {
        y_shape[0] = c->count;
        y_shape[1] = c->length;
    }
    if (!probe_create(test, &p->q, c->q, c->lanes, c->rank, q_shape, c->q_layout) ||
        !create_parameter(test, &p->scale, c, scale, true) ||
        !create_parameter(test, &p->zero_points, c, c->zero_point, false) ||
        !probe_create(test, &p->indices, REFERENCE_I32, 1, c->source == PAIRS ? 2 : 1, entries,
                      LAYOUT_DENSE) ||
        !probe_create(test, &p->report, REFERENCE_I32, 1, 1, words, LAYOUT_DENSE) ||
        !probe_create(test, &p->y, y, 1, c->rank, y_shape, c->y_layout))
        return false;
    fill_q(test, &p->q);
    fill_indices(test, &p->indices, c);
    memset(p->report.host.data, 0, sizeof(struct clq_report));
    return probe_upload(test, &p->q) && probe_upload(test, &p->indices) && probe_upload(test, &p->report) &&
           probe_upload(test, &p->y);
}

static bool run(struct selftest *test, struct probes *p, const struct dequantize_case *c)
{
    const bool dynamic = c->mode == CLQ_DEQUANTIZE_DYNAMIC;
    const struct clq_dequantize_desc desc = {
        .q = &p->q.device,
        .scales = &p->scale.device,
        .zero_points = c->no_zero_points || dynamic ? NULL : &p->zero_points.device,
        .offsets = c->no_zero_points || !dynamic ? NULL : &p->zero_points.device,
        .indices = is_gathered(c) ? &p->indices.device : NULL,
        .group_index = c->source == GROUPS ? &p->indices.device : NULL,
        .y = &p->y.device,
        .report = p->report.device.data,
        .report_offset_bytes = p->report.device.byte_offset,
        .axis = is_gathered(c) ? 1 : -1,
        .mode = c->mode,
        .out_of_range = c->policy,
    };
    const struct reference_dequantize_desc right = {
        .q = &p->q.host,
        .scale = &p->scale.host,
        .zero_points = c->no_zero_points ? NULL : &p->zero_points.host,
        .indices = is_gathered(c) ? &p->indices.host : NULL,
        .group_index = c->source == GROUPS ? &p->indices.host : NULL,
        .y = &p->y.host,
        .axis = desc.axis,
        .mode = (enum reference_undo)c->mode,
        .range = (enum reference_range)c->policy,
    };
    struct reference_report report;
    cl_event done = NULL;
    const clq_status status = clq_dequantize(test->context, test->queue, &desc, 0, NULL, &done);

    if (!selftest_finish(test, "clq_dequantize", status, done))
        return false;
    report = reference_dequantize(&right);
    memcpy(p->report.host.data, &report, sizeof report);
    return probe_compare(test, &p->y) && probe_compare(test, &p->report);
}

static bool run_type(struct selftest *test, const struct dequantize_case *c, enum reference_type y)
{
    struct probes p = {.q = {.memory = NULL}};
    const bool ok = create(test, &p, c, y, (enum reference_type)((y + 1) % 3)) && run(test, &p, c);

    probes_destroy(test);
    return ok;
}

static bool name_line(size_t line, char *text, size_t size_bytes)
{
    if (line >= sizeof cases / sizeof *cases)
        return false;
    snprintf(text, size_bytes, "%s", cases[line].name);
    return true;
}

static bool run_line(struct selftest *test, size_t line)
{
    const struct dequantize_case *c = &cases[line];
    bool ok = true;

    for (enum reference_type y = REFERENCE_F32; y <= REFERENCE_BF16 && ok; y++)
        if (test->own || y == (enum reference_type)(c->q % 3))
            ok = run_type(test, c, y);
    return ok;
}

const struct selftest_operator selftest_dequantize = {"dequantize", name_line, run_line, NULL};

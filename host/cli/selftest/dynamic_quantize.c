/* SPDX-License-Identifier: Apache-2.0 */
/* The self-test of dynamic_quantize and of dynamic_quantize_scatter: scales and offsets too are compared byte for
 * byte, with the report and every byte that must stay. */
#include "dynamic.h"
#include "selftest.h"

#include <stdio.h>
#include <string.h>

enum entries {
    NONE,   /* dense: shape is that of x */
    STARTS, /* one per batch of the cache */
    PAIRS,  /* many, on few places */
};

struct dynamic_case {
    const char *name;
    enum reference_type y;
    int lanes;
    int rank;
    int64_t shape[CLQ_MAX_RANK]; /* of y or the cache, in values */
    enum values values;
    bool symmetric, smooth;
    enum entries entries;
    int64_t count, length; /* of updates; axis is 1 */
    enum clq_range_policy policy;
    enum layout y_layout, x_layout;
};

static const struct dynamic_case cases[] = {
    {"int4", REFERENCE_I4, 1, 2, {67, 130}, VALUES_TAME, false, false, .count = 0},
    {"int4, rows of two", REFERENCE_I4, 2, 2, {301, 2}, VALUES_X, false, false, .count = 0},
    {"int4 in words", REFERENCE_I4, 8, 3, {3, 5, 1024}, VALUES_TAME, false, false, .count = 0},
    {"int4, symmetric", REFERENCE_I4, 1, 2, {29, 200}, VALUES_TAME, true, false, .count = 0},
    {"int4, smooth", REFERENCE_I4, 1, 2, {29, 200}, VALUES_TAME, false, true, .count = 0},
    {"int4, any bits", REFERENCE_I4, 1, 2, {90, 34}, VALUES_X, false, false, .count = 0},
    {"int4, special rows", REFERENCE_I4, 2, 2, {32, 66}, VALUES_SPECIAL, false, false, .count = 0},
    {"int8", REFERENCE_I8, 1, 2, {31, 129}, VALUES_TAME, false, false, .count = 0},
    {"int8, rows of one", REFERENCE_I8, 1, 2, {200, 1}, VALUES_X, false, false, .count = 0},
    {"int8, a long row", REFERENCE_I8, 1, 1, {20000}, VALUES_TAME, false, false, .count = 0},
    {"int8, symmetric and smooth", REFERENCE_I8, 1, 3, {4, 7, 96}, VALUES_TAME, true, true, .count = 0},
    {"int8, special rows", REFERENCE_I8, 1, 2, {32, 65}, VALUES_SPECIAL, true, false, .count = 0},
    {"int8, padded",
     REFERENCE_I8,
     1,
     2,
     {19, 77},
     VALUES_TAME,
     .y_layout = LAYOUT_PADDED,
     .x_layout = LAYOUT_PADDED},
    {"int8, transposed",
     REFERENCE_I8,
     1,
     2,
     {19, 77},
     VALUES_X,
     .y_layout = LAYOUT_TRANSPOSED,
     .x_layout = LAYOUT_TRANSPOSED},
    {"scatter, a row a token",
     REFERENCE_I4,
     1,
     3,
     {5, 17, 128},
     VALUES_TAME,
     false,
     false,
     STARTS,
     5,
     1,
     .policy = CLQ_DROP},
    {"scatter, a row a head",
     REFERENCE_I4,
     2,
     4,
     {3, 11, 4, 64},
     VALUES_TAME,
     false,
     false,
     STARTS,
     3,
     2,
     .policy = CLQ_CLAMP},
    {"scatter, a ring",
     REFERENCE_I8,
     1,
     3,
     {4, 9, 40},
     VALUES_TAME,
     true,
     false,
     STARTS,
     4,
     5,
     .policy = CLQ_WRAP},
    {"scatter, overlaps",
     REFERENCE_I4,
     8,
     3,
     {2, 7, 72},
     VALUES_TAME,
     false,
     false,
     PAIRS,
     60,
     2,
     .policy = CLQ_DROP},
    {"scatter, thousands",
     REFERENCE_I8,
     1,
     3,
     {3, 9, 10},
     VALUES_X,
     false,
     true,
     PAIRS,
     3000,
     1,
     .policy = CLQ_CLAMP},
    {"scatter, padded",
     REFERENCE_I4,
     1,
     3,
     {2, 7, 34},
     VALUES_TAME,
     true,
     false,
     PAIRS,
     40,
     3,
     .policy = CLQ_WRAP,
     .y_layout = LAYOUT_PADDED,
     .x_layout = LAYOUT_PADDED},
};

struct probes {
    struct probe x, smooth, y, scale, offset, indices, report;
};

static void fill_indices(struct selftest *test, struct probes *p, const struct dynamic_case *c)
{
    const bool pairs = c->entries == PAIRS;

    /* now and then out of range, on both sides */
    for (int64_t i = 0; i < c->count; i++) {
        if (pairs)
            probe_put_index(&p->indices, i, 0, random_below(test, (int)c->shape[0] + 2) - 1);
        probe_put_index(&p->indices, i, pairs, random_below(test, (int)c->shape[1] + 2) - 1);
    }
}

static bool create(struct selftest *test, struct probes *p, const struct dynamic_case *c,
                   enum reference_type x)
{
    const int64_t row[] = {c->shape[c->rank - 1]}, places[] = {c->count, 2},
                  words[] = {sizeof(struct clq_report) / 4};
    int64_t y_shape[CLQ_MAX_RANK], x_shape[CLQ_MAX_RANK];

    memcpy(y_shape, c->shape, sizeof y_shape);
    memcpy(x_shape, c->shape, sizeof x_shape);
    y_shape[c->rank - 1] /= c->lanes;
    if (c->entries != NONE) {
        x_shape[0] = c->count;
        x_shape[1] = c->length;
    }
    if (!probe_create(test, &p->x, x, 1, c->rank, x_shape, c->x_layout) ||
        !probe_create(test, &p->smooth, x, 1, 1, row, LAYOUT_DENSE) ||
        !probe_create(test, &p->y, c->y, c->lanes, c->rank, y_shape, c->y_layout) ||
        !probe_create(test, &p->scale, REFERENCE_F32, 1, c->rank - 1, c->shape, LAYOUT_DENSE) ||
        !probe_create(test, &p->offset, REFERENCE_F32, 1, c->rank - 1, c->shape, LAYOUT_DENSE) ||
        !probe_create(test, &p->indices, REFERENCE_I32, 1, c->entries == PAIRS ? 2 : 1, places,
                      LAYOUT_DENSE) ||
        !probe_create(test, &p->report, REFERENCE_I32, 1, 1, words, LAYOUT_DENSE))
        return false;
    fill_indices(test, p, c);
    probe_fill(test, &p->x, c->values);
    probe_fill(test, &p->smooth, VALUES_SCALES);
    memset(p->report.host.data, 0, sizeof(struct clq_report));
    return probe_upload(test, &p->x) && probe_upload(test, &p->smooth) && probe_upload(test, &p->y) &&
           probe_upload(test, &p->scale) && probe_upload(test, &p->offset) &&
           probe_upload(test, &p->indices) && probe_upload(test, &p->report);
}

static bool run_dense(struct selftest *test, struct probes *p, const struct dynamic_case *c)
{
    const struct clq_dynamic_quantize_desc desc = {.x = &p->x.device,
                                                   .smooth_scales = c->smooth ? &p->smooth.device : NULL,
                                                   .y = &p->y.device,
                                                   .scales = &p->scale.device,
                                                   .offsets = c->symmetric ? NULL : &p->offset.device,
                                                   .symmetric = c->symmetric};
    const struct reference_dynamic_quantize_desc right = {.x = &p->x.host,
                                                          .smooth_scale = c->smooth ? &p->smooth.host : NULL,
                                                          .y = &p->y.host,
                                                          .scale = &p->scale.host,
                                                          .offset = c->symmetric ? NULL : &p->offset.host,
                                                          .symmetric = c->symmetric};
    cl_event done = NULL;
    const clq_status status = clq_dynamic_quantize(test->context, test->queue, &desc, 0, NULL, &done);

    if (!selftest_finish(test, "clq_dynamic_quantize", status, done))
        return false;
    reference_dynamic_quantize(&right);
    return true;
}

static bool run_scatter(struct selftest *test, struct probes *p, const struct dynamic_case *c)
{
    const struct clq_dynamic_quantize_scatter_desc desc = {
        .cache = &p->y.device,
        .cache_scales = &p->scale.device,
        .cache_offsets = c->symmetric ? NULL : &p->offset.device,
        .indices = &p->indices.device,
        .updates = &p->x.device,
        .smooth_scales = c->smooth ? &p->smooth.device : NULL,
        .report = p->report.device.data,
        .report_offset_bytes = p->report.device.byte_offset,
        .axis = 1,
        .symmetric = c->symmetric,
        .out_of_range = c->policy,
    };
    const struct reference_dynamic_quantize_scatter_desc right = {
        .cache = &p->y.host,
        .cache_scale = &p->scale.host,
        .cache_offset = c->symmetric ? NULL : &p->offset.host,
        .indices = &p->indices.host,
        .updates = &p->x.host,
        .smooth_scale = c->smooth ? &p->smooth.host : NULL,
        .axis = 1,
        .symmetric = c->symmetric,
        .range = (enum reference_range)c->policy,
    };
    struct reference_report report;
    cl_event done = NULL;
    const clq_status status = clq_dynamic_quantize_scatter(test->context, test->queue, &desc, 0, NULL, &done);

    if (!selftest_finish(test, "clq_dynamic_quantize_scatter", status, done))
        return false;
    report = reference_dynamic_quantize_scatter(&right);
    memcpy(p->report.host.data, &report, sizeof report);
    return true;
}

static bool run_type(struct selftest *test, const struct dynamic_case *c, enum reference_type x)
{
    struct probes p = {0};
    const bool ok = create(test, &p, c, x) &&
                    (c->entries == NONE ? run_dense(test, &p, c) : run_scatter(test, &p, c)) &&
                    probe_compare(test, &p.y) && probe_compare(test, &p.scale) &&
                    probe_compare(test, &p.offset) && probe_compare(test, &p.report);

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
    const struct dynamic_case *c = &cases[line];
    bool ok = true;

    for (enum reference_type x = REFERENCE_F32; x <= REFERENCE_BF16 && ok; x++)
        if (test->own || (int)x == spread_type(c->y, c->smooth))
            ok = run_type(test, c, x);
    return ok;
}

const struct selftest_operator selftest_dynamic_quantize = {"dynamic_quantize", name_line, run_line, NULL};

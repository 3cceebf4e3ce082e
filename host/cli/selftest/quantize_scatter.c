/* SPDX-License-Identifier: Apache-2.0 */
/* The self-test of quantize_scatter and of npu_quant_scatter in both kinds: places, overlaps, hostile indices
 * and layouts, with the report and every byte that must stay. */
#include "selftest.h"

#include <stdio.h>
#include <string.h>

enum face { GENERAL, NPU };
enum places {
    ANYWHERE, /* within the cache */
    CROWDED,  /* few places, so that most entries overlap */
    HOSTILE,  /* within it, just outside, and the ends of the type */
    APART,    /* entry i in the batch and at the start where no other is: only with pairs, of length 1 */
};

struct scatter_case {
    const char *name;
    int rank;
    int64_t shape[CLQ_MAX_RANK]; /* of the cache, in values */
    int64_t entries, length;
    int axis;
    bool pairs;
    enum places places;
    enum reference_type cache;
    int lanes; /* of the cache; 0 is 1 */
    enum reference_type index;
    enum clq_range_policy policy;
    bool multiply, unique, copy, one_scale;
    enum face face;
    enum layout cache_layout, updates_layout, index_layout;
};

static const struct scatter_case cases[] = {
    {"starts", 3, {4, 37, 33}, 4, 1, -2, .cache = REFERENCE_I8},
    {"starts, a long update",
     4,
     {3, 29, 2, 16},
     2,
     7,
     1,
     .cache = REFERENCE_U8,
     .index = REFERENCE_I64,
     .multiply = true},
    {"starts, the whole axis",
     3,
     {2, 5, 64},
     2,
     5,
     1,
     .cache = REFERENCE_I8,
     .copy = true,
     .one_scale = true},
    {"starts on the last axis", 2, {5, 67}, 5, 9, -1, .cache = REFERENCE_I8},
    {"starts, int4 in bytes", 3, {4, 19, 66}, 3, 2, 1, .cache = REFERENCE_I4, .lanes = 2, .multiply = true},
    {"starts, int4 in words", 4, {2, 3, 11, 16}, 2, 3, 2, .cache = REFERENCE_I4, .lanes = 8, .copy = true},
    {"starts, no entry", 3, {4, 5, 8}, 0, 1, 1, .cache = REFERENCE_I8, .copy = true},
    {"pairs apart, promised", 3, {4, 41, 130}, 80, 1, 1, true, APART, .cache = REFERENCE_I8, .unique = true},
    {"pairs apart", 4, {2, 41, 3, 20}, 50, 1, 1, true, APART, .cache = REFERENCE_I8, .index = REFERENCE_I64},
    {"pairs that overlap", 3, {2, 9, 40}, 60, 3, 1, true, CROWDED, .cache = REFERENCE_I8, .copy = true},
    {"pairs that overlap, int4", 3, {2, 9, 34}, 60, 3, 1, true, CROWDED, .cache = REFERENCE_I4, .lanes = 2},
    {"thousands on few places", 3, {2, 7, 8}, 3000, 2, 1, true, CROWDED, .cache = REFERENCE_I8},
    {"hostile starts, drop", 3, {6, 13, 24}, 6, 3, 1, false, HOSTILE, .cache = REFERENCE_I8},
    {"hostile starts, clamp",
     3,
     {6, 13, 24},
     6,
     3,
     1,
     false,
     HOSTILE,
     .cache = REFERENCE_U8,
     .multiply = true,
     .policy = CLQ_CLAMP},
    {"hostile starts, wrap",
     3,
     {6, 13, 24},
     6,
     3,
     1,
     false,
     HOSTILE,
     .cache = REFERENCE_I8,
     .index = REFERENCE_I64,
     .policy = CLQ_WRAP},
    {"hostile pairs, drop",
     4,
     {3, 2, 13, 10},
     90,
     2,
     2,
     true,
     HOSTILE,
     .cache = REFERENCE_I8,
     .index = REFERENCE_I64},
    {"hostile pairs, clamp",
     3,
     {3, 13, 24},
     70,
     2,
     1,
     true,
     HOSTILE,
     .cache = REFERENCE_I4,
     .lanes = 8,
     .policy = CLQ_CLAMP},
    {"hostile pairs, wrap",
     3,
     {3, 13, 24},
     70,
     5,
     1,
     true,
     HOSTILE,
     .cache = REFERENCE_I8,
     .multiply = true,
     .policy = CLQ_WRAP},
    {"padded everywhere",
     3,
     {4, 21, 30},
     4,
     2,
     1,
     false,
     ANYWHERE,
     .cache = REFERENCE_I8,
     .cache_layout = LAYOUT_PADDED,
     .updates_layout = LAYOUT_PADDED,
     .index_layout = LAYOUT_EVERY_THIRD},
    {"padded nibbles",
     3,
     {4, 21, 30},
     30,
     2,
     1,
     true,
     CROWDED,
     .cache = REFERENCE_I4,
     .cache_layout = LAYOUT_PADDED,
     .updates_layout = LAYOUT_PADDED,
     .index_layout = LAYOUT_PADDED},
    {"transposed",
     3,
     {4, 21, 30},
     40,
     2,
     1,
     true,
     CROWDED,
     .cache = REFERENCE_I8,
     .cache_layout = LAYOUT_TRANSPOSED,
     .updates_layout = LAYOUT_TRANSPOSED},
    {"rank 8", 8, {3, 2, 1, 5, 2, 1, 2, 10}, 3, 2, 3, .cache = REFERENCE_I8, .one_scale = true},
    {"as npu_quant_scatter",
     3,
     {5, 40, 32},
     5,
     1,
     -2,
     false,
     HOSTILE,
     .cache = REFERENCE_I8,
     .copy = true,
     .face = NPU},
    {"as npu_quant_scatter_", 4, {5, 20, 2, 32}, 4, 3, 1, true, CROWDED, .cache = REFERENCE_I8, .face = NPU},
};

struct probes {
    struct probe input, cache, indices, updates, scales, zero_points, report;
};

static int axis_of(const struct scatter_case *c)
{
    return c->axis < 0 ? c->axis + c->rank : c->axis;
}

static int64_t place(struct selftest *test, const struct scatter_case *c, int64_t limit)
{
    const int64_t hostile[] = {INT64_MIN, INT64_MAX, INT32_MIN, INT32_MAX, -1, limit + 1, -limit - 1};
    const int64_t few = c->places == CROWDED && limit > 3 ? 3 : limit;

    if (c->places == HOSTILE && random_below(test, 2))
        return hostile[random_below(test, (int)(sizeof hostile / sizeof *hostile))];
    return random_below(test, (int)few + 1);
}

static void fill_indices(struct selftest *test, struct probe *probe, const struct scatter_case *c)
{
    const int64_t size = c->shape[axis_of(c)], last = size - c->length;

    for (int64_t i = 0; i < c->entries; i++) {
        if (c->pairs)
            probe_put_index(probe, i, 0, c->places == APART ? i / size : place(test, c, c->shape[0] - 1));
        probe_put_index(probe, i, c->pairs, c->places == APART ? i % size : place(test, c, last));
    }
}

static bool create(struct selftest *test, struct probes *p, const struct scatter_case *c,
                   enum reference_type x)
{
    const enum reference_type index = c->index == REFERENCE_I64 ? REFERENCE_I64 : REFERENCE_I32;
    const int lanes = c->lanes ? c->lanes : 1, last = c->rank - 1;
    const int64_t places[] = {c->entries, 2};
    const int64_t words[] = {sizeof(struct clq_report) / 4};
    int64_t cache[CLQ_MAX_RANK], updates[CLQ_MAX_RANK], scales[1];

    memcpy(cache, c->shape, sizeof cache);
    memcpy(updates, c->shape, sizeof updates);
    cache[last] /= lanes;
    updates[0] = c->entries;
    updates[axis_of(c)] = c->length;
    scales[0] = c->one_scale ? 1 : updates[last];
    if (!probe_create(test, &p->input, c->cache, lanes, c->rank, cache, LAYOUT_DENSE) ||
        !probe_create(test, &p->cache, c->cache, lanes, c->rank, cache, c->cache_layout) ||
        !probe_create(test, &p->indices, index, 1, c->pairs ? 2 : 1, places, c->index_layout) ||
        !probe_create(test, &p->updates, x, 1, c->rank, updates, c->updates_layout) ||
        !probe_create(test, &p->scales, x, 1, 1, scales, LAYOUT_DENSE) ||
        !probe_create(test, &p->zero_points, REFERENCE_I8, 1, 1, scales, LAYOUT_DENSE) ||
        !probe_create(test, &p->report, REFERENCE_I32, 1, 1, words, LAYOUT_DENSE))
        return false;
    fill_indices(test, &p->indices, c);
    probe_fill(test, &p->updates, VALUES_X);
    probe_fill(test, &p->scales, VALUES_SCALES);
    probe_fill(test, &p->zero_points, VALUES_ZERO_POINTS);
    memset(p->report.host.data, 0, sizeof(struct clq_report));
    return probe_upload(test, &p->input) && probe_upload(test, &p->cache) &&
           probe_upload(test, &p->indices) && probe_upload(test, &p->updates) &&
           probe_upload(test, &p->scales) && probe_upload(test, &p->zero_points) &&
           probe_upload(test, &p->report);
}

static clq_status call_general(struct selftest *test, struct probes *p, const struct scatter_case *c,
                               cl_event *done)
{
    const struct clq_quantize_scatter_desc desc = {
        .input = c->copy ? &p->input.device : NULL,
        .cache = &p->cache.device,
        .indices = &p->indices.device,
        .updates = &p->updates.device,
        .scales = &p->scales.device,
        .zero_points = &p->zero_points.device,
        .report = p->report.device.data,
        .report_offset_bytes = p->report.device.byte_offset,
        .axis = described_axis(c->axis),
        .mode = c->multiply ? CLQ_MULTIPLY : CLQ_DIVIDE,
        .out_of_range = c->policy,
        .unique = c->unique,
    };

    return clq_quantize_scatter(test->context, test->queue, &desc, 0, NULL, done);
}

static clq_status call_npu(struct selftest *test, struct probes *p, const struct scatter_case *c,
                           cl_event *done)
{
    return c->copy ? clq_npu_quant_scatter(test->context, test->queue, &p->input.device, &p->indices.device,
                                           &p->updates.device, &p->scales.device, &p->zero_points.device,
                                           c->axis, -1, "update", &p->cache.device, 0, NULL, done)
                   : clq_npu_quant_scatter_(test->context, test->queue, &p->cache.device, &p->indices.device,
                                            &p->updates.device, &p->scales.device, &p->zero_points.device,
                                            c->axis, -1, "update", 0, NULL, done);
}

static bool compare(struct selftest *test, struct probes *p, const struct scatter_case *c)
{
    const struct reference_quantize_scatter_desc right = {
        .cache = &p->cache.host,
        .indices = &p->indices.host,
        .updates = &p->updates.host,
        .scales = &p->scales.host,
        .zero_points = &p->zero_points.host,
        .axis = c->axis,
        .multiply = c->multiply,
        .range = (enum reference_range)c->policy,
    };
    struct reference_report report;
    cl_event done = NULL;
    const clq_status status =
        c->face == GENERAL ? call_general(test, p, c, &done) : call_npu(test, p, c, &done);

    if (!selftest_finish(test, c->face == GENERAL ? "clq_quantize_scatter" : "clq_npu_quant_scatter", status,
                         done))
        return false;
    if (c->copy)
        reference_copy(&p->input.host, &p->cache.host);
    report = reference_quantize_scatter(&right);
    if (c->face == GENERAL) /* the documented calls have no report */
        memcpy(p->report.host.data, &report, sizeof report);
    return probe_compare(test, &p->cache) && probe_compare(test, &p->input) &&
           probe_compare(test, &p->report);
}

static bool run_type(struct selftest *test, const struct scatter_case *c, enum reference_type x)
{
    struct probes p = {0};
    const bool ok = create(test, &p, c, x) && compare(test, &p, c);

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
    const struct scatter_case *c = &cases[line];
    bool ok = true;

    for (enum reference_type x = REFERENCE_F32; x <= REFERENCE_BF16 && ok; x++)
        if (test->own || (int)x == spread_type(c->cache, c->multiply))
            ok = run_type(test, c, x);
    return ok;
}

const struct selftest_operator selftest_quantize_scatter = {"quantize_scatter", name_line, run_line, NULL};

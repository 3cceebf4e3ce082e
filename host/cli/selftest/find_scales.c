/* SPDX-License-Identifier: Apache-2.0 */
/* The self-test of find_scales: along every kind of axis, in every layout, for every type and method. */
#include "selftest.h"

#include <stdio.h>

enum { PER_TENSOR = -9, MOST_RANK = 3 };

struct scales_case {
    const char *name;
    int rank;
    int64_t shape[MOST_RANK];
    int axis;
    enum layout layout;
    enum values values;
};

static const struct scales_case cases[] = {
    {"per tensor", 2, {37, 1100}, PER_TENSOR, LAYOUT_DENSE, VALUES_X},
    {"per tensor, padded rows", 2, {60, 33}, PER_TENSOR, LAYOUT_PADDED, VALUES_X},
    {"per tensor, every third", 1, {5000}, PER_TENSOR, LAYOUT_EVERY_THIRD, VALUES_X},
    {"first axis", 2, {70, 333}, 0, LAYOUT_DENSE, VALUES_X},
    {"first axis, padded rows", 2, {9, 65}, 0, LAYOUT_PADDED, VALUES_X},
    {"last axis", 2, {300, 130}, -1, LAYOUT_DENSE, VALUES_X},
    {"last axis, a few columns", 2, {3001, 3}, -1, LAYOUT_DENSE, VALUES_X},
    {"last axis, transposed", 2, {65, 34}, -1, LAYOUT_TRANSPOSED, VALUES_X},
    {"last axis, repeated rows", 2, {8, 600}, -1, LAYOUT_REPEATED, VALUES_X},
    {"middle axis", 3, {20, 11, 700}, 1, LAYOUT_DENSE, VALUES_X},
    {"middle axis, short rows", 3, {50, 6, 9}, 1, LAYOUT_DENSE, VALUES_X},
    {"a special value for each index", 2, {SPECIAL_VALUES, 2}, 0, LAYOUT_DENSE, VALUES_SPECIAL},
    {"no value", 2, {5, 0}, 0, LAYOUT_DENSE, VALUES_X},
};

struct probes {
    struct probe x, scales, zero_points;
};

/* The digits of i: what x is quantized to, method and mode. */
static bool compare(struct selftest *test, struct probes *p, const struct scales_case *c, int i)
{
    static const DLDataType dtypes[] = {{kDLInt, 8, 1}, {kDLUInt, 8, 1}, {kDLInt, 4, 1}};
    static const enum reference_type types[] = {REFERENCE_I8, REFERENCE_U8, REFERENCE_I4};
    const struct clq_find_scales_desc desc = {.x = &p->x.device,
                                              .scales = &p->scales.device,
                                              .zero_points = &p->zero_points.device,
                                              .dtype = dtypes[i % 3],
                                              .axis = described_axis(c->axis),
                                              .method = (uint32_t)(i / 3 % 2),
                                              .mode = (uint32_t)(i / 6)};
    cl_event done = NULL;
    const clq_status status = clq_find_scales(test->context, test->queue, &desc, 0, NULL, &done);

    if (!selftest_finish(test, "clq_find_scales", status, done))
        return false;
    reference_find_scales(&(struct reference_find_scales_desc){.x = &p->x.host,
                                                               .scales = &p->scales.host,
                                                               .zero_points = &p->zero_points.host,
                                                               .type = types[i % 3],
                                                               .axis = c->axis,
                                                               .minmax = i / 3 % 2,
                                                               .multiply = i / 6});
    return probe_compare(test, &p->scales) && probe_compare(test, &p->zero_points);
}

static bool run_type(struct selftest *test, const struct scales_case *c, enum reference_type type)
{
    const int64_t count = c->axis == PER_TENSOR ? 1 : c->shape[(c->axis + c->rank) % c->rank];
    struct probes p = {0};
    bool ok = probe_create(test, &p.x, type, 1, c->rank, c->shape, c->layout) &&
              probe_create(test, &p.scales, REFERENCE_F32, 1, 1, &count, LAYOUT_DENSE) &&
              probe_create(test, &p.zero_points, REFERENCE_I32, 1, 1, &count, LAYOUT_EVERY_THIRD);

    if (ok) {
        probe_fill(test, &p.x, c->values);
        ok = probe_upload(test, &p.x) && probe_upload(test, &p.scales) && probe_upload(test, &p.zero_points);
    }
    for (int i = 0; i < 3 * 2 * 2 && ok; i++)
        ok = compare(test, &p, c, i);
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
    const struct scales_case *c = &cases[line];

    return run_type(test, c, REFERENCE_F32) && run_type(test, c, REFERENCE_F16) &&
           run_type(test, c, REFERENCE_BF16);
}

const struct selftest_operator selftest_find_scales = {"find_scales", name_line, run_line, NULL};

/* SPDX-License-Identifier: Apache-2.0 */
/* The self-test of group_quantize and npu_group_quant: groups of every kind, and group_index that breaks its
 * rules. */
#include "selftest.h"

#include <stdio.h>
#include <string.h>

enum offset { NO_OFFSET, OFFSET };
enum ends { SORTED, SORTED_WITH_EMPTY, BROKEN };

struct group_case {
    const char *name;
    int64_t rows, columns, groups;
    enum ends ends;
    enum offset offset;
    enum reference_type index, scale, y;
    int lanes; /* of y; 0 is 1 */
    enum layout x_layout, y_layout;
    bool npu;
};

static const struct group_case cases[] = {
    {"one group", 7, 33, 1, SORTED, OFFSET, REFERENCE_I32, REFERENCE_F32, .y = REFERENCE_I8, .npu = true},
    {"one row", 1, 130, 3, SORTED_WITH_EMPTY, OFFSET, REFERENCE_I64, REFERENCE_F16, .y = REFERENCE_I8},
    {"no rows", 0, 16, 2, SORTED_WITH_EMPTY, NO_OFFSET, REFERENCE_I32, REFERENCE_F32, .y = REFERENCE_I8},
    {"a group a row", 67, 31, 67, SORTED, NO_OFFSET, REFERENCE_I64, REFERENCE_BF16, .y = REFERENCE_I8,
     .npu = true},
    {"more groups than rows", 19, 40, 301, SORTED_WITH_EMPTY, OFFSET, REFERENCE_I32, REFERENCE_F32,
     .y = REFERENCE_I4, .lanes = 2},
    {"uneven groups to words", 130, 64, 9, SORTED_WITH_EMPTY, OFFSET, REFERENCE_I32, REFERENCE_F32,
     .y = REFERENCE_I4, .lanes = 8, .npu = true},
    {"one column", 515, 1, 5, SORTED, OFFSET, REFERENCE_I64, REFERENCE_F16, .y = REFERENCE_I8},
    {"padded rows", 61, 70, 6, SORTED_WITH_EMPTY, OFFSET, REFERENCE_I32, REFERENCE_BF16, .y = REFERENCE_I8,
     .x_layout = LAYOUT_PADDED, .y_layout = LAYOUT_PADDED},
    {"padded rows of nibbles", 33, 70, 6, SORTED, NO_OFFSET, REFERENCE_I64, REFERENCE_F32, .y = REFERENCE_I4,
     .x_layout = LAYOUT_PADDED, .y_layout = LAYOUT_PADDED},
    {"transposed", 35, 66, 4, SORTED, OFFSET, REFERENCE_I32, REFERENCE_F16, .y = REFERENCE_I8,
     .x_layout = LAYOUT_TRANSPOSED, .y_layout = LAYOUT_TRANSPOSED},
    {"ends in no order, int32", 65, 34, 12, BROKEN, OFFSET, REFERENCE_I32, REFERENCE_F32, .y = REFERENCE_I8},
    {"ends in no order, int64", 65, 34, 12, BROKEN, NO_OFFSET, REFERENCE_I64, REFERENCE_F32,
     .y = REFERENCE_I4, .lanes = 2},
};

struct probes {
    struct probe x, scale, group_index, offset, y, report;
};

static void fill_ends(struct selftest *test, struct probe *probe, const struct group_case *c)
{
    static const int64_t hostile[] = {INT64_MIN, INT64_MAX, INT32_MIN, INT32_MAX, -1};
    int64_t end = 0;

    for (int64_t g = 0; g < c->groups; g++) {
        const int64_t left = c->rows - end, share = c->rows / c->groups;

        if (c->ends == BROKEN)
            end =
                random_below(test, 3) ? random_below(test, (int)c->rows + 2) : hostile[random_below(test, 5)];
        else if (g == c->groups - 1)
            end = c->rows;
        else if (c->ends == SORTED)
            end += share;
        else if (random_below(test, 2))
            end += random_below(test, (int)(left < 2 * share + 2 ? left + 1 : 2 * share + 2));
        probe_put_index(probe, g, 0, end);
    }
}

static bool create(struct selftest *test, struct probes *p, const struct group_case *c, enum reference_type x)
{
    const int lanes = c->lanes ? c->lanes : 1;
    const int64_t shape[] = {c->rows, c->columns}, packed[] = {c->rows, c->columns / lanes};
    const int64_t scales[] = {c->groups, c->columns}, one[] = {1}, words[] = {sizeof(struct clq_report) / 4};

    if (!probe_create(test, &p->x, x, 1, 2, shape, c->x_layout) ||
        !probe_create(test, &p->scale, c->scale, 1, 2, scales, LAYOUT_DENSE) ||
        !probe_create(test, &p->group_index, c->index, 1, 1, &c->groups, LAYOUT_DENSE) ||
        !probe_create(test, &p->offset, c->scale, 1, 1, one, LAYOUT_DENSE) ||
        !probe_create(test, &p->y, c->y, lanes, 2, packed, c->y_layout) ||
        !probe_create(test, &p->report, REFERENCE_I32, 1, 1, words, LAYOUT_DENSE))
        return false;
    probe_fill(test, &p->x, VALUES_X);
    probe_fill(test, &p->scale, VALUES_SCALES);
    probe_fill(test, &p->offset, VALUES_ZERO_POINTS);
    fill_ends(test, &p->group_index, c);
    memset(p->report.host.data, 0, sizeof(struct clq_report));
    return probe_upload(test, &p->x) && probe_upload(test, &p->scale) && probe_upload(test, &p->offset) &&
           probe_upload(test, &p->group_index) && probe_upload(test, &p->y) && probe_upload(test, &p->report);
}

static clq_status call(struct selftest *test, struct probes *p, const struct group_case *c, bool npu,
                       cl_event *done)
{
    const struct clq_group_quantize_desc desc = {
        .x = &p->x.device,
        .scales = &p->scale.device,
        .group_index = &p->group_index.device,
        .zero_points = c->offset ? &p->offset.device : NULL,
        .y = &p->y.device,
        .report = p->report.device.data,
        .report_offset_bytes = p->report.device.byte_offset,
    };

    if (!npu)
        return clq_group_quantize(test->context, test->queue, &desc, 0, NULL, done);
    return clq_npu_group_quant(test->context, test->queue, desc.x, desc.scales, desc.group_index,
                               desc.zero_points, c->y == REFERENCE_I4 ? CLQ_NPU_QUINT4X2 : CLQ_NPU_QINT8,
                               desc.y, 0, NULL, done);
}

static bool compare(struct selftest *test, struct probes *p, const struct group_case *c, bool npu)
{
    const struct reference_group_quantize_desc right = {
        .x = &p->x.host,
        .scale = &p->scale.host,
        .group_index = &p->group_index.host,
        .offset = c->offset ? &p->offset.host : NULL,
        .y = &p->y.host,
    };
    struct reference_report report;
    cl_event done = NULL;
    const clq_status status = call(test, p, c, npu, &done);

    if (!selftest_finish(test, npu ? "clq_npu_group_quant" : "clq_group_quantize", status, done))
        return false;
    report = reference_group_quantize(&right);
    if (!npu) /* the documented call has no report */
        memcpy(p->report.host.data, &report, sizeof report);
    return probe_compare(test, &p->y) && probe_compare(test, &p->report);
}

static bool run_type(struct selftest *test, const struct group_case *c, enum reference_type x, bool npu)
{
    struct probes p = {0};
    const bool ok = create(test, &p, c, x) && compare(test, &p, c, npu);

    probes_destroy(test);
    return ok;
}

static bool name_line(size_t line, char *text, size_t size_bytes)
{
    if (line >= sizeof cases / sizeof *cases)
        return false;
    snprintf(text, size_bytes, "%s%s", cases[line].name, cases[line].npu ? ", and as npu_group_quant" : "");
    return true;
}

static bool run_line(struct selftest *test, size_t line)
{
    const struct group_case *c = &cases[line];
    bool ok = true;

    for (enum reference_type x = REFERENCE_F32; x <= REFERENCE_BF16 && ok; x++)
        if (test->own || (int)x == spread_type(c->y, true))
            ok = run_type(test, c, x, false) && (!c->npu || run_type(test, c, x, true));
    return ok;
}

const struct selftest_operator selftest_group_quantize = {"group_quantize", name_line, run_line, NULL};

/* SPDX-License-Identifier: Apache-2.0 */
/* The self-test of npu_quantize: its types, and its own meaning of axis. */
#include "selftest.h"

#include <stdio.h>

struct npu_case {
    const char *name;
    enum clq_npu_dtype dtype;
    enum reference_type y;
    int lanes;
    int axis;
    int64_t scales; /* how many */
    bool div_mode, zero_points;
};

enum { ROWS = 6, COLUMNS = 40 };

static const struct npu_case cases[] = {
    {"divide, qint8, last axis", CLQ_NPU_QINT8, REFERENCE_I8, 1, -1, COLUMNS, true, true},
    {"divide, quint8, first axis", CLQ_NPU_QUINT8, REFERENCE_U8, 1, 0, ROWS, true, true},
    {"divide, int32, one scale, any axis", CLQ_NPU_INT32, REFERENCE_I32, 1, 77, 1, true, false},
    {"multiply, qint8, axis 1 is the last", CLQ_NPU_QINT8, REFERENCE_I8, 1, 1, COLUMNS, false, true},
    {"multiply, qint8, axis 0 is the last", CLQ_NPU_QINT8, REFERENCE_I8, 1, 0, COLUMNS, false, false},
    {"multiply, qint8, axis -2", CLQ_NPU_QINT8, REFERENCE_I8, 1, -2, ROWS, false, true},
    {"multiply, quint4x2", CLQ_NPU_QUINT4X2, REFERENCE_I4, 8, -1, COLUMNS, false, true},
};

static bool compare(struct selftest *test, struct probe *input, struct probe *scales,
                    struct probe *zero_points, struct probe *output, const struct npu_case *c)
{
    const struct reference_npu_quantize_desc right = {
        .input = &input->host,
        .scales = &scales->host,
        .zero_points = c->zero_points ? &zero_points->host : NULL,
        .output = &output->host,
        .axis = c->axis,
        .div_mode = c->div_mode,
    };
    cl_event done = NULL;
    clq_status status = clq_npu_quantize(test->context, test->queue, &input->device, &scales->device,
                                         c->zero_points ? &zero_points->device : NULL, c->dtype, c->axis,
                                         c->div_mode, &output->device, 0, NULL, &done);

    if (!selftest_finish(test, "clq_npu_quantize", status, done))
        return false;
    reference_npu_quantize(&right);
    return probe_compare(test, output);
}

static bool run_type(struct selftest *test, const struct npu_case *c, enum reference_type type)
{
    const int64_t shape[] = {ROWS, COLUMNS};
    const int64_t packed[] = {ROWS, COLUMNS / c->lanes};
    struct probe input = {0}, scales = {0}, zero_points = {0}, output = {0};
    bool ok = probe_create(test, &input, type, 1, 2, shape, LAYOUT_PADDED) &&
              probe_create(test, &scales, type, 1, 1, &c->scales, LAYOUT_DENSE) &&
              probe_create(test, &zero_points, type, 1, 1, &c->scales, LAYOUT_DENSE) &&
              probe_create(test, &output, c->y, c->lanes, 2, packed, LAYOUT_DENSE);

    if (ok) {
        probe_fill(test, &input, VALUES_X);
        probe_fill(test, &scales, VALUES_SCALES);
        probe_fill(test, &zero_points, VALUES_ZERO_POINTS);
        ok = probe_upload(test, &input) && probe_upload(test, &scales) && probe_upload(test, &zero_points) &&
             probe_upload(test, &output) && compare(test, &input, &scales, &zero_points, &output, c);
    }
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
    const struct npu_case *c = &cases[line];

    return run_type(test, c, REFERENCE_F32) && run_type(test, c, REFERENCE_F16) &&
           run_type(test, c, REFERENCE_BF16);
}

/* Only rules of arguments differ from quantize's: they do not depend on form and arithmetic. */
static bool skip_line(size_t line)
{
    (void)line;
    return true;
}

const struct selftest_operator selftest_npu_quantize = {"npu_quantize", name_line, run_line, skip_line};

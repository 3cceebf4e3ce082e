/* SPDX-License-Identifier: Apache-2.0 */
/* The self-test of quantize: every combination of types, then shapes, axes, layouts and special values. */
#include "selftest.h"

#include <stdio.h>
#include <string.h>

enum { NONE = -1 }; /* no zero points */
enum count { EACH, ONE };
enum output { INT8, UINT8, INT32, INT4_BYTES, INT4_WORDS, INT4_NIBBLES };

static const struct {
    const char *name;
    enum reference_type type;
    int lanes;
} outputs[] = {
    [INT8] = {"int8", REFERENCE_I8, 1},
    [UINT8] = {"uint8", REFERENCE_U8, 1},
    [INT32] = {"int32", REFERENCE_I32, 1},
    [INT4_BYTES] = {"int4 in bytes", REFERENCE_I4, 2},
    [INT4_WORDS] = {"int4 in words", REFERENCE_I4, 8},
    [INT4_NIBBLES] = {"int4 in nibbles", REFERENCE_I4, 1},
};

/* What is left out is the first of its kind: float32 to int8, dense, the first axis, a scale and a zero point
 * per index of it. */
struct quantize_case {
    const char *name;
    int rank;
    int64_t shape[CLQ_MAX_RANK]; /* of x, in values */
    int axis;
    enum count scales, zero_points;
    enum layout x_layout, y_layout;
    enum reference_type x;
    enum output y;
    int scale_type, zero_point_type;
    bool multiply, special;
};

static const struct quantize_case layouts[] = {
    {"one element", .rank = 1, .shape = {1}, .scales = ONE, .zero_points = ONE},
    {"rank 0", .rank = 0, .shape = {0}, .scales = ONE, .zero_points = ONE, .x = REFERENCE_BF16, .y = INT32},
    {"empty", .rank = 3, .shape = {4, 0, 8}, .scales = ONE, .zero_points = ONE},
    {"a long row", .rank = 1, .shape = {100003}},
    {"many short rows", .rank = 2, .shape = {4099, 3}, .axis = 1, .zero_points = ONE, .x = REFERENCE_F16,
     .y = UINT8},
    {"many short rows of int4", .rank = 2, .shape = {1021, 2}, .axis = 1, .x = REFERENCE_F16,
     .y = INT4_BYTES},
    {"odd rows, first axis", .rank = 2, .shape = {67, 259}},
    {"middle axis", .rank = 3, .shape = {5, 33, 17}, .axis = 1, .zero_points = ONE, .x = REFERENCE_BF16},
    {"middle axis, one scale and many zero points", .rank = 3, .shape = {5, 33, 18}, .axis = 1, .scales = ONE,
     .y = INT4_BYTES},
    {"last axis, one scale and many zero points", .rank = 3, .shape = {5, 7, 130}, .axis = -1, .scales = ONE},
    {"rank 8", .rank = 8, .shape = {2, 3, 1, 2, 3, 2, 1, 10}, .axis = -4, .y = INT4_BYTES},
    {"rank 8, padded", .rank = 8, .shape = {2, 3, 2, 2, 3, 2, 2, 10}, .axis = 3, .x_layout = LAYOUT_PADDED,
     .y_layout = LAYOUT_PADDED},
    {"padded rows", .rank = 2, .shape = {67, 130}, .axis = -1, .x_layout = LAYOUT_PADDED,
     .y_layout = LAYOUT_PADDED, .x = REFERENCE_F16},
    {"padded rows of nibbles", .rank = 2, .shape = {67, 130}, .axis = -1, .x_layout = LAYOUT_PADDED,
     .y_layout = LAYOUT_PADDED, .y = INT4_NIBBLES},
    {"padded rows of words", .rank = 2, .shape = {67, 136}, .x_layout = LAYOUT_PADDED,
     .y_layout = LAYOUT_PADDED, .y = INT4_WORDS},
    {"transposed input", .rank = 3, .shape = {6, 35, 18}, .axis = -1, .x_layout = LAYOUT_TRANSPOSED},
    {"transposed input to int4", .rank = 3, .shape = {6, 35, 18}, .axis = 1, .x_layout = LAYOUT_TRANSPOSED,
     .y = INT4_BYTES},
    {"transposed output", .rank = 3, .shape = {6, 35, 18}, .axis = -1, .y_layout = LAYOUT_TRANSPOSED,
     .y = INT32},
    {"transposed on both sides", .rank = 2, .shape = {131, 70}, .x_layout = LAYOUT_TRANSPOSED,
     .y_layout = LAYOUT_TRANSPOSED, .y = UINT8},
    {"every third element", .rank = 2, .shape = {31, 65}, .axis = -1, .x_layout = LAYOUT_EVERY_THIRD,
     .y_layout = LAYOUT_EVERY_THIRD},
    {"every third element to int4", .rank = 2, .shape = {31, 66}, .axis = -1, .x_layout = LAYOUT_EVERY_THIRD,
     .y_layout = LAYOUT_EVERY_THIRD, .y = INT4_BYTES},
    {"a repeated input", .rank = 2, .shape = {31, 66}, .zero_points = ONE, .x_layout = LAYOUT_REPEATED},
};

#define COUNT(table) (sizeof(table) / sizeof *(table))
enum { INPUT_TYPES = 3, TYPE_LINES = INPUT_TYPES * COUNT(outputs) * 2, SPECIAL_LINES = INPUT_TYPES * 2 };

struct probes {
    struct probe x, scales, zero_points, y;
};

static bool create_parameter(struct selftest *test, struct probe *probe, int type, enum count count,
                             const struct quantize_case *c, enum values values)
{
    const int axis = c->axis < 0 ? c->axis + c->rank : c->axis;
    const int64_t shape[] = {count == ONE ? 1 : c->shape[axis]};

    if (!probe_create(test, probe, (enum reference_type)type, 1, 1, shape,
                      random_below(test, 4) ? LAYOUT_DENSE : LAYOUT_EVERY_THIRD))
        return false;
    probe_fill(test, probe, c->special && values == VALUES_SCALES ? VALUES_SPECIAL : values);
    return true;
}

static bool create(struct selftest *test, struct probes *p, const struct quantize_case *c)
{
    int64_t shape[CLQ_MAX_RANK] = {0};

    memcpy(shape, c->shape, sizeof shape);
    if (c->rank > 0)
        shape[c->rank - 1] /= outputs[c->y].lanes;
    if (!probe_create(test, &p->x, c->x, 1, c->rank, c->shape, c->x_layout) ||
        !create_parameter(test, &p->scales, c->scale_type, c->scales, c, VALUES_SCALES) ||
        (c->zero_point_type != NONE && !create_parameter(test, &p->zero_points, c->zero_point_type,
                                                         c->zero_points, c, VALUES_ZERO_POINTS)) ||
        !probe_create(test, &p->y, outputs[c->y].type, outputs[c->y].lanes, c->rank, shape, c->y_layout))
        return false;
    probe_fill(test, &p->x, c->special ? VALUES_SPECIAL : VALUES_X);
    return probe_upload(test, &p->x) && probe_upload(test, &p->scales) && probe_upload(test, &p->y) &&
           (c->zero_point_type == NONE || probe_upload(test, &p->zero_points));
}

static bool compare(struct selftest *test, struct probes *p, const struct quantize_case *c)
{
    const bool has_zero_points = c->zero_point_type != NONE;
    const struct clq_quantize_desc desc = {
        .x = &p->x.device,
        .scales = &p->scales.device,
        .zero_points = has_zero_points ? &p->zero_points.device : NULL,
        .y = &p->y.device,
        .axis = described_axis(c->axis),
        .mode = c->multiply ? CLQ_MULTIPLY : CLQ_DIVIDE,
    };
    const struct reference_quantize_desc right = {
        .x = &p->x.host,
        .scales = &p->scales.host,
        .zero_points = has_zero_points ? &p->zero_points.host : NULL,
        .y = &p->y.host,
        .axis = c->axis,
        .multiply = c->multiply,
    };
    cl_event done = NULL;
    clq_status status = clq_quantize(test->context, test->queue, &desc, 0, NULL, &done);

    if (!selftest_finish(test, "clq_quantize", status, done))
        return false;
    reference_quantize(&right);
    return probe_compare(test, &p->y);
}

static bool run_case(struct selftest *test, const struct quantize_case *c)
{
    struct probes p = {0};
    const bool ok = create(test, &p, c) && compare(test, &p, c);
    char why[sizeof test->problem];

    if (!ok) {
        snprintf(why, sizeof why, "%s", test->problem);
        selftest_fail(test, "%.400s; %s scales, %s zero points", why, reference_types[c->scale_type].name,
                      c->zero_point_type == NONE ? "no" : reference_types[c->zero_point_type].name);
    }
    probes_destroy(test);
    return ok;
}

/* Every type of scales and zero points. Away from the device's own form and arithmetic only per element of
 * the last axis: the rest would be other kernels of the same code, and each takes its time to build. */
static bool run_types(struct selftest *test, size_t line)
{
    struct quantize_case c = {.rank = 3,
                              .shape = {3, 5, 16},
                              .x = (enum reference_type)(line / 2 / COUNT(outputs)),
                              .y = (enum output)(line / 2 % COUNT(outputs)),
                              .multiply = line % 2};

    for (c.scale_type = REFERENCE_F32; c.scale_type <= REFERENCE_BF16; c.scale_type++)
        for (c.zero_point_type = NONE; c.zero_point_type <= REFERENCE_I32; c.zero_point_type++) {
            if (!test->own && c.zero_point_type == NONE)
                continue;
            c.axis = test->own ? random_below(test, 3) : 2;
            c.scales = test->own ? (enum count)random_below(test, 2) : EACH;
            c.zero_points = test->own ? (enum count)random_below(test, 2) : EACH;
            if (!run_case(test, &c))
                return false;
        }
    return true;
}

static bool run_special(struct selftest *test, size_t line)
{
    struct quantize_case c = {.rank = 2,
                              .shape = {SPECIAL_VALUES, SPECIAL_VALUES},
                              .axis = 1,
                              .x = (enum reference_type)(line / 2),
                              .zero_point_type = REFERENCE_F32,
                              .multiply = line % 2,
                              .special = true};

    for (c.y = INT8; c.y <= INT4_NIBBLES; c.y++)
        for (c.scale_type = REFERENCE_F32; c.scale_type <= REFERENCE_BF16; c.scale_type++)
            if ((test->own || (int)c.x == spread_type(outputs[c.y].type, c.multiply)) && !run_case(test, &c))
                return false;
    return true;
}

/* In both modes. Away from the device's own form and arithmetic divided to int8 or multiplied to int4. */
static bool run_layout(struct selftest *test, size_t line)
{
    struct quantize_case c = layouts[line];
    const bool int4 = outputs[c.y].type == REFERENCE_I4;

    c.zero_point_type = REFERENCE_I8;
    if (!test->own && !int4)
        c.y = INT8;
    for (int multiply = 0; multiply < 2; multiply++) {
        c.multiply = multiply;
        c.scale_type = multiply ? REFERENCE_F16 : REFERENCE_F32;
        if (!test->own)
            c.x = (enum reference_type)spread_type(outputs[c.y].type, multiply);
        if ((test->own || int4 == multiply) && !run_case(test, &c))
            return false;
    }
    return true;
}

static bool skip_line(size_t line)
{
    return line < TYPE_LINES &&
           (int)(line / 2 / COUNT(outputs)) != spread_type(outputs[line / 2 % COUNT(outputs)].type, line % 2);
}

static bool name_line(size_t line, char *text, size_t size_bytes)
{
    static const char *const modes[] = {"divide", "multiply"};

    if (line < TYPE_LINES) {
        snprintf(text, size_bytes, "%s to %s, %s, every type of scale and zero point",
                 reference_types[line / 2 / COUNT(outputs)].name, outputs[line / 2 % COUNT(outputs)].name,
                 modes[line % 2]);
        return true;
    }
    line -= TYPE_LINES;
    if (line < SPECIAL_LINES) {
        snprintf(text, size_bytes, "special values of %s, %s", reference_types[line / 2].name,
                 modes[line % 2]);
        return true;
    }
    line -= SPECIAL_LINES;
    if (line < COUNT(layouts))
        snprintf(text, size_bytes, "%s", layouts[line].name);
    return line < COUNT(layouts);
}

static bool run_line(struct selftest *test, size_t line)
{
    if (line < TYPE_LINES)
        return run_types(test, line);
    line -= TYPE_LINES;
    return line < SPECIAL_LINES ? run_special(test, line) : run_layout(test, line - SPECIAL_LINES);
}

const struct selftest_operator selftest_quantize = {"quantize", name_line, run_line, skip_line};

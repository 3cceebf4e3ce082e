/* SPDX-License-Identifier: Apache-2.0 */
/* Strides, offsets and windows: one row for each way of lying in memory. */
#include "quantize_case.h"

#include <string.h>

enum { DENSE = -1 }; /* as the first stride: no strides are given */

/* x is (2, 6, 8) unless a row says otherwise, y the same values in int8. */
struct layout_case {
    const char *name;
    int64_t x_strides[3], y_strides[3];
    int64_t x_before, y_before;
    int64_t scale_stride; /* 0: dense */
    bool repeat_scale;    /* a stride of zero: one scale in memory */
};

static const struct layout_case cases[] = {
    {.name = "dense", .x_strides = {DENSE}, .y_strides = {DENSE}},
    {.name = "x rows padded", .x_strides = {61, 10, 1}, .y_strides = {DENSE}},
    {.name = "y rows padded", .x_strides = {DENSE}, .y_strides = {61, 10, 1}},
    {.name = "both padded alike", .x_strides = {61, 10, 1}, .y_strides = {61, 10, 1}},
    {.name = "both padded, not alike", .x_strides = {61, 10, 1}, .y_strides = {72, 12, 1}},
    {.name = "x transposed", .x_strides = {48, 1, 6}, .y_strides = {DENSE}},
    {.name = "y transposed", .x_strides = {DENSE}, .y_strides = {48, 1, 6}},
    {.name = "both transposed alike", .x_strides = {48, 1, 6}, .y_strides = {48, 1, 6}},
    {.name = "x reversed dimensions", .x_strides = {1, 2, 12}, .y_strides = {DENSE}},
    {.name = "y reversed dimensions", .x_strides = {DENSE}, .y_strides = {1, 2, 12}},
    {.name = "x every second", .x_strides = {96, 16, 2}, .y_strides = {DENSE}},
    {.name = "x every third, y every second", .x_strides = {144, 24, 3}, .y_strides = {96, 16, 2}},
    {.name = "outer dimensions swapped", .x_strides = {8, 16, 1}, .y_strides = {8, 16, 1}},
    {.name = "x outer swapped", .x_strides = {8, 16, 1}, .y_strides = {DENSE}},
    {.name = "x repeats rows", .x_strides = {8, 0, 1}, .y_strides = {DENSE}},
    {.name = "x repeats blocks", .x_strides = {0, 8, 1}, .y_strides = {DENSE}},
    {.name = "x repeats along the row", .x_strides = {6, 1, 0}, .y_strides = {DENSE}},
    {.name = "x is one element", .x_strides = {0, 0, 0}, .y_strides = {DENSE}},
    {.name = "x is one element, y padded", .x_strides = {0, 0, 0}, .y_strides = {80, 10, 1}},
    {.name = "x windows overlap by all but one", .x_strides = {6, 1, 1}, .y_strides = {DENSE}},
    {.name = "x windows overlap by half", .x_strides = {24, 4, 1}, .y_strides = {80, 12, 1}},
    {.name = "x starts 1 element in", .x_strides = {DENSE}, .y_strides = {DENSE}, .x_before = 1},
    {.name = "x starts 7 elements in", .x_strides = {DENSE}, .y_strides = {DENSE}, .x_before = 7},
    {.name = "y starts 1 element in", .x_strides = {DENSE}, .y_strides = {DENSE}, .y_before = 1},
    {.name = "y starts 3 elements in", .x_strides = {DENSE}, .y_strides = {DENSE}, .y_before = 3},
    {.name = "both start odd",
     .x_strides = {61, 10, 1},
     .y_strides = {72, 12, 1},
     .x_before = 5,
     .y_before = 9},
    {.name = "scales every third", .x_strides = {DENSE}, .y_strides = {DENSE}, .scale_stride = 3},
    {.name = "scales repeat", .x_strides = {DENSE}, .y_strides = {DENSE}, .repeat_scale = true},
    {.name = "all of it",
     .x_strides = {61, 10, 1},
     .y_strides = {144, 24, 2},
     .x_before = 3,
     .y_before = 1,
     .scale_stride = 2},
};

static const struct quantize_types types[] = {
    {REFERENCE_F32, REFERENCE_F32, REFERENCE_F32, REFERENCE_I8, 1, false},
    {REFERENCE_F16, REFERENCE_F16, REFERENCE_I8, REFERENCE_U8, 1, true},
    {REFERENCE_BF16, REFERENCE_F32, REFERENCE_I32, REFERENCE_I32, 1, false},
    {REFERENCE_F32, REFERENCE_BF16, REFERENCE_U8, REFERENCE_I4, 2, true},
    {REFERENCE_F16, REFERENCE_F32, REFERENCE_BF16, REFERENCE_I4, 1, false},
    {REFERENCE_BF16, REFERENCE_F16, REFERENCE_F16, REFERENCE_I4, 8, true},
};

/* y's last dimension of int4 in bytes or words is 4 or 1, so that other strides would overlap or leave holes:
 * the row's strides stay right, because they are counted in larger elements. Packed int4 keeps its last
 * stride of 1 and even strides. */
static bool set_strides(struct quantize_case *c, const struct layout_case *row)
{
    const bool packed = reference_shares_bytes(c->y.type, c->y.lanes);

    if (row->x_strides[0] >= 0) {
        c->x.strided = true;
        for (int d = 0; d < 3; d++)
            c->x.strides[d] = row->x_strides[d];
    }
    for (int d = 0; row->y_strides[0] >= 0 && d < 3; d++) {
        if (packed && (d == 2 ? row->y_strides[d] != 1 : row->y_strides[d] % 2 != 0))
            return false;
        c->y.strided = true;
        c->y.strides[d] = row->y_strides[d];
    }
    return true;
}

static void set_parameter(struct layout *parameter, const struct layout_case *row)
{
    if (row->scale_stride || row->repeat_scale) {
        parameter->strided = true;
        parameter->strides[0] = row->scale_stride;
    }
    parameter->before += row->x_before;
}

static void matches_reference(void **state)
{
    const struct layout_case *row = *state;
    static const int64_t sizes[3] = {2, 6, 8};

    for (size_t i = 0; i < COUNT(types); i++) {
        for (int axis = 0; axis < 3; axis++) {
            const struct quantize_shape shape = {3, {2, 6, 8}, axis, sizes[axis], sizes[axis]};
            struct quantize_case c = quantize_case_of(row->name, &types[i], &shape);

            if (!set_strides(&c, row))
                continue;
            if (row->x_before)
                c.x.before = row->x_before;
            if (row->y_before)
                c.y.before = row->y_before;
            set_parameter(&c.scales, row);
            set_parameter(&c.zero_points, row);
            expect_match(&c);
            c.zero_points.shape[0] = 1;
            expect_match(&c);
            c.zero_points.shape[0] = sizes[axis];
            c.scales.shape[0] = 1;
            expect_match(&c);
        }
    }
}

/* Buffers that begin with the first element and end with the last: exactly as large as they must be. */
static void buffers_without_room(void **state)
{
    (void)state;
    for (int64_t n = 8; n <= (harness.small ? 24 : 264); n += 8) {
        for (size_t i = 0; i < COUNT(types); i++) {
            const struct quantize_shape shape = {2, {3, n}, 1, n, n};
            struct quantize_case c = quantize_case_of("exact buffers", &types[i], &shape);

            c.x.before = c.scales.before = c.zero_points.before = c.y.before = 0;
            c.x.behind = c.scales.behind = c.zero_points.behind = c.y.behind = 0;
            expect_match(&c);
        }
    }
}

/* A dimension of one element steps nowhere: its stride may be anything (of packed int4, anything even). */
static void strides_of_single_elements(void **state)
{
    static const int64_t strides[] = {
        0, 2, 8, INT64_C(1) << 31, INT64_C(1) << 40, INT64_C(1) << 61, INT64_MAX - 1};

    (void)state;
    for (size_t k = 0; k < COUNT(strides); k++) {
        for (size_t i = 0; i < COUNT(types); i++) {
            const int64_t last = reference_unit_values(types[i].y, types[i].lanes);
            const struct quantize_shape shape = {3, {1, 3, last}, 1, 3, 1};
            struct quantize_case c = quantize_case_of("size 1, any stride", &types[i], &shape);

            layout_stride(&c.x);
            layout_stride(&c.y);
            layout_stride(&c.zero_points);
            c.x.strides[0] = c.y.strides[0] = c.zero_points.strides[0] = strides[k];
            if (last == 1)
                c.x.strides[2] = strides[k];
            if (!reference_shares_bytes(types[i].y, types[i].lanes))
                c.y.strides[2] = strides[k];
            expect_match(&c);
        }
    }
}

/* Words of int4 apart from each other: the last axis stays two dimensions, and one parameter of each kind is
 * spread over both. */
static void words_apart(void **state)
{
    static const int64_t counts[][2] = {{24, 24}, {24, 1}, {1, 24}, {24, 0}};

    (void)state;
    for (size_t i = 0; i < COUNT(counts) * 2; i++) {
        const struct quantize_types of = {.x = REFERENCE_F32,
                                          .scale = i % 2 ? REFERENCE_F16 : REFERENCE_F32,
                                          .zero = i % 2 ? REFERENCE_I8 : REFERENCE_F32,
                                          .y = REFERENCE_I4,
                                          .lanes = 8};
        const struct quantize_shape shape = {2, {3, 24}, 1, counts[i / 2][0], counts[i / 2][1]};
        struct quantize_case c = quantize_case_of("words apart", &of, &shape);

        layout_stride(&c.y);
        c.y.strides[0] = 11;
        c.y.strides[1] = 3;
        expect_match(&c);
    }
}

/* Rows that lie one behind the other and share their scales: the kernel may take them for one row whose
 * scales begin again, in pieces that end in the middle of a turn. Also such rows with a gap, or every second
 * element, of which only some lie so. */
static void rows_that_share_scales(void **state)
{
    static const int64_t inners[] = {64, 96, 128, 192, 320, 2048, 2112}, rows[] = {2, 7, 33};

    (void)state;
    for (size_t k = 0; k < COUNT(inners) * COUNT(rows) * 4; k++) {
        const int64_t inner = inners[k % COUNT(inners)], count = rows[k / COUNT(inners) % COUNT(rows)];
        const size_t kind = k / COUNT(inners) / COUNT(rows), i = k % COUNT(types);
        const int64_t columns = inner * (kind == 3 ? 1 : reference_unit_values(types[i].y, 1));
        const struct quantize_shape shape = {3,
                                             {3, count, columns},
                                             2,
                                             columns,
                                             kind > 1 ? 0
                                             : k % 2  ? 1
                                                      : columns};
        struct quantize_case c = quantize_case_of("rows share scales", &types[i], &shape);

        if (harness.small && (count > 2 || inner > 128))
            continue;
        c.y.before = kind == 1 ? (int64_t)(k % 5) : 0;
        if (kind > 1)
            layout_stride(&c.x);
        if (kind == 2) /* the outer dimension steps over one row */
            c.x.strides[0] += columns;
        for (int d = 0; kind == 3 && d < 3; d++) /* every second */
            c.x.strides[d] *= 2;
        expect_match(&c);
    }
}

/* Strides that no two dimensions share, so that nothing folds: rank 8 in the kernel's outer loop. */
static void nothing_folds(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(types); i++) {
        const int64_t last = types[i].lanes == 8 ? 8 : 4;
        const struct quantize_shape shape = {8, {2, 2, 2, 2, 2, 2, 3, last}, 4, 2, 2};
        struct quantize_case c = quantize_case_of("nothing folds", &types[i], &shape);
        int64_t x_stride = last + 1, y_stride = c.y.shape[7] + 2;

        layout_stride(&c.x);
        layout_stride(&c.y);
        for (int d = 6; d >= 0; d--) {
            c.x.strides[d] = x_stride;
            c.y.strides[d] = y_stride;
            x_stride = x_stride * c.x.shape[d] + 1;
            y_stride = y_stride * c.y.shape[d] + 2;
        }
        expect_match(&c);
        c.axis = 6;
        c.scales.shape[0] = 3;
        c.zero_points.shape[0] = 3;
        expect_match(&c);
    }
}

/* Tensors that are views of one buffer, side by side; x, scales and zero points may even be the same bytes.
 */
static void tensors_share_a_buffer(void **state)
{
    const struct quantize_shape shape = {2, {4, 12}, 1, 12, 12};
    struct quantize_case c = quantize_case_of("one buffer", &types[0], &shape);
    struct quantize_tensors t;
    DLTensor x, scales, zero_points, y;
    struct clq_quantize_desc desc = {
        .x = &x, .scales = &scales, .zero_points = &zero_points, .y = &y, .axis = 1};
    unsigned char *image;

    (void)state;
    c.scales = c.zero_points = c.x;
    c.scales.rank = c.zero_points.rank = 1;
    c.scales.shape[0] = c.zero_points.shape[0] = 12;
    c.x.behind = 200; /* room for y's 48 bytes right behind x */
    quantize_tensors_init(&t, &c);
    quantize_tensors_fill(&t, &c);
    assert_true(tensor_upload(&t.x, harness.queue));
    x = t.x.dl;
    scales = zero_points = x;
    scales.ndim = zero_points.ndim = 1;
    scales.shape = zero_points.shape = t.scales.dl.shape;
    zero_points.byte_offset += 12 * sizeof(float);
    y = t.y.dl;
    y.data = x.data;
    y.byte_offset = x.byte_offset + 48 * sizeof(float);
    image = t.x.image;
    memcpy(t.scales.image, image, t.scales.size_bytes);
    memcpy(t.zero_points.image + x.byte_offset, image + zero_points.byte_offset, 12 * sizeof(float));
    memcpy(t.y.image, image, t.y.size_bytes);
    quantize_tensors_expect(&t, &c, t.y.image);
    expect_status(clq_quantize(harness.context, harness.queue, &desc, 0, NULL, NULL), CLQ_OK, "one buffer");
    memcpy(image + y.byte_offset, t.y.image + t.y.dl.byte_offset, 48);
    assert_true(tensor_holds(&t.x, harness.queue, image, "the shared buffer"));
    quantize_tensors_clear(&t);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest others[] = {
        cmocka_unit_test(buffers_without_room), cmocka_unit_test(strides_of_single_elements),
        cmocka_unit_test(words_apart),          cmocka_unit_test(rows_that_share_scales),
        cmocka_unit_test(nothing_folds),        cmocka_unit_test(tensors_share_a_buffer),
    };
    struct CMUnitTest tests[COUNT(others) + COUNT(cases)];

    memcpy(tests, others, sizeof(others));
    for (size_t i = 0; i < COUNT(cases); i++)
        tests[COUNT(others) + i] = (struct CMUnitTest){
            .name = cases[i].name, .test_func = matches_reference, .initial_state = (void *)&cases[i]};
    return HARNESS_RUN(argc, argv, "quantize layouts", tests);
}

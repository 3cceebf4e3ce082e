/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic quantization against the reference: every type, kind of row, length of row and layout. */
#include "dynamic_case.h"

#include <math.h>
#include <string.h>

static bool fits(const struct dynamic_types *types, int64_t length)
{
    return length % reference_unit_values(types->y, types->lanes) == 0;
}

static void every_type_and_kind_of_row(void **state)
{
    static const int64_t shapes[][2] = {{3, 24}, {9, 40}, {7, 200}};

    (void)state;
    for (size_t i = 0; i < DYNAMIC_TYPES; i += harness_step(1, 31))
        for (int kind = 0; kind < ROW_KINDS; kind++)
            for (size_t k = 0; k < COUNT(shapes) - (harness.small ? 2 : 0); k++) {
                const struct dynamic_types types = dynamic_types_of(i);
                struct dynamic_case c = dynamic_case_of("types", &types, 2, shapes[k]);

                c.rows = (enum row_kind)kind;
                c.seed += i;
                expect_dynamic(&c);
            }
}

/* Below 4 the scale of a row of the largest values is above 2^126, and its inverse subnormal. */
static void every_type_max_of_the_largest_rows(void **state)
{
    static const float tops[] = {1.0f, 2.25f, 3.0f, 4.0f, 4.5f};
    /* Symmetric: float32 and bfloat16 to int8, bfloat16 to int4, float32 with smooth scales. Each is a kernel of its own. */
    static const size_t numbers[] = {12, 14, 17, 36};

    (void)state;
    for (size_t i = 0; i < COUNT(numbers); i++)
        for (size_t k = 0; k < COUNT(tops); k++) {
            const struct dynamic_types types = dynamic_types_of(numbers[i]);
            struct dynamic_case c = dynamic_case_of("type_max", &types, 2, (int64_t[]){5, 136});

            assert_true(types.symmetric);
            c.rows = ROW_WIDEST;
            c.type_max = tops[k];
            c.seed += i;
            expect_dynamic(&c);
        }
}

/* A smooth scale has one element per element of a row, whatever its shape. */
static void smooth_scales_of_any_shape(void **state)
{
    (void)state;
    for (size_t i = 24; i < DYNAMIC_TYPES; i += harness_step(1, 17)) {
        const struct dynamic_types types = dynamic_types_of(i);
        struct dynamic_case c = dynamic_case_of("smooth scales", &types, 2, (int64_t[]){9, 72});

        c.smooth_scale.rank = 3;
        c.smooth_scale.shape[0] = 2;
        c.smooth_scale.shape[1] = 9;
        c.smooth_scale.shape[2] = 4;
        expect_dynamic(&c);
        layout_stride(&c.smooth_scale);
        c.smooth_scale.strides[0] = 1;
        c.smooth_scale.strides[1] = 3;
        c.smooth_scale.strides[2] = 40;
        expect_dynamic(&c);
    }
}

/* Lengths at which loops are cut, in a few rows and in many. */
static void every_length(void **state)
{
    static const int64_t lengths[] = {1,   2,   3,   4,   5,   6,   7,   8,   9,    14,   15,   16,   17,
                                      18,  23,  24,  31,  32,  33,  34,  40,  48,   56,   62,   63,   64,
                                      65,  66,  72,  96,  120, 126, 127, 128, 129,  130,  136,  248,  254,
                                      255, 256, 257, 258, 264, 510, 512, 520, 1000, 1022, 1024, 1032, 2048};

    (void)state;
    for (size_t k = 0; k < COUNT(lengths) - (harness.small ? 12 : 0); k++)
        for (size_t i = 0; i < (size_t)harness_cases(24, 1); i++) {
            const struct dynamic_types types = dynamic_types_of((i * 29 + k) % DYNAMIC_TYPES);
            const int64_t rows = harness.small ? 1 + (int64_t)i : i % 4 == 0 ? 1 : (int64_t)(i % 7) * 5 + 2;
            struct dynamic_case c = dynamic_case_of("lengths", &types, 2, (int64_t[]){rows, lengths[k]});

            if (!fits(&types, lengths[k]))
                continue;
            c.seed += i;
            c.x.before += (int64_t)(i % 5);
            expect_dynamic(&c);
        }
}

/* Rows longer than a work-group or than what a driver lets a loop run. */
static void long_rows(void **state)
{
    static const int64_t lengths[] = {4096, 4098, 4100, 4104, 8200, 65528, 65536, 65544, 70001};

    (void)state;
    if (harness.small)
        skip();
    for (size_t k = 0; k < COUNT(lengths); k++)
        for (size_t i = 0; i < 6; i++) {
            const struct dynamic_types types = dynamic_types_of((i * 41 + k * 7) % DYNAMIC_TYPES);
            struct dynamic_case c =
                dynamic_case_of("long rows", &types, 2, (int64_t[]){(int64_t)(i % 2) + 1, lengths[k]});

            if (!fits(&types, lengths[k]))
                continue;
            c.rows = (enum row_kind)((i + k) % ROW_KINDS);
            c.seed += i;
            expect_dynamic(&c);
            layout_stride(&c.x);
            c.x.strides[1] = 2;
            c.x.strides[0] = 2 * lengths[k] + 1;
            expect_dynamic(&c);
        }
}

/* Rows that a CPU's work-item does piece by piece, the next one beside the last: tails, and rows of every kind that
 * follow one another; so many that a processor of 16 cores does two of them with one work-item. */
static void long_rows_one_after_another(void **state)
{
    static const int64_t shapes[][2] = {{60, 514},   {60, 520},   {100, 1032},
                                        {100, 1090}, {100, 4104}, {40, 12360}};

    (void)state;
    if (harness.small)
        skip();
    for (size_t k = 0; k < COUNT(shapes); k++)
        for (size_t i = 0; i < (size_t)harness_cases(24, 1); i++) {
            const struct dynamic_types types = dynamic_types_of((i * 31 + k * 5) % DYNAMIC_TYPES);
            struct dynamic_case c = dynamic_case_of("one after another", &types, 2, shapes[k]);

            if (!fits(&types, shapes[k][1]))
                continue;
            c.rows = i % 3 == 0 ? ROW_ORDINARY : ROW_MIXED;
            c.seed += i;
            c.y.before += (int64_t)(i % 3);
            expect_dynamic(&c);
        }
}

/* Rows of which a CPU does some of each strand together: as many as such a block can have, all of them as the kernel expects
 * rows to be or some not, with all values on one side of 0 or on both. */
static void blocks_of_short_rows(void **state)
{
    static const int64_t lengths[] = {64, 128, 192, 256, 320, 384, 448, 512, 768, 1024};

    (void)state;
    if (harness.small)
        skip();
    for (size_t k = 0; k < COUNT(lengths); k++)
        for (size_t i = 0; i < (size_t)harness_cases(12, 1); i++) {
            const enum row_kind kind = (enum row_kind[]){ROW_SIDE, ROW_ORDINARY, ROW_TIES, ROW_MIXED}[i % 4];
            /* The first are asymmetric, without a smooth scale: others do not ask which side of 0 a row is on. */
            const size_t combinations = kind == ROW_SIDE ? 3 * 4 : DYNAMIC_TYPES;
            const struct dynamic_types types = dynamic_types_of((i * 25 + k * 7) % combinations);
            const int64_t rows = 519 - (int64_t)(i % 4) * 133;
            struct dynamic_case c = dynamic_case_of("blocks", &types, 2, (int64_t[]){rows, lengths[k]});

            c.rows = kind;
            c.seed += i * 100 + k;
            c.y.before += (int64_t)(i % 3) * 32;
            expect_dynamic(&c);
        }
}

/* Outputs that a CPU stores past its caches, in whole lines: rows of one step, of more, and of a step and a half, in and
 * out of line, and with a row in the midst that is stored by itself; rows so long that few are done side by side; rows that
 * are not whole lines, shorter than a step of 16 elements, longer, and in pieces. */
static void rows_past_the_caches(void **state)
{
    static const struct {
        enum reference_type x, smooth, y;
        int64_t columns, before;
    } cases[] = {
        {REFERENCE_F16, REFERENCE_I4, REFERENCE_I4, 128, 0},
        {REFERENCE_F16, REFERENCE_I4, REFERENCE_I4, 640, 0},
        {REFERENCE_BF16, REFERENCE_I4, REFERENCE_I4, 1152, 0},
        {REFERENCE_F16, REFERENCE_I4, REFERENCE_I8, 64, 0},
        {REFERENCE_F16, REFERENCE_I4, REFERENCE_I8, 576, 0},
        {REFERENCE_F32, REFERENCE_I4, REFERENCE_I8, 1088, 0},
        {REFERENCE_F16, REFERENCE_I4, REFERENCE_I8, 576, 1},
        {REFERENCE_F16, REFERENCE_F16, REFERENCE_I8, 576, 0},
        {REFERENCE_BF16, REFERENCE_I4, REFERENCE_I4, 256, 0},
        {REFERENCE_F16, REFERENCE_I4, REFERENCE_I8, 40064, 0},
        {REFERENCE_F16, REFERENCE_I4, REFERENCE_I4, 128, 0},
        {REFERENCE_F16, REFERENCE_I4, REFERENCE_I4, 96, 0},
        {REFERENCE_BF16, REFERENCE_I4, REFERENCE_I4, 100, 3},
        {REFERENCE_F32, REFERENCE_I4, REFERENCE_I8, 80, 7},
        {REFERENCE_F16, REFERENCE_F32, REFERENCE_I8, 1003, 0},
        {REFERENCE_F16, REFERENCE_I4, REFERENCE_I4, 14, 1},
        {REFERENCE_F32, REFERENCE_I4, REFERENCE_I8, 130, 62},
        {REFERENCE_F32, REFERENCE_I4, REFERENCE_I8, 8256, 0},
        /* rows that are lines together: all inside, and among others; with smooth scales; out of line */
        {REFERENCE_F16, REFERENCE_I4, REFERENCE_I4, 96, 0},
        {REFERENCE_BF16, REFERENCE_I4, REFERENCE_I8, 48, 0},
        {REFERENCE_F32, REFERENCE_F32, REFERENCE_I8, 112, 0},
        {REFERENCE_F16, REFERENCE_I4, REFERENCE_I8, 240, 64},
        {REFERENCE_F16, REFERENCE_F16, REFERENCE_I4, 16, 0},
    };

    (void)state;
    if (harness.small || harness.share > 1)
        skip();
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct dynamic_types types = {.x = cases[i].x,
                                            .smooth = cases[i].smooth,
                                            .y = cases[i].y,
                                            .lanes = 1,
                                            .symmetric = i % 2 == 1 || i == 10};
        const int64_t units = cases[i].columns / reference_unit_values(cases[i].y, 1);
        const int64_t rows = (INT64_C(9) << 20) / units;
        struct dynamic_case c =
            dynamic_case_of("past the caches", &types, 2, (int64_t[]){rows, cases[i].columns});

        c.rows = i % 2 ? ROW_MIXED : ROW_ORDINARY;
        c.y.before += cases[i].before;
        c.scale.before += (int64_t)i % 4;
        c.offset.before += (int64_t)i * 5 % 16;
        expect_dynamic(&c);
    }
}

/* Scales and offsets that a CPU writes by the line: lines that begin anywhere, of rows of which none or some are quantized
 * by themselves; offsets in other lines than the scales, or in none; rows that follow one another for a while. */
static void words_by_the_line(void **state)
{
    static const int64_t lengths[] = {8, 64, 130, 256, 520, 1032};

    (void)state;
    if (harness.small)
        skip();
    for (size_t k = 0; k < COUNT(lengths); k++)
        for (int64_t i = 0; i < harness_cases(16, 1); i++) {
            const struct dynamic_types types = dynamic_types_of((size_t)(i * 29) % DYNAMIC_TYPES);
            const int64_t inner = 20 + i, outer = (lengths[k] < 150 ? 4000 : 2000000 / lengths[k]) / inner;
            struct dynamic_case c =
                dynamic_case_of("by the line", &types, 3, (int64_t[]){outer, inner, lengths[k]});
            struct dynamic_tensors t;
            bool good;

            if (!fits(&types, lengths[k]))
                continue;
            c.rows = ROW_ORDINARY;
            c.seed += (uint64_t)i;
            c.scale.before += i;
            c.offset.before += i * 5 % 16;
            layout_stride(&c.scale);
            layout_stride(&c.offset);
            c.scale.strides[0] += i % 3 == 1;
            c.offset.strides[0] += i % 4 == 2;
            c.offset.strides[1] += i % 8 == 5;
            c.offset.strides[0] += i % 8 == 5 ? inner : 0;
            dynamic_tensors_init(&t, &c);
            dynamic_tensors_fill(&t, &c);
            for (int64_t row = 5; i % 2 && row < outer * inner; row += 23 + 2 * i)
                tensor_set(&t.x, row * lengths[k] + row % lengths[k], NAN);
            good = dynamic_tensors_match(&t, &c, harness.context, harness.queue);
            dynamic_tensors_clear(&t, &c);
            if (!good)
                fail_msg("rows of %lld, number %lld", (long long)lengths[k], (long long)i);
        }
}

/* More rows than a work-item's loop may count, and than a group can share. */
static void many_rows(void **state)
{
    static const int64_t shapes[][2] = {{70000, 2}, {66000, 8}, {9000, 24}, {1000, 130}, {300, 1024}};

    (void)state;
    if (harness.small)
        skip();
    for (size_t k = 0; k < COUNT(shapes); k++)
        for (size_t i = 0; i < 2; i++) {
            const struct dynamic_types types = dynamic_types_of(k * 13 + i * 17);
            struct dynamic_case c = dynamic_case_of("many rows", &types, 2, shapes[k]);

            if (!fits(&types, shapes[k][1]))
                continue;
            expect_dynamic(&c);
            layout_stride(&c.y);
            layout_stride(&c.scale);
            c.y.strides[0] += 8;
            c.scale.strides[0] = 3;
            expect_dynamic(&c);
        }
}

/* One NaN, or one infinity, or the largest or least of a row, at every position: of rows shorter than a line, of more than
 * one, and of more than a piece. */
static void every_position(void **state)
{
    static const int64_t lengths[] = {24, 264, 520};

    (void)state;
    for (size_t i = 0; i < (harness.small ? 1 : COUNT(lengths)) * DYNAMIC_TYPES; i += harness_step(7, 43))
        for (int kind = 0; kind < 4; kind++) {
            static const double chosen[4] = {NAN, INFINITY, 900.5, -900.5};
            const struct dynamic_types types = dynamic_types_of(i % DYNAMIC_TYPES);
            const int64_t length = lengths[i / DYNAMIC_TYPES];
            struct dynamic_case c = dynamic_case_of("positions", &types, 2, (int64_t[]){length, length});
            struct dynamic_tensors t;
            bool good;

            c.rows = ROW_ORDINARY;
            dynamic_tensors_init(&t, &c);
            dynamic_tensors_fill(&t, &c);
            for (int64_t k = 0; k < length; k++)
                tensor_set(&t.x, k * length + k, chosen[kind]);
            good = dynamic_tensors_match(&t, &c, harness.context, harness.queue);
            dynamic_tensors_clear(&t, &c);
            if (!good)
                fail_msg("%g at every position", chosen[kind]);
        }
}

static void every_rank(void **state)
{
    static const int64_t sizes[CLQ_MAX_RANK] = {2, 3, 1, 2, 3, 2, 2, 16};

    (void)state;
    for (int rank = 1; rank <= CLQ_MAX_RANK; rank++)
        for (size_t i = 0; i < DYNAMIC_TYPES; i += harness_step(5, 31)) {
            const struct dynamic_types types = dynamic_types_of((i + (size_t)rank) % DYNAMIC_TYPES);
            struct dynamic_case c = dynamic_case_of("ranks", &types, rank, sizes + CLQ_MAX_RANK - rank);

            c.seed += i;
            expect_dynamic(&c);
        }
}

/* Every tensor with strides of its own, at odd offsets, repeated dimensions among the inputs'. */
static void any_layout(void **state)
{
    struct random random = random_of(harness.seed);
    const int cases = harness_cases(800, 12);

    (void)state;
    for (int i = 0; i < cases; i++) {
        const struct dynamic_types types = dynamic_types_of((size_t)random_below(&random, DYNAMIC_TYPES));
        const int rank = (int)random_from(&random, 1, 5);
        struct dynamic_case c;
        int64_t shape[5];

        for (int d = 0; d < rank; d++)
            shape[d] = random_from(&random, 1, 6);
        shape[rank - 1] = random_from(&random, 1, 9) * reference_unit_values(types.y, types.lanes);
        if (random_below(&random, 4) == 0)
            shape[rank - 1] *= 16;
        c = dynamic_case_of("layouts", &types, rank, shape);
        c.seed = random_bits(&random);
        dynamic_case_stride(&c, &random);
        expect_dynamic(&c);
    }
}

/* Buffers that begin with the first element and end with the last: exactly as large as they must be. */
static void buffers_without_room(void **state)
{
    (void)state;
    for (int64_t length = 8; length <= (harness.small ? 24 : 264); length += 8)
        for (size_t i = 0; i < DYNAMIC_TYPES; i += harness_step(11, 37)) {
            const struct dynamic_types types = dynamic_types_of((i + (size_t)length) % DYNAMIC_TYPES);
            struct dynamic_case c = dynamic_case_of("exact buffers", &types, 2, (int64_t[]){3, length});

            c.x.before = c.smooth_scale.before = c.y.before = c.scale.before = c.offset.before = 0;
            c.x.behind = c.smooth_scale.behind = c.y.behind = c.scale.behind = c.offset.behind = 0;
            expect_dynamic(&c);
        }
}

/* The views of an int4 output hold the same bytes, and all of them those of the row by itself. */
static void views_hold_the_same_bytes(void **state)
{
    static const int lanes[] = {1, 2, 8};
    unsigned char *first = NULL;
    size_t size = 0;

    (void)state;
    for (size_t i = 0; i < COUNT(lanes); i++) {
        const struct dynamic_types types = {REFERENCE_F16, REFERENCE_I4, REFERENCE_I4, lanes[i], false};
        struct dynamic_case c = dynamic_case_of("views", &types, 2, (int64_t[]){7, 72});
        struct dynamic_tensors t;

        c.y.before = 0;
        dynamic_tensors_init(&t, &c);
        dynamic_tensors_fill(&t, &c);
        assert_true(dynamic_tensors_match(&t, &c, harness.context, harness.queue));
        if (i == 0) {
            size = (size_t)(7 * 36);
            first = test_malloc(size);
            memcpy(first, t.y.image, size);
        }
        assert_memory_equal(first, t.y.image, size);
        dynamic_tensors_clear(&t, &c);
    }
    test_free(first);
}

/* A scale and an offset behind the quants of their row, in one buffer: the same bytes as in three. */
static void scales_behind_their_rows(void **state)
{
    enum { ROWS = 700, LENGTH = 64, RECORD = LENGTH + 8 };
    static float x[ROWS][LENGTH];
    static unsigned char records[ROWS][RECORD], q[ROWS][LENGTH], scales[ROWS][4], offsets[ROWS][4];
    int64_t shape[] = {ROWS, LENGTH}, rows[] = {ROWS}, strides[] = {RECORD, 1}, words[] = {RECORD / 4};
    cl_int code = CL_SUCCESS;
    cl_mem buffers[5];
    const size_t sizes[] = {sizeof x, sizeof records, sizeof q, sizeof scales, sizeof offsets};
    const DLDevice opencl = {kDLOpenCL, 0};
    struct random random = random_of(harness.seed);

    (void)state;
    for (size_t i = 0; i < ROWS * LENGTH; i++)
        x[i / LENGTH][i % LENGTH] = (float)random_unit(&random);
    for (int i = 0; i < 5; i++) {
        buffers[i] =
            clCreateBuffer(clq_context_cl(harness.context), CL_MEM_READ_WRITE, sizes[i], NULL, &code);
        expect_cl(code, "clCreateBuffer");
    }
    expect_cl(clEnqueueWriteBuffer(harness.queue, buffers[0], CL_TRUE, 0, sizeof x, x, 0, NULL, NULL),
              "write");
    for (int apart = 0; apart < 2; apart++) {
        const DLTensor tx = {
            .data = buffers[0], .device = opencl, .ndim = 2, .dtype = CLQ_FLOAT32, .shape = shape};
        const DLTensor ty = {.data = buffers[1 + apart],
                             .device = opencl,
                             .ndim = 2,
                             .dtype = CLQ_INT8,
                             .shape = shape,
                             .strides = apart ? NULL : strides};
        const DLTensor ts = {.data = buffers[apart ? 3 : 1],
                             .device = opencl,
                             .ndim = 1,
                             .dtype = CLQ_FLOAT32,
                             .shape = rows,
                             .strides = apart ? NULL : words,
                             .byte_offset = apart ? 0 : LENGTH};
        DLTensor to = ts;

        to.data = buffers[apart ? 4 : 1];
        to.byte_offset = apart ? 0 : LENGTH + 4;
        expect_status(clq_dynamic_quantize(harness.context, harness.queue,
                                           &(struct clq_dynamic_quantize_desc){
                                               .x = &tx, .y = &ty, .scales = &ts, .offsets = &to},
                                           0, NULL, NULL),
                      CLQ_OK, "clq_dynamic_quantize");
    }
    void *const images[] = {NULL, records, q, scales, offsets};

    for (int i = 1; i < 5; i++)
        expect_cl(
            clEnqueueReadBuffer(harness.queue, buffers[i], CL_TRUE, 0, sizes[i], images[i], 0, NULL, NULL),
            "read");
    for (int r = 0; r < ROWS; r++) {
        assert_memory_equal(records[r], q[r], LENGTH);
        assert_memory_equal(records[r] + LENGTH, scales[r], 4);
        assert_memory_equal(records[r] + LENGTH + 4, offsets[r], 4);
    }
    for (int i = 0; i < 5; i++)
        clReleaseMemObject(buffers[i]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_and_kind_of_row),
        cmocka_unit_test(every_type_max_of_the_largest_rows),
        cmocka_unit_test(every_length),
        cmocka_unit_test(long_rows),
        cmocka_unit_test(long_rows_one_after_another),
        cmocka_unit_test(blocks_of_short_rows),
        cmocka_unit_test(rows_past_the_caches),
        cmocka_unit_test(words_by_the_line),
        cmocka_unit_test(many_rows),
        cmocka_unit_test(every_position),
        cmocka_unit_test(every_rank),
        cmocka_unit_test(any_layout),
        cmocka_unit_test(buffers_without_room),
        cmocka_unit_test(smooth_scales_of_any_shape),
        cmocka_unit_test(views_hold_the_same_bytes),
        cmocka_unit_test(scales_behind_their_rows),
    };

    return HARNESS_RUN(argc, argv, "dynamic_quantize", tests);
}

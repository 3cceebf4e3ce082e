/* SPDX-License-Identifier: Apache-2.0 */
/* There and back: x, quantized and dequantized on the device,
 * is within the bound that docs/numerics.md derives. */
#include "tensor.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 96, COLUMNS = 130, COUNT_X = ROWS * COLUMNS };
static const double u = 0x1p-24;

/* What rounding w to the type leaves off is at most least_half, or share of |w| where that is more:
 * of integers a half. */
struct format {
    const char *name;
    enum reference_type type;
    double lowest, highest, least_half, share;
};
static const struct format formats[] = {{"int8", REFERENCE_I8, -128, 127, 0.5, 0},
                                        {"uint8", REFERENCE_U8, 0, 255, 0.5, 0},
                                        {"int4", REFERENCE_I4, -8, 7, 0.5, 0},
                                        {"uint4", REFERENCE_U4, 0, 15, 0.5, 0},
                                        {"int32", REFERENCE_I32, -2147483648.0, 2147483520.0, 0.5, 0},
                                        {"float8_e4m3fn", REFERENCE_E4M3, -448, 448, 0x1p-10, 0x1p-4},
                                        {"float8_e5m2", REFERENCE_E5M2, -57344, 57344, 0x1p-17, 0x1p-3}};

static double left_off(const struct format *f, double w)
{
    return fmax(f->least_half, f->share * fabs(w));
}

static const struct format *format_of(enum reference_type type)
{
    const struct format *f = formats;

    while (f->type != type)
        f++;
    return f;
}

/* Device memory as a dense tensor; released with everything at the end of a test. */
static cl_mem held[32];
static size_t num_held;
static DLTensor dense(clq_context *context, DLDataType dtype, int ndim, int64_t *shape, const void *bytes,
                      size_t size_bytes)
{
    cl_int code = CL_SUCCESS;
    const cl_mem mem =
        clCreateBuffer(clq_context_cl(context), CL_MEM_READ_WRITE | (bytes ? CL_MEM_COPY_HOST_PTR : 0),
                       size_bytes, (void *)bytes, &code);

    expect_cl(code, "clCreateBuffer");
    assert_true(num_held < COUNT(held));
    held[num_held++] = mem;
    return (DLTensor){.data = mem, .device = {kDLOpenCL, 0}, .ndim = ndim, .dtype = dtype, .shape = shape};
}

static int release(void **state)
{
    (void)state;
    while (num_held > 0)
        clReleaseMemObject(held[--num_held]);
    return 0;
}

static void read_back(const DLTensor *tensor, void *bytes, size_t size_bytes)
{
    expect_cl(clEnqueueReadBuffer(harness.queue, tensor->data, CL_TRUE, 0, size_bytes, bytes, 0, NULL, NULL),
              "clEnqueueReadBuffer");
}

static double sign(struct random *random)
{
    return random_bits(random) & 1 ? -1 : 1;
}

/* Bytes of y as floats, and what their type may have rounded off. */
static float y_of(const unsigned char *bytes, enum reference_type type, size_t i, double *rounded)
{
    const int64_t at = (int64_t)i;
    const struct reference_tensor y = {
        .type = type, .rank = 1, .strides = {1}, .shape = {COUNT_X}, .data = (void *)bytes};
    const float wide = reference_load(&y, &at);

    if (type == REFERENCE_F16)
        *rounded = fmax(fabs((double)wide) * 0x1p-11, 0x1p-25);
    else
        *rounded = type == REFERENCE_BF16 ? fabs((double)wide) * 0x1p-8 : 0;
    return wide;
}

static const enum reference_type y_types[] = {FLOAT_TYPES};

/* x about (w - zero point) * step for a w inside of the range: anywhere, or at a half. */
static void static_round_trip(const struct format *f, bool multiply, bool has_zero,
                              enum reference_type y_type)
{
    static float x[COUNT_X], scale[COLUMNS], zero[COLUMNS];
    static unsigned char y[COUNT_X * 4];
    int64_t shape[2] = {ROWS, COLUMNS}, columns[1] = {COLUMNS};
    struct random random = random_of(harness.seed + (uint64_t)multiply + 2 * has_zero);
    const size_t y_bytes = COUNT_X * type_bytes(y_type);
    const bool wide = y_type != REFERENCE_F16; /* scales that float16 has no results for */

    for (int c = 0; c < COLUMNS; c++) {
        const int most = f->type == REFERENCE_I32 ? -20 : 0;
        const int exponent = (int)random_from(&random, wide ? -90 : most - 12, most);

        scale[c] = (float)(sign(&random) * ldexp(1 + random_unit(&random), multiply ? -exponent : exponent));
        zero[c] = has_zero ? (float)((random_unit(&random) * 2 - 1) * (c % 3 == 0 ? 1000 : 9)) : 0;
    }
    for (int i = 0; i < COUNT_X; i++) {
        const double s = (double)scale[i % COLUMNS], z = (double)zero[i % COLUMNS];
        const double any = f->lowest + random_unit(&random) * (f->highest - f->lowest);
        const double near =
            floor(fmin(fmax(sign(&random) * 40 * random_unit(&random), f->lowest), f->highest - 1));
        const double w = i % 3 == 0 ? near + 0.5 : i % 3 == 1 ? any : near;

        x[i] = (float)(multiply ? (w - z) / s : (w - z) * s);
    }
    const DLTensor tx = dense(harness.context, CLQ_FLOAT32, 2, shape, x, sizeof(x)),
                   ts = dense(harness.context, CLQ_FLOAT32, 1, columns, scale, sizeof(scale)),
                   tz = dense(harness.context, CLQ_FLOAT32, 1, columns, zero, sizeof(zero)),
                   tq = dense(harness.context, dtype_of(f->type, 1), 2, shape, NULL, COUNT_X * 4),
                   ty = dense(harness.context, dtype_of(y_type, 1), 2, shape, NULL, y_bytes);
    const struct clq_quantize_desc there = {
        .x = &tx, .scales = &ts, .zero_points = has_zero ? &tz : NULL, .y = &tq, .axis = 1, .mode = multiply};
    const struct clq_dequantize_desc back = {
        .q = &tq, .scales = &ts, .zero_points = has_zero ? &tz : NULL, .y = &ty, .axis = 1, .mode = multiply};

    expect_status(clq_quantize(harness.context, harness.queue, &there, 0, NULL, NULL), CLQ_OK, "there");
    expect_status(clq_dequantize(harness.context, harness.queue, &back, 0, NULL, NULL), CLQ_OK, "back");
    read_back(&ty, y, y_bytes);
    for (size_t i = 0; i < COUNT_X; i++) {
        const double s = (double)scale[i % COLUMNS], z = (double)zero[i % COLUMNS];
        const double step = fabs(multiply ? 1 / s : s), w = (double)x[i] / (multiply ? 1 / s : s) + z;
        double rounded, bound;
        const float got = y_of(y, y_type, i, &rounded);

        bound = step * (left_off(f, w) * (1 + 2 * u) + (2 * fabs(w) + 3) * u) + 3 * u * fabs((double)x[i]) +
                rounded;
        if (w < f->lowest - 0.4999 || w > f->highest + 0.4999)
            continue;
        if (!(fabs((double)got - (double)x[i]) <= bound * (1 + 0x1p-20)))
            fail_msg("%s %s: %a came back as %a, further than %a: scale %a, zero point %a", f->name,
                     multiply ? "multiply" : "divide", (double)x[i], (double)got, bound, s, z);
    }
    release(NULL);
}

TEST_BETWEEN(within_the_bound, NULL, release)
{
    for (size_t f = 0; f < COUNT(formats); f++)
        for (int multiply = 0; multiply < 2; multiply++)
            for (int has_zero = 0; has_zero < 2; has_zero++)
                for (size_t y = 0; y < COUNT(y_types); y++)
                    static_round_trip(&formats[f], multiply, has_zero, y_types[y]);
}

/* Rows of every kind: even, far from 0, of tiny range, of one value, with one large element, of halves. */
static void fill_rows(float *x, struct random *random, bool small)
{
    for (int r = 0; r < ROWS; r++) {
        const double size = ldexp(1, (int)random_from(random, small ? -10 : -60, small ? 10 : 60));
        const double centre =
            r % 6 == 1 ? sign(random) * size * ldexp(1, (int)random_from(random, 0, 23)) : 0;

        for (int c = 0; c < COLUMNS; c++) {
            double value = centre + size * (random_unit(random) * 2 - 1);

            if (r % 6 == 2)
                value = centre + size * 1e-12 * random_unit(random);
            else if (r % 6 == 3)
                value = size;
            else if (r % 6 == 4)
                value = c == 7 ? size * 1000 : value;
            else if (r % 6 == 5)
                value = size * (double)random_from(random, -15, 15) / 2;
            x[r * COLUMNS + c] = (float)value;
        }
    }
}

static float found_at(const unsigned char *bytes, enum reference_type type, int64_t i)
{
    const struct reference_tensor found = {
        .type = type, .rank = 1, .strides = {1}, .shape = {i + 1}, .data = (void *)bytes};

    return reference_load(&found, &i);
}

/* What scales and offsets of 16 bits may lead out of the range by: of a row's end, in units of y. */
static double moved_end(enum reference_type found, double s, double offset, double steps)
{
    const double share = found == REFERENCE_F16 ? 0x1p-11 : found == REFERENCE_BF16 ? 0x1p-8 : 0;
    const double least = found == REFERENCE_F16 ? 0x1p-25 : 0;

    return fmax(share * fabs(offset), least) + steps * fmax(share * s, least) / s;
}

/* Rows of 130, or blocks of them, of which the last one has two. */
static void dynamic_round_trip(enum reference_type type, bool symmetric, enum reference_type y_type,
                               enum reference_type found, uint32_t block)
{
    enum { MOST_FOUND = ROWS * 5 };
    static float x[COUNT_X];
    static unsigned char y[COUNT_X * 4], scale[MOST_FOUND * 4], offset[MOST_FOUND * 4];
    const int64_t of_row = block > 0 ? (COLUMNS + block - 1) / block : 1;
    int64_t shape[2] = {ROWS, COLUMNS}, found_shape[2] = {ROWS, of_row};
    const int found_rank = block > 0 ? 2 : 1;
    const struct format *f = format_of(type);
    const double levels = (double)reference_types[type].minmax_steps;
    const size_t y_bytes = COUNT_X * type_bytes(y_type);
    struct random random = random_of(harness.seed + type + 9 * symmetric);

    fill_rows(x, &random, y_type == REFERENCE_F16 || found == REFERENCE_F16);
    const DLTensor tx = dense(harness.context, CLQ_FLOAT32, 2, shape, x, sizeof(x)),
                   ts = dense(harness.context, dtype_of(found, 1), found_rank, found_shape, NULL,
                              sizeof(scale)),
                   to = dense(harness.context, dtype_of(found, 1), found_rank, found_shape, NULL,
                              sizeof(scale)),
                   tq = dense(harness.context, dtype_of(type, 1), 2, shape, NULL, COUNT_X),
                   ty = dense(harness.context, dtype_of(y_type, 1), 2, shape, NULL, y_bytes);
    const struct clq_dynamic_quantize_desc there = {.x = &tx,
                                                    .y = &tq,
                                                    .scales = &ts,
                                                    .offsets = symmetric ? NULL : &to,
                                                    .symmetric = symmetric,
                                                    .block = block};
    const struct clq_dequantize_desc back = {.q = &tq,
                                             .scales = &ts,
                                             .offsets = symmetric ? NULL : &to,
                                             .y = &ty,
                                             .mode = CLQ_DEQUANTIZE_DYNAMIC,
                                             .block = block};

    expect_status(clq_dynamic_quantize(harness.context, harness.queue, &there, 0, NULL, NULL), CLQ_OK,
                  "there");
    expect_status(clq_dequantize(harness.context, harness.queue, &back, 0, NULL, NULL), CLQ_OK, "back");
    read_back(&ty, y, y_bytes);
    read_back(&ts, scale, sizeof(scale));
    read_back(&to, offset, sizeof(offset));
    for (size_t r = 0; r < ROWS; r++) {
        double most = 0;

        for (size_t c = 0; c < COLUMNS; c++)
            most = fmax(most, fabs((double)x[r * COLUMNS + c]));
        for (size_t i = r * COLUMNS; i < (r + 1) * COLUMNS; i++) {
            const int64_t at = (int64_t)r * of_row + (block > 0 ? (int64_t)(i % COLUMNS) / block : 0);
            const double s = (double)found_at(scale, found, at),
                         o = symmetric ? 0 : (double)found_at(offset, found, at);
            double rounded, bound;
            const float got = y_of(y, y_type, i, &rounded);

            if (isinf(s)) /* of float16, which rows of large values leave */
                continue;
            bound = symmetric ? s * left_off(f, (double)x[i] / s) * (1 + 4 * u) + 3 * u * fabs((double)x[i])
                              : s * (0.5 + 4 * levels * u) + 8 * u * most;
            if (found != REFERENCE_F32)
                bound += s * moved_end(found, s, o, symmetric ? f->highest : levels);
            if (!(fabs((double)got - (double)x[i]) <= (bound + rounded) * (1 + 0x1p-20)))
                fail_msg("%s%s: %a came back as %a, further than %a: scale %a, largest %a",
                         symmetric ? "symmetric " : "", type_name(type), (double)x[i], (double)got, bound, s,
                         most);
        }
    }
    release(NULL);
}

static void round_trips_of(bool symmetric, enum reference_type y_type, enum reference_type found,
                           uint32_t block)
{
    dynamic_round_trip(REFERENCE_I4, symmetric, y_type, found, block);
    dynamic_round_trip(REFERENCE_I8, symmetric, y_type, found, block);
    if (!symmetric)
        return;
    dynamic_round_trip(REFERENCE_E4M3, symmetric, y_type, found, block);
    dynamic_round_trip(REFERENCE_E5M2, symmetric, y_type, found, block);
}

TEST_BETWEEN(rows_within_the_bound, NULL, release)
{
    for (int symmetric = 0; symmetric < 2; symmetric++)
        for (size_t y = 0; y < COUNT(y_types); y++) {
            round_trips_of(symmetric, y_types[y], REFERENCE_F32, 0);
            round_trips_of(symmetric, y_types[y], REFERENCE_F16, 32);
            round_trips_of(symmetric, y_types[y], REFERENCE_BF16, 0);
        }
}

/* The Euclidean norm of each block, since turning back mixes the errors of a block's elements. */
static void rotated_round_trip(enum reference_type type, bool symmetric, uint32_t r)
{
    enum { HEAD = 128 };
    static float x[ROWS * HEAD], y[ROWS * HEAD], scale[ROWS];
    int64_t shape[2] = {ROWS, HEAD}, rows[1] = {ROWS};
    const double levels = (double)reference_types[type].minmax_steps, steps = log2(r);
    struct random random = random_of(harness.seed + type + 9 * symmetric + r);

    for (size_t i = 0; i < COUNT(x); i++) {
        const size_t row = i / HEAD;
        const double size = ldexp(1, (int)(row * 7 % 41) - 20), value = random_unit(&random) * 2 - 1;

        x[i] = (float)(size * (row % 4 == 1   ? 1000 + value
                               : row % 4 == 2 ? i % HEAD == 7 ? 500 : value
                               : row % 4 == 3 ? floor(8 * value) / 2
                                              : value));
    }
    const DLTensor tx = dense(harness.context, CLQ_FLOAT32, 2, shape, x, sizeof(x)),
                   ts = dense(harness.context, CLQ_FLOAT32, 1, rows, NULL, sizeof(scale)),
                   to = dense(harness.context, CLQ_FLOAT32, 1, rows, NULL, sizeof(scale)),
                   tq = dense(harness.context, dtype_of(type, 1), 2, shape, NULL, sizeof(x)),
                   ty = dense(harness.context, CLQ_FLOAT32, 2, shape, NULL, sizeof(y));
    const struct clq_dynamic_quantize_desc there = {.x = &tx,
                                                    .y = &tq,
                                                    .scales = &ts,
                                                    .offsets = symmetric ? NULL : &to,
                                                    .symmetric = symmetric,
                                                    .rotate = r};
    const struct clq_dequantize_desc back = {.q = &tq,
                                             .scales = &ts,
                                             .offsets = symmetric ? NULL : &to,
                                             .y = &ty,
                                             .mode = CLQ_DEQUANTIZE_DYNAMIC,
                                             .rotate = r};

    expect_status(clq_dynamic_quantize(harness.context, harness.queue, &there, 0, NULL, NULL), CLQ_OK,
                  "there");
    expect_status(clq_dequantize(harness.context, harness.queue, &back, 0, NULL, NULL), CLQ_OK, "back");
    read_back(&ty, y, sizeof(y));
    read_back(&ts, scale, sizeof(scale));
    for (size_t row = 0; row < ROWS; row++) {
        const double s = (double)scale[row];
        double most = 0; /* of the turned row: no value is above a block's norm */

        for (size_t block = row * HEAD; block < (row + 1) * HEAD; block += r) {
            double norm = 0;

            for (size_t i = block; i < block + r; i++)
                norm += (double)x[i] * (double)x[i];
            most = fmax(most, sqrt(norm));
        }
        for (size_t block = row * HEAD; block < (row + 1) * HEAD; block += r) {
            const double b =
                symmetric ? s * (0.5 + u) + 3 * u * most : s * (0.5 + 4 * levels * u) + 8 * u * most;
            double norm = 0, error = 0, bound;

            for (size_t i = block; i < block + r; i++) {
                const double off = (double)y[i] - (double)x[i];

                norm += (double)x[i] * (double)x[i];
                error += off * off;
            }
            bound = sqrt(r) * b + (2 * steps + 4) * u * sqrt(norm);
            if (!(sqrt(error) <= bound * (1 + 0x1p-18)))
                fail_msg("%s%s rotated by %u: a block of row %zu came back %a off, more than %a",
                         symmetric ? "symmetric " : "", type_name(type), r, row, sqrt(error), bound);
        }
    }
    release(NULL);
}

TEST_BETWEEN(rotated_rows_within_the_bound, NULL, release)
{
    for (uint32_t r = 2; r <= 128; r *= 2)
        for (int symmetric = 0; symmetric < 2; symmetric++) {
            rotated_round_trip(REFERENCE_I4, symmetric, r);
            rotated_round_trip(REFERENCE_I8, symmetric, r);
        }
}

/* Scales that were found keep every value of a row in the range: as a real number w it is a quotient that is
 * at most 255 u off, and a sum below 256, rounded by 2^-17,
 * so that what is stored is half a unit away at most, and 2^-15. */
static void found_scales(enum reference_type type, uint32_t method, uint32_t mode)
{
    static float x[COUNT_X], scale[ROWS], zero[ROWS];
    static unsigned char q[COUNT_X];
    int64_t shape[2] = {ROWS, COLUMNS}, rows[1] = {ROWS};
    const struct format *f = format_of(type);
    struct random random = random_of(harness.seed + type + 9 * method);

    fill_rows(x, &random, false);
    const DLTensor tx = dense(harness.context, CLQ_FLOAT32, 2, shape, x, sizeof(x)),
                   ts = dense(harness.context, CLQ_FLOAT32, 1, rows, NULL, sizeof(scale)),
                   tz = dense(harness.context, CLQ_FLOAT32, 1, rows, NULL, sizeof(zero)),
                   tq = dense(harness.context, dtype_of(type, 1), 2, shape, NULL, sizeof(q));
    const struct clq_find_scales_desc find = {.x = &tx,
                                              .scales = &ts,
                                              .zero_points = &tz,
                                              .axis = CLQ_AXIS_FIRST,
                                              .method = method,
                                              .mode = mode,
                                              .dtype = dtype_of(type, 1)};
    const struct clq_quantize_desc there = {
        .x = &tx, .scales = &ts, .zero_points = &tz, .y = &tq, .axis = CLQ_AXIS_FIRST, .mode = mode};

    expect_status(clq_find_scales(harness.context, harness.queue, &find, 0, NULL, NULL), CLQ_OK, "found");
    expect_status(clq_quantize(harness.context, harness.queue, &there, 0, NULL, NULL), CLQ_OK, "there");
    read_back(&ts, scale, sizeof(scale));
    read_back(&tz, zero, sizeof(zero));
    read_back(&tq, q, sizeof(q));
    for (size_t i = 0; i < COUNT_X; i++) {
        const double s = (double)scale[i / COLUMNS], z = (double)zero[i / COLUMNS];
        const double w = (mode == CLQ_MULTIPLY ? (double)x[i] * s : (double)x[i] / s) + z;
        double rounded;
        const float got = y_of(q, type, i, &rounded);

        assert_true(isfinite(s) && s > 0 && z >= f->lowest && z <= f->highest);
        if (!(fabs(w - (double)got) <= 0.5 + 0x1p-15))
            fail_msg("%s, method %u: %a is %g, and was stored as %g", f->name, method, (double)x[i], w,
                     (double)got);
    }
    release(NULL);
}

TEST_BETWEEN(found_scales_keep_the_range, NULL, release)
{
    static const enum reference_type types[] = {REFERENCE_I8, REFERENCE_U8, REFERENCE_I4, REFERENCE_U4};

    for (size_t i = 0; i < COUNT(types); i++)
        for (uint32_t method = 0; method < 2; method++)
            for (uint32_t mode = 0; mode < 2; mode++)
                found_scales(types[i], method, mode);
}

HARNESS_MAIN("round_trip")

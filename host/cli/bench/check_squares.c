/* SPDX-License-Identifier: Apache-2.0 */
/* Results of blocks along two axes against the plain reference: all rows of some rows of blocks. */
#include "check.h"

#include "data.h"

#include <dequantize.h>
#include <dynamic.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 4 };

/* A row of blocks as it was read, as the device has it, and as it must be. */
struct band {
    int64_t first, rows;
    uint8_t *x, *found, *expected;
    float *scales, *found_scales;
};

static struct reference_tensor tensor_of(const struct call *c, enum reference_type type, int64_t rows,
                                         void *bytes)
{
    const int64_t shape[] = {rows, c->row.columns};

    return reference_dense(type, 1, 2, shape, bytes);
}

static void expect(const struct call *c, struct band *band)
{
    const int64_t found_shape[] = {1, row_squares(&c->row)};
    const struct reference_tensor x = tensor_of(c, c->row.src, band->rows, band->x),
                                  y = tensor_of(c, c->row.dst, band->rows, band->expected),
                                  scales = reference_dense(REFERENCE_F32, 1, 2, found_shape, band->scales);

    for (int64_t i = 0; i < found_shape[1]; i++)
        band->scales[i] = call_row_scale;
    if (c->row.operation == DEQUANTIZE)
        reference_dequantize(&(struct reference_dequantize_desc){.q = &x,
                                                                 .scale = &scales,
                                                                 .y = &y,
                                                                 .axis = 1,
                                                                 .block = ROW_SQUARE,
                                                                 .block_before = ROW_SQUARE,
                                                                 .mode = REFERENCE_UNDO_DIVIDE});
    else if (c->row.operation == DYNAMIC_QUANTIZE)
        reference_dynamic_quantize(&(struct reference_dynamic_quantize_desc){.x = &x,
                                                                             .y = &y,
                                                                             .scale = &scales,
                                                                             .symmetric = true,
                                                                             .axis = 1,
                                                                             .block = ROW_SQUARE,
                                                                             .block_before = ROW_SQUARE});
    else
        reference_quantize(&(struct reference_quantize_desc){
            .x = &x, .scales = &scales, .y = &y, .axis = 1, .block = ROW_SQUARE, .block_before = ROW_SQUARE});
}

static bool check_band(struct bench *bench, const struct call *c, struct band *band)
{
    const size_t x_row = row_type_bytes(c->row.src, c->row.columns),
                 y_row = row_type_bytes(c->row.dst, c->row.columns),
                 scales_bytes = (size_t)row_squares(&c->row) * sizeof(float),
                 number = (size_t)(band->first / ROW_SQUARE);

    if (!data_read(bench, bench->x, c->x.byte_offset + (size_t)band->first * x_row, band->x,
                   (size_t)band->rows * x_row) ||
        !data_read(bench, bench->y, c->y.byte_offset + (size_t)band->first * y_row, band->found,
                   (size_t)band->rows * y_row))
        return false;
    expect(c, band);
    for (int64_t row = 0; row < band->rows; row++)
        if (memcmp(band->found + (size_t)row * y_row, band->expected + (size_t)row * y_row, y_row) != 0)
            return call_is_wrong(bench, c, band->first + row, "a byte");
    if (c->row.operation != DYNAMIC_QUANTIZE)
        return true;
    return data_read(bench, bench->y, c->scale_at + number * scales_bytes, band->found_scales,
                     scales_bytes) &&
           (memcmp(band->found_scales, band->scales, scales_bytes) == 0 ||
            call_is_wrong(bench, c, band->first, "the scale"));
}

bool call_check_squares(struct bench *bench, const struct call *c)
{
    const int64_t bands = (c->rows + ROW_SQUARE - 1) / ROW_SQUARE, count = bands < SAMPLES ? bands : SAMPLES;
    const size_t x_bytes = ROW_SQUARE * row_type_bytes(c->row.src, c->row.columns),
                 y_bytes = ROW_SQUARE * row_type_bytes(c->row.dst, c->row.columns),
                 squares = (size_t)row_squares(&c->row);
    struct band band = {.x = malloc(x_bytes + 2 * y_bytes), .scales = malloc(2 * squares * sizeof(float))};
    bool right = (band.x && band.scales) ||
                 fail(&bench->failure, STATUS_SYSTEM, "bench: no memory for %d rows", ROW_SQUARE);

    for (int64_t i = 0; i < count && right; i++) {
        band.first = (count > 1 ? i * (bands - 1) / (count - 1) : 0) * ROW_SQUARE;
        band.rows = c->rows - band.first < ROW_SQUARE ? c->rows - band.first : ROW_SQUARE;
        band.found = band.x + x_bytes;
        band.expected = band.found + y_bytes;
        band.found_scales = band.scales + squares;
        right = check_band(bench, c, &band);
    }
    free(band.scales);
    free(band.x);
    return right;
}

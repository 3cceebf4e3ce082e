/* SPDX-License-Identifier: Apache-2.0 */
/* Results against the plain reference, on a sample of rows. */
#include "check.h"

#include "data.h"

#include <dequantize.h>
#include <dynamic.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 64, READ_ROWS = 64, MOST_FOUND = 64 };

bool call_is_wrong(struct bench *bench, const struct call *c, int64_t row, const char *what)
{
    char label[256];

    row_label(&c->row, label, sizeof label);
    return fail(&bench->failure, STATUS_SYSTEM,
                "bench: %s: %s of row %" PRId64 " is wrong on the device; see clquant selftest", label, what,
                row);
}

static int64_t place_of(const struct call *c, const struct places *places, size_t of_call, int64_t row)
{
    const int64_t heads = call_position_rows(c), entry_rows = places->update_length * heads;
    int64_t batch, start;

    places_entry(places, of_call, row / entry_rows, &batch, &start);
    return (batch * places->length + start) * heads + row % entry_rows;
}

int64_t call_place(const struct call *c, size_t of_call, int64_t row)
{
    return c->row.placement == DENSE ? row : place_of(c, &c->places, of_call, row);
}

/* The same of the tensor that it comes from. */
static int64_t source_of(const struct call *c, size_t of_call, int64_t row)
{
    return c->row.operation == DEQUANTIZE ? call_place(c, of_call, row)
           : row_in_place(&c->row)        ? place_of(c, &c->from, of_call, row)
                                          : row;
}

/* The scales of one row: of one element, or one for each column. */
static struct reference_tensor scales_of_row(struct bench *bench, const struct call *c, int64_t row)
{
    const int64_t columns = c->row.columns, one = 1;
    int64_t group = 0;

    switch (c->row.layout) {
    case PER_TENSOR:
        return reference_dense(REFERENCE_F32, 1, 1, &one, bench->scale_values);
    case PER_OTHER_AXIS:
        return reference_dense(REFERENCE_F32, 1, 1, &one, bench->scale_values + row % c->scales_shape[0]);
    case PER_GROUP:
        while (c->group_ends[group] <= row)
            group++;
        return reference_dense(REFERENCE_F32, 1, 1, &columns, bench->scale_values + group * columns);
    default:
        return reference_dense(REFERENCE_F32, 1, 1, &columns, bench->scale_values);
    }
}

/* A row as it was read, as the device has it, and as it must be. */
struct sample {
    uint8_t *x, *found, *expected;
    size_t x_bytes, y_bytes;
    float scales[MOST_FOUND], offsets[MOST_FOUND]; /* as they must be, of any type */
};

static struct reference_tensor row_of(enum reference_type type, int64_t columns, void *bytes)
{
    const int64_t values = row_type_values(type), shape[] = {1, columns / values};

    return reference_dense(type, (int)values, 2, shape, bytes);
}

/* Every scale of the rows of a dequantize is the same. */
static void expect(struct bench *bench, const struct call *c, int64_t row, struct sample *sample)
{
    const int64_t found_shape[] = {1, row_scales(&c->row)};
    const enum reference_type found = row_scale_type(&c->row);
    const int found_rank = c->row.block > 0 ? 2 : 1;
    const struct reference_tensor x = row_of(c->row.src, c->row.columns, sample->x);
    const struct reference_tensor y = row_of(c->row.dst, c->row.columns, sample->expected);
    const bool blocks = c->row.layout == IN_BLOCKS, of_rows = c->row.layout == PER_ROW || blocks;
    const struct reference_tensor scale =
        of_rows ? reference_dense(found, 1, found_rank, found_shape, sample->scales)
                : scales_of_row(bench, c, row);
    const struct reference_tensor offset =
        reference_dense(found, 1, found_rank, found_shape, sample->offsets);

    memset(sample->expected, 0, sample->y_bytes);
    if (c->row.operation == MOVE_ROWS) {
        memcpy(sample->expected, sample->x, sample->y_bytes);
    } else if (c->row.operation == DEQUANTIZE) {
        if (found == F32)
            sample->scales[0] = call_row_scale;
        else
            memset(sample->scales, call_row_scale_code, row_scales_bytes(&c->row));
        reference_dequantize(&(struct reference_dequantize_desc){.q = &x,
                                                                 .scale = blocks ? NULL : &scale,
                                                                 .y = &y,
                                                                 .axis = 1,
                                                                 .mode = of_rows ? REFERENCE_UNDO_DYNAMIC
                                                                                 : REFERENCE_UNDO_DIVIDE,
                                                                 .block = c->row.block,
                                                                 .rotate = c->row.rotate});
    } else if (of_rows) {
        reference_dynamic_quantize(
            &(struct reference_dynamic_quantize_desc){.x = &x,
                                                      .axis = -1,
                                                      .y = &y,
                                                      .scale = blocks ? NULL : &scale,
                                                      .offset = c->row.mode == ASYMMETRIC ? &offset : NULL,
                                                      .symmetric = c->row.mode != ASYMMETRIC,
                                                      .rule = (int)row_rule(&c->row),
                                                      .block = c->row.block,
                                                      .rotate = c->row.rotate});
    } else {
        reference_quantize(&(struct reference_quantize_desc){.x = &x,
                                                             .scales = &scale,
                                                             .y = &y,
                                                             .axis = 1,
                                                             .multiply = c->row.mode == MULTIPLY,
                                                             .round_first = c->row.round_first});
    }
}

/* What stands at this row of what begins at `at` in y. */
static bool check_found(struct bench *bench, const struct call *c, size_t at, int64_t row,
                        const float *expected, const char *what)
{
    const size_t bytes = row_scales_bytes(&c->row);
    float found[MOST_FOUND];

    return data_read(bench, bench->y, at + (size_t)row * bytes, found, bytes) &&
           (memcmp(found, expected, bytes) == 0 || call_is_wrong(bench, c, row, what));
}

static bool check_row(struct bench *bench, const struct call *c, int64_t row, struct sample *sample)
{
    const bool back = c->row.operation == DEQUANTIZE, words = c->row.layout == PER_ROW && !back;
    const int64_t place = call_place(c, c->next - 1, row);
    const int64_t x_row = source_of(c, c->next - 1, row), y_row = back ? row : place,
                  columns = c->row.columns;
    const int64_t stride = c->row.layout == STRIDED ? 2 * columns : columns;

    if (!data_read(bench, bench->x, c->x.byte_offset + row_type_bytes(c->row.src, x_row * stride), sample->x,
                   sample->x_bytes) ||
        !data_read(bench, bench->y, c->y.byte_offset + row_type_bytes(c->row.dst, y_row * columns),
                   sample->found, sample->y_bytes))
        return false;
    expect(bench, c, row, sample);
    if (memcmp(sample->found, sample->expected, sample->y_bytes) != 0)
        return call_is_wrong(bench, c, row, "a byte");
    return !words || (check_found(bench, c, c->scale_at, place, sample->scales, "the scale") &&
                      (c->row.mode != ASYMMETRIC ||
                       check_found(bench, c, c->offset_at, place, sample->offsets, "the offset")));
}

/* The first position that no entry writes, where there is one, still holds what y was spoiled with. */
static bool check_untouched(struct bench *bench, const struct call *c)
{
    const int64_t position = places_untouched(&c->places, c->next - 1);
    const int64_t row = position * call_position_rows(c);
    const bool words = c->row.layout == PER_ROW;
    uint8_t bytes[2] = {DATA_UNWRITTEN, DATA_UNWRITTEN};

    if (position < 0)
        return true;
    return data_read(bench, bench->y, row_type_bytes(c->row.dst, row * c->row.columns), &bytes[0], 1) &&
           (!words || data_read(bench, bench->y, c->scale_at + (size_t)row * row_scales_bytes(&c->row),
                                &bytes[1], 1)) &&
           ((bytes[0] == DATA_UNWRITTEN && bytes[1] == DATA_UNWRITTEN) ||
            fail(&bench->failure, STATUS_SYSTEM, "bench: %s: a place of no entry was written", c->row.note));
}

static bool check_rows(struct bench *bench, const struct call *c)
{
    const int64_t count = c->rows < SAMPLES ? c->rows : SAMPLES;
    struct sample sample = {.x_bytes = row_type_bytes(c->row.src, c->row.columns),
                            .y_bytes = row_type_bytes(c->row.dst, c->row.columns)};
    bool right = true;

    sample.x = malloc(sample.x_bytes + 2 * sample.y_bytes);
    if (!sample.x)
        return fail(&bench->failure, STATUS_SYSTEM, "bench: no memory for a row");
    sample.found = sample.x + sample.x_bytes;
    sample.expected = sample.found + sample.y_bytes;
    for (int64_t i = 0; i < count && right; i++)
        right = check_row(bench, c, count > 1 ? i * (c->rows - 1) / (count - 1) : 0, &sample);
    free(sample.x);
    return right;
}

/* The largest element of each scale's, by its bits without the sign, which are ordered as sizes are: the
 * bench's values are all finite. All of x is looked at. */
static bool find_largest(struct bench *bench, const struct call *c, uint32_t *largest, void *rows)
{
    const int64_t columns = c->row.columns;
    const size_t row_bytes = row_type_bytes(c->row.src, columns);
    int64_t count = 0;

    for (int64_t row = 0; row < c->rows; row += count) {
        count = c->rows - row < READ_ROWS ? c->rows - row : READ_ROWS;
        if (!data_read(bench, bench->x, c->x.byte_offset + (size_t)row * row_bytes, rows,
                       (size_t)count * row_bytes))
            return false;
        for (int64_t i = 0; i < count * columns; i++) {
            const uint32_t size = c->row.src == F32 ? ((const uint32_t *)rows)[i] & 0x7fffffff
                                                    : ((const uint16_t *)rows)[i] & 0x7fffu;
            uint32_t *of = &largest[c->row.layout == PER_TENSOR       ? 0
                                    : c->row.layout == PER_FIRST_AXIS ? row + i / columns
                                                                      : i % columns];

            *of = size > *of ? size : *of;
        }
    }
    return true;
}

static bool check_scales(struct bench *bench, const struct call *c)
{
    const size_t count = (size_t)c->scales_shape[0];
    uint32_t *largest = calloc(count, sizeof *largest);
    void *rows = malloc(row_type_bytes(c->row.src, c->row.columns) * READ_ROWS);
    bool right =
        (largest && rows) || fail(&bench->failure, STATUS_SYSTEM, "bench: no memory for %zu scales", count);

    right = right && find_largest(bench, c, largest, rows);
    for (size_t i = 0; i < count && right; i++) {
        float size;

        memcpy(&size, &largest[i], sizeof size);
        if (c->row.src == F16)
            size = reference_widen_f16((uint16_t)largest[i]);
        right = check_found(bench, c, 0, (int64_t)i, &(float){size / 127.0f}, "the scale");
    }
    free(rows);
    free(largest);
    return right;
}

bool call_check(struct bench *bench, const struct call *c)
{
    if (c->row.operation == FIND_SCALES)
        return check_scales(bench, c);
    if (c->row.layout == IN_SQUARES)
        return call_check_squares(bench, c);
    return (c->row.placement == DENSE || c->row.operation == DEQUANTIZE || check_untouched(bench, c)) &&
           check_rows(bench, c);
}

/* Rows that move within y: its second half, which they come from, is that of x. */
static bool fill_source(struct bench *bench, const struct call *c)
{
    const size_t half = row_type_bytes(c->row.dst, c->places.batches / 2 * c->places.length *
                                                       call_position_rows(c) * c->row.columns);
    cl_event done = NULL;

    return !row_in_place(&c->row) || (device_check(bench, "clEnqueueCopyBuffer",
                                                   clEnqueueCopyBuffer(bench->queue, bench->x, bench->y, half,
                                                                       half, half, 0, NULL, &done)) &&
                                      device_wait(bench, done));
}

bool call_once_checked(struct bench *bench, struct call *c)
{
    cl_event done = NULL;

    return data_spoil(bench) && fill_source(bench, c) && call_enqueue(bench, c, &done) &&
           device_wait(bench, done) && call_check(bench, c);
}

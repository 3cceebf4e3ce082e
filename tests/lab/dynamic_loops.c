/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of dynamic quantization, compiled once for each instruction set.
 *
 * A block is one row, or BLOCK_ROWS short ones. While a block is converted the ranges of the next one are
 * found, in the same loop: memory is then read all the time, not only in the passes that find a range. */
#include "dynamic_loops.h"

#include "dynamic_range.h"

#include <math.h>

typedef float src_f32;
typedef uint16_t src_f16, src_bf16;

enum { BITS_f32 = 32, BITS_f16 = 16, BITS_bf16 = 16 };
enum { INFINITY_f32 = 0x7f800000, INFINITY_f16 = 0x7c00, INFINITY_bf16 = 0x7f80 };

/* Elements in a line of the result; steps and upper end of the range. */
enum { PER_LINE_i8 = 64, PER_LINE_i4 = 128, STEPS_i8 = 255, STEPS_i4 = 15, TOP_i8 = 127, TOP_i4 = 7 };

/* Up to here, the roundings of x / scale move a result by less than 0.1: it cannot leave its range. */
static const float most_steps_off = 0x1p18f;

/* What the conversion of a block needs. */
struct parameters {
    float high[BLOCK_ROWS], low[BLOCK_ROWS]; /* of each row */
    float scale[BLOCK_ROWS], back[BLOCK_ROWS], offset[BLOCK_ROWS];
    int careful[BLOCK_ROWS]; /* NaN, infinity, or an offset beside which the values vanish */
};

/* One row on its way, and the one whose range is found meanwhile. */
struct row {
    const uint8_t *x, *next;
    uint8_t *y;
    size_t columns, ahead_bytes;
    int non_temporal;
    float back, offset;
};

/* The place of each row in turn. */
struct cursor {
    const struct dynamic_work *work;
    size_t entry, left, place; /* rows that are left of the entry, the place of the next */
};

static size_t place_of(const struct dynamic_work *work, size_t entry)
{
    const size_t batch = work->pairs ? (size_t)work->indices[2 * entry] : entry;
    const size_t start = (size_t)work->indices[work->pairs ? 2 * entry + 1 : entry];

    return (batch * work->axis_size + start) * work->position_rows;
}

static struct cursor cursor_at(const struct dynamic_work *work, size_t row)
{
    struct cursor cursor = {.work = work, .left = SIZE_MAX, .place = row};

    if (work->indices) {
        cursor.entry = row / work->entry_rows;
        cursor.left = work->entry_rows - row % work->entry_rows;
        cursor.place = place_of(work, cursor.entry) + row % work->entry_rows;
    }
    return cursor;
}

SIMD_INLINE size_t cursor_next(struct cursor *cursor)
{
    if (cursor->left == 0) {
        cursor->place = place_of(cursor->work, ++cursor->entry);
        cursor->left = cursor->work->entry_rows;
    }
    cursor->left--;
    return cursor->place++;
}

SIMD_INLINE float float_of_f32(float x)
{
    return x;
}

SIMD_INLINE float float_of_bf16(uint16_t x)
{
    const uint32_t bits = (uint32_t)x << 16;
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

SIMD_INLINE void widen_f32(const uint32_t keys[BLOCK_ROWS], float values[BLOCK_ROWS], int block)
{
    memcpy(values, keys, (size_t)block * sizeof *values);
}

#define WIDEN(src)                                                                                           \
    SIMD_INLINE void widen_##src(const uint32_t keys[BLOCK_ROWS], float values[BLOCK_ROWS], int block)       \
    {                                                                                                        \
        uint16_t halves[BLOCK_ROWS];                                                                         \
                                                                                                             \
        if (block == 1) {                                                                                    \
            values[0] = float_of_##src((uint16_t)keys[0]);                                                   \
            return;                                                                                          \
        }                                                                                                    \
        for (int k = 0; k < block; k++)                                                                      \
            halves[k] = (uint16_t)keys[k];                                                                   \
        for (int k = 0; k < block; k += VF)                                                                  \
            vf_store(values + k, vf_load_##src(halves + k));                                                 \
    }
WIDEN(f16)
WIDEN(bf16)

SIMD_INLINE void find_parameters(struct parameters *p, int symmetric, float steps, float top, int block)
{
    for (int k = 0; k < block; k++) {
        const float size = p->high[k] > -p->low[k] ? p->high[k] : -p->low[k];
        const float step = symmetric ? p->high[k] / top : (p->high[k] - p->low[k]) / steps;
        const float scale = step > 1e-12f ? step : 1e-12f, back = 1.0f / scale;

        p->scale[k] = scale;
        p->back[k] = back;
        p->offset[k] = symmetric ? 0 : top - p->high[k] / scale;
        p->careful[k] |= !symmetric && !(size * back <= most_steps_off);
    }
}

static void write_parameters(const struct dynamic_work *work, size_t place, float scale, float offset)
{
    work->scale[place] = scale;
    if (!work->symmetric)
        work->offset[place] = isnan(offset) ? NAN : -offset;
}

/* The range of a row that may hold NaN or infinities. */
#define SLOW_RANGE(src)                                                                                      \
    static void slow_range_##src(const src_##src *x, size_t columns, int symmetric, float *high, float *low) \
    {                                                                                                        \
        int found = 0;                                                                                       \
                                                                                                             \
        *high = *low = 0;                                                                                    \
        for (size_t i = 0; i < columns; i++) {                                                               \
            const float value = float_of_##src(x[i]), v = symmetric ? fabsf(value) : value;                  \
                                                                                                             \
            if (isnan(v))                                                                                    \
                continue;                                                                                    \
            *high = !found || v > *high ? v : *high;                                                         \
            *low = !found || v < *low ? v : *low;                                                            \
            found = 1;                                                                                       \
        }                                                                                                    \
    }

/* One line of the result, from as many elements as it holds. */
#define CONVERT(src, dst)                                                                                    \
    SIMD_INLINE line convert_##src##_##dst(const src_##src *x, vf back, vf offset, int symmetric,            \
                                           int careful)                                                      \
    {                                                                                                        \
        vf v[PER_LINE_##dst / VF];                                                                           \
                                                                                                             \
        for (size_t i = 0; i < PER_LINE_##dst / VF; i++) {                                                   \
            v[i] = vf_multiply(vf_load_##src(x + i * VF), back);                                             \
            v[i] = symmetric ? v[i] : vf_add(v[i], offset);                                                  \
        }                                                                                                    \
        return careful ? line_of_##dst(v) : inside_##dst(v);                                                 \
    }                                                                                                        \
                                                                                                             \
    /* Elements from `done` on, fewer than a line: worked on in a line of zeros, with care. */               \
    static void convert_last_##src##_##dst(const struct row *row, size_t done, int symmetric)                \
    {                                                                                                        \
        const size_t elements = row->columns - done;                                                         \
        src_##src last_x[PER_LINE_##dst] = {0};                                                              \
        uint8_t last_y[LINE_BYTES];                                                                          \
                                                                                                             \
        memcpy(last_x, row->x + done * sizeof *last_x, elements * sizeof *last_x);                           \
        line_store(last_y,                                                                                   \
                   convert_##src##_##dst(last_x, vf_all(row->back), vf_all(row->offset), symmetric, 1));     \
        memcpy(row->y + done * LINE_BYTES / PER_LINE_##dst, last_y, elements * LINE_BYTES / PER_LINE_##dst); \
    }                                                                                                        \
                                                                                                             \
    static void convert_carefully_##src##_##dst(const struct row *row, int symmetric)                        \
    {                                                                                                        \
        const vf back = vf_all(row->back), offset = vf_all(row->offset);                                     \
        size_t done = 0;                                                                                     \
                                                                                                             \
        for (; done + PER_LINE_##dst <= row->columns; done += PER_LINE_##dst)                                \
            line_store(row->y + done * LINE_BYTES / PER_LINE_##dst,                                          \
                       convert_##src##_##dst((const src_##src *)(const void *)row->x + done, back, offset,   \
                                             symmetric, 1));                                                 \
        if (done < row->columns)                                                                             \
            convert_last_##src##_##dst(row, done, symmetric);                                                \
    }                                                                                                        \
                                                                                                             \
    SIMD_INLINE struct range row_##src##_##dst(const struct row *row, int symmetric)                         \
    {                                                                                                        \
        const vf back = vf_all(row->back), offset = vf_all(row->offset);                                     \
        const size_t row_bytes = row->columns * sizeof(src_##src);                                           \
        struct range range = range_begin(row->next, row_bytes, BITS_##src);                                  \
        size_t done = 0;                                                                                     \
                                                                                                             \
        for (; done + PER_LINE_##dst <= row->columns; done += PER_LINE_##dst) {                              \
            const size_t at = done * sizeof(src_##src);                                                      \
            uint8_t *y = row->y + done * LINE_BYTES / PER_LINE_##dst;                                        \
            line q;                                                                                          \
                                                                                                             \
            for (size_t i = 0; i < PER_LINE_##dst * sizeof(src_##src); i += LINE_BYTES) {                    \
                __builtin_prefetch(row->next + row->ahead_bytes + at + i);                                   \
                range_add(&range, row->next + at + i, BITS_##src);                                           \
            }                                                                                                \
            q = convert_##src##_##dst((const src_##src *)(const void *)row->x + done, back, offset,          \
                                      symmetric, 0);                                                         \
            if (row->non_temporal)                                                                           \
                line_stream(y, q);                                                                           \
            else                                                                                             \
                line_store(y, q);                                                                            \
        }                                                                                                    \
        if (done < row->columns)                                                                             \
            convert_last_##src##_##dst(row, done, symmetric);                                                \
        range_end(&range, row->next, done * sizeof(src_##src), row_bytes, BITS_##src);                       \
        return range;                                                                                        \
    }                                                                                                        \
                                                                                                             \
    static struct range slow_row_##src##_##dst(struct row *row, struct parameters *p, int k, int symmetric)  \
    {                                                                                                        \
        struct parameters one = {.careful = {0}};                                                            \
                                                                                                             \
        slow_range_##src((const src_##src *)(const void *)row->x, row->columns, symmetric, one.high,         \
                         one.low);                                                                           \
        find_parameters(&one, symmetric, STEPS_##dst, TOP_##dst, 1);                                         \
        p->scale[k] = one.scale[0];                                                                          \
        p->offset[k] = row->offset = one.offset[0];                                                          \
        row->back = one.back[0];                                                                             \
        convert_carefully_##src##_##dst(row, symmetric);                                                     \
        return range_of(row->next, row->columns * sizeof(src_##src), BITS_##src);                            \
    }

#define PARAMETERS(src, dst)                                                                                 \
    SIMD_INLINE void parameters_##src##_##dst(struct parameters *p, const struct ranges *ranges,             \
                                              const uint8_t *x, size_t row_bytes, int count, int symmetric,  \
                                              int block)                                                     \
    {                                                                                                        \
        const uint32_t past = INFINITY_##src, size = 0xffffffff >> (33 - BITS_##src);                        \
        uint32_t high[BLOCK_ROWS], low[BLOCK_ROWS];                                                          \
                                                                                                             \
        find_keys(ranges, x, row_bytes, count, BITS_##src, symmetric, block, high, low);                     \
        for (int k = 0; k < block; k++)                                                                      \
            p->careful[k] = (high[k] & size) >= past || (low[k] & size) >= past;                             \
        widen_##src(high, p->high, block);                                                                   \
        widen_##src(low, p->low, block);                                                                     \
        find_parameters(p, symmetric, STEPS_##dst, TOP_##dst, block);                                        \
    }

#define RUN(src, dst)                                                                                        \
    SIMD_INLINE void run_##src##_##dst(const struct dynamic_rows *rows, int symmetric, int block)            \
    {                                                                                                        \
        const struct dynamic_work *work = rows->work;                                                        \
        const size_t row_bytes = work->columns * sizeof(src_##src);                                          \
        const uint8_t *x = (const uint8_t *)work->x + rows->first * row_bytes;                               \
        struct row row = {                                                                                   \
            .columns = work->columns, .ahead_bytes = rows->ahead_bytes, .non_temporal = rows->non_temporal}; \
        struct cursor cursor = cursor_at(work, rows->first);                                                 \
        struct ranges ranges;                                                                                \
        struct parameters p;                                                                                 \
        size_t places[BLOCK_ROWS];                                                                           \
                                                                                                             \
        for (int k = 0; k < block; k++)                                                                      \
            ranges_set(                                                                                      \
                &ranges, k,                                                                                  \
                range_of(x + ((size_t)k < rows->count ? (size_t)k * row_bytes : 0), row_bytes, BITS_##src)); \
        for (size_t done = 0; done < rows->count; done += (size_t)block) {                                   \
            const size_t left = rows->count - done;                                                          \
            const int count = left < (size_t)block ? (int)left : block;                                      \
                                                                                                             \
            for (int k = 0; k < count; k++) {                                                                \
                places[k] = cursor_next(&cursor);                                                            \
                __builtin_prefetch(&work->scale[places[k]], 1);                                              \
                if (!symmetric)                                                                              \
                    __builtin_prefetch(&work->offset[places[k]], 1);                                         \
            }                                                                                                \
            parameters_##src##_##dst(&p, &ranges, x, row_bytes, count, symmetric, block);                    \
            for (int k = 0; k < count; k++, x += row_bytes) {                                                \
                row.x = x;                                                                                   \
                row.next = x + (left > (size_t)(k + block) ? (size_t)block * row_bytes : 0);                 \
                row.y = (uint8_t *)work->q + places[k] * work->columns * LINE_BYTES / PER_LINE_##dst;        \
                row.back = p.back[k];                                                                        \
                row.offset = p.offset[k];                                                                    \
                ranges_set(&ranges, k,                                                                       \
                           p.careful[k] ? slow_row_##src##_##dst(&row, &p, k, symmetric)                     \
                                        : row_##src##_##dst(&row, symmetric));                               \
            }                                                                                                \
            for (int k = 0; k < count; k++)                                                                  \
                write_parameters(work, places[k], p.scale[k], p.offset[k]);                                  \
        }                                                                                                    \
        if (rows->non_temporal)                                                                              \
            line_fence();                                                                                    \
    }

#define LOOP(src, dst, symmetric, blocks)                                                                    \
    static void loop_##src##_##dst##_##symmetric##blocks(const struct dynamic_rows *rows)                    \
    {                                                                                                        \
        run_##src##_##dst(rows, symmetric, (blocks) ? BLOCK_ROWS : 1);                                       \
    }
#define LOOPS(src, dst)                                                                                      \
    CONVERT(src, dst)                                                                                        \
    PARAMETERS(src, dst)                                                                                     \
    RUN(src, dst)                                                                                            \
    LOOP(src, dst, 0, 0)                                                                                     \
    LOOP(src, dst, 0, 1)                                                                                     \
    LOOP(src, dst, 1, 0)                                                                                     \
    LOOP(src, dst, 1, 1)
#define LOOPS_OF(src) SLOW_RANGE(src) LOOPS(src, i8) LOOPS(src, i4)

LOOPS_OF(f32)
LOOPS_OF(f16)
LOOPS_OF(bf16)

#define ROW(src, dst)                                                                                        \
    {                                                                                                        \
        {loop_##src##_##dst##_00, loop_##src##_##dst##_01},                                                  \
        {                                                                                                    \
            loop_##src##_##dst##_10, loop_##src##_##dst##_11                                                 \
        }                                                                                                    \
    }
#define ROWS_OF(src)                                                                                         \
    {                                                                                                        \
        ROW(src, i8), ROW(src, i4)                                                                           \
    }

const struct dynamic_loops SIMD_NAME(dynamic_loops) = {{ROWS_OF(f32), ROWS_OF(f16), ROWS_OF(bf16)}};

// quantize: y[row][i] = sat(rint(x[row][i] MODE scale[i] + zero_point[i])), every step rounded to binary32
//
//   KERNEL_NAME   the kernel's name
//   SRC           f32, f16 or bf16, of base/types.clh
//   DST           i8, u8, i32 or i4, of base/types.clh
//   MODE          divide or multiply, of base/arithmetic.clh
//   ARITHMETIC    native or exact, of base/arithmetic.clh
//   PARAMS        one, each or both, of base/parameters.clh
//   FORM          item or group, of base/parameters.clh
//   PREFETCH      0 or 1, of base/prefetch.clh
//
// The file may be included many times in one source, each time with other parameters.
#include "args/quantize.h"
#include "base/arithmetic.clh"
#include "base/parameters.clh"
#include "base/prefetch.clh"
#include "base/rows.clh"
#include "base/scalar.clh"
#include "base/types.clh"

#if !defined(KERNEL_NAME) || !defined(SRC) || !defined(DST) || !defined(MODE) || !defined(ARITHMETIC) ||     \
    !defined(PARAMS) || !defined(FORM) || !defined(PREFETCH)
#error "quantize.cl: KERNEL_NAME, SRC, DST, MODE, ARITHMETIC, PARAMS, FORM and PREFETCH are required"
#endif

#define LOCAL_NAME(name) CLQ_CAT3(KERNEL_NAME, _, name)

// One stored unit, from elements `low` and `high` of x and unit u of the scales. Where a unit is one element,
// PACK drops its last argument unread.
#define SCALE(i)           (SCALE_PER_ELEMENT(PARAMS) ? as_float(scales[i]) : scale)
#define ZERO_POINT(i)      (ZERO_POINT_PER_ELEMENT(PARAMS) ? as_float(zero_points[i]) : zero_point)
#define VALUE(at, i)       (APPLY(MODE, ARITHMETIC, LOAD(SRC, x, at), SCALE(i)) + ZERO_POINT(i))
#define UNIT(u, low, high) PACK(DST, VALUE(low, ELEMENTS(DST) * (u)), VALUE(high, ELEMENTS(DST) * (u) + 1))

// Units that are prefetched together, and how many bytes ahead.
#define BLOCK_UNITS    (256 / ELEMENTS(DST))
#define PREFETCH_BYTES 2048

// A run of units whose elements follow one another, done by one work-item.
static inline void LOCAL_NAME(run)(global const STORAGE(SRC) * x, global STORAGE(DST) * y,
                                   global const uint *scales, global const uint *zero_points, float scale,
                                   float zero_point, long units)
{
    long u = 0;

    for (; u + BLOCK_UNITS <= units; u += BLOCK_UNITS) {
        for (uint byte = 0; byte < BLOCK_UNITS * ELEMENTS(DST) * sizeof(*x); byte += 64)
            PREFETCH_LINE(PREFETCH, (global const uchar *)(x + u * ELEMENTS(DST)) + PREFETCH_BYTES + byte);
        for (uint k = 0; k < BLOCK_UNITS; k++)
            y[u + k] = UNIT(u + k, ELEMENTS(DST) * (u + k), ELEMENTS(DST) * (u + k) + 1);
    }
    for (; u < units; u++)
        y[u] = UNIT(u, ELEMENTS(DST) * u, ELEMENTS(DST) * u + 1);
}

kernel void KERNEL_NAME(global const STORAGE(SRC) *restrict x, global const uchar *restrict scale_buffer,
                        global const uchar *restrict zero_point_buffer, global STORAGE(DST) *restrict y,
                        const struct quantize_args a)
{
    const bool dense = a.y_stride == 1 && a.x_stride == ELEMENTS(DST) && a.x_pair == ELEMENTS(DST) - 1;
    const bool group = IS_GROUP(FORM);
    // a build rehearses with arguments of zeros: there is no tile then, and nothing may divide by zero
    const long lanes = group ? max((long)a.lanes, 1L) : 1, tiles_per_row = max(a.tiles_per_row, 1L);
    const long lane = group ? (long)get_local_id(0) % lanes : 0;
    const long tiles = group ? 1 : a.tiles_per_item;
    long tile = group ? (long)(get_group_id(0) * get_local_size(0) + get_local_id(0)) / lanes
                      : (long)get_global_id(0) * tiles;
    const long end = min(tile + tiles, a.tiles);
    long row = tile / tiles_per_row, first = (tile - row * tiles_per_row) * a.tile;

    for (; tile < end; tile++) {
        const struct clq_place place = clq_place_of(row, a.dim, a.outer);
        const long scale_at = a.scale_offset + place.scale,
                   zero_point_at = a.zero_point_offset + place.zero_point;
        const float scale =
            SCALE_PER_ELEMENT(PARAMS) ? 0.0f : clq_load_scalar(scale_buffer, scale_at, a.scale_type);
        const float zero_point = ZERO_POINT_PER_ELEMENT(PARAMS)
                                     ? 0.0f
                                     : clq_load_scalar(zero_point_buffer, zero_point_at, a.zero_point_type);
        global const uint *scales = (global const uint *)scale_buffer + scale_at + first * ELEMENTS(DST);
        global const uint *zero_points =
            (global const uint *)zero_point_buffer + zero_point_at + first * ELEMENTS(DST);
        global const STORAGE(SRC) *row_x = x + a.x_offset + place.x + first * a.x_stride;
        global STORAGE(DST) *row_y = y + a.y_offset + place.y + first * a.y_stride;
        const long units = min(a.tile, a.inner - first);

        if (dense && !group) {
            LOCAL_NAME(run)(row_x, row_y, scales, zero_points, scale, zero_point, units);
        } else {
            global const STORAGE(SRC) *x = row_x;

            for (long u = lane; u < units; u += lanes)
                row_y[u * a.y_stride] = UNIT(u, u * a.x_stride, u * a.x_stride + a.x_pair);
        }
        first += a.tile;
        if (first >= a.inner) {
            first = 0;
            row++;
        }
    }
}

#undef LOCAL_NAME
#undef SCALE
#undef ZERO_POINT
#undef VALUE
#undef UNIT
#undef BLOCK_UNITS
#undef PREFETCH_BYTES

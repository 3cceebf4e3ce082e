// SPDX-License-Identifier: Apache-2.0
// dynamic_quantize: each row of x by a scale that is found from the row
//
//   y[row][i] = sat(rint(v[i] * back + off)), v[i] = x[row][i], or x[row][i] * smooth[i]
//   scales[row] = scale, offsets[row] = -off; base/row_scale.clh has scale, back and off
//
//   KERNEL_NAME   the kernel's name
//   SRC           f32, f16 or bf16, of base/types.clh
//   DST           i8 or i4, of base/types.clh
//   SMOOTH        0: smooth is never read. 1: x is multiplied by it
//   ARITHMETIC    native or exact, of base/arithmetic.clh
//   FORM          item or group, of base/parameters.clh
//   PREFETCH      0 or 1, of base/hints.clh
#include "args/dynamic_quantize.h"
#include "base/entries.clh"
#include "base/hints.clh"
#include "base/lines.clh"
#include "base/parameters.clh"
#include "base/row_scale.clh"
#include "base/rows.clh"
#include "base/types.clh"

#if !defined(KERNEL_NAME) || !defined(SRC) || !defined(DST) || !defined(SMOOTH) || !defined(ARITHMETIC) ||   \
    !defined(FORM) || !defined(PREFETCH)
#error "dynamic_quantize.cl: KERNEL_NAME, SRC, DST, SMOOTH, ARITHMETIC, FORM and PREFETCH are required"
#endif

// Element `at` of x, whose smooth scale is number i.
#define VALUE(x, at, smooth, i) (SMOOTH ? APPLY(multiply, LOAD(SRC, x, at), as_float((smooth)[i])) : LOAD(SRC, x, at))
// Its bits, in the type that is compared.
#define KEY                  KEY_TYPE(SRC, SMOOTH)
#define BITS(x, at, smooth, i) ((STORAGE(KEY))(SMOOTH ? as_uint(VALUE(x, at, smooth, i)) : (x)[at]))

// Unit u, from elements `low` and `high` of x, its smooth scales beginning with number i.
#define SCALED(x, at, smooth, i) (VALUE(x, at, smooth, i) * row.back + row.off)
#define UNIT(pack, x, low, high, smooth, i)                                                                  \
    pack(DST, SCALED(x, low, smooth, i), SCALED(x, high, smooth, (i) + 1))
#define FIRST(u) (ELEMENTS(DST) * (u))
#define DENSE_UNIT(pack, x, smooth, u) UNIT(pack, x, FIRST(u), FIRST(u) + 1, smooth, FIRST(u))

#define MOST_LOCAL   128 // work-items in a group

// The units of a row from `lane` on, every lanes-th, wherever they lie; 16 bytes of x at once where that `fits`.
// (Returned, keys would be a noalias argument, of which LLVM leaves marks that Oclgrind cannot run.)
static inline APART void scan(struct clq_keys *keys, global const STORAGE(SRC) * x, global const uint *smooth,
                              const struct dynamic_quantize_args *a, bool fits, long lane, long lanes)
{
    const long chunk = UNITS(DST, CHUNK(SRC)), chunks = fits ? a->inner / chunk : 0;

    for (long c = lane; c < chunks; c += lanes) {
        STORAGE(SRC) values[CHUNK(SRC)];
        CLQ_CAT(vstore, CHUNK(SRC))(((global const VECTOR(SRC, CHUNK(SRC)) *)x)[c], 0, values);
        for (uint k = 0; k < CHUNK(SRC); k++)
            clq_look(keys, VALUE(values, k, smooth, c * CHUNK(SRC) + k));
    }
    for (long u = chunks * chunk + lane; u < a->inner; u += lanes)
        for (uint e = 0; e < ELEMENTS(DST); e++)
            clq_look(keys, VALUE(x, u * a->x_stride + e * a->x_pair, smooth, ELEMENTS(DST) * u + e));
}

static inline APART void store(global const STORAGE(SRC) * x, global const uint *smooth, global STORAGE(DST) * y,
                               struct clq_row_scale row, const struct dynamic_quantize_args *a, bool fits, long lane,
                               long lanes)
{
    const long chunk = UNITS(DST, CHUNK(SRC)), chunks = fits ? a->inner / chunk : 0;

    for (long c = lane; c < chunks; c += lanes) {
        STORAGE(SRC) values[CHUNK(SRC)];
        STORAGE(DST) packed[UNITS(DST, CHUNK(SRC))];

        CLQ_CAT(vstore, CHUNK(SRC))(((global const VECTOR(SRC, CHUNK(SRC)) *)x)[c], 0, values);
        for (uint k = 0; k < UNITS(DST, CHUNK(SRC)); k++)
            packed[k] = DENSE_UNIT(PACK, values, smooth + c * CHUNK(SRC), k);
        ((global VECTOR(DST, UNITS(DST, CHUNK(SRC))) *)y)[c] = CLQ_CAT(vload, UNITS(DST, CHUNK(SRC)))(0, packed);
    }
    for (long u = chunks * chunk + lane; u < a->inner; u += lanes) {
        const long part = a->y_part == a->inner ? 0 : u / a->y_part, at = u * a->x_stride;

        y[part * a->y_part_stride + (u - part * a->y_part) * a->y_stride] =
            UNIT(PACK, x, at, at + a->x_pair, smooth, ELEMENTS(DST) * u);
    }
}

// What is left once the keys of a whole row are known.
static inline void finish(struct clq_keys keys, global const STORAGE(SRC) * x, global const uint *smooth,
                          global STORAGE(DST) * y, global uint *scale, global uint *offset,
                          const struct dynamic_quantize_args *a, bool fits, long lane, long lanes)
{
    const struct clq_row_scale row = clq_row_scale_of(clq_extent_of(keys), TOP(DST), a->symmetric != 0);

    store(x, smooth, y, row, a, fits, lane, lanes);
    if (lane == 0)
        *scale = as_uint(row.scale);
    if (lane == 0 && a->symmetric == 0)
        *offset = clq_negated(row.off);
}

// Only where it is called: a compiler that throws it away again takes a twentieth longer.
#define QUICK (STREAMS && !IS_GROUP)
#if QUICK
#include "dynamic_quantize/quick_rows.clh"
#endif

kernel void KERNEL_NAME(global const STORAGE(SRC) *restrict x, global const uint *restrict smooth,
                        global STORAGE(DST) *restrict y, global uint *restrict scales,
                        global uint *restrict offsets, global const uchar *restrict indices,
                        global const uint *restrict owners, global uint *restrict report,
                        const struct dynamic_quantize_args a)
{
#if IS_GROUP
    local int highs[MOST_LOCAL], lows[MOST_LOCAL];
#endif
    // A build rehearses with arguments of zeros, which nothing may divide by; no return stands ahead of a barrier.
    const bool group = IS_GROUP;
    const bool dense = a.y_stride == 1 && a.y_part == a.inner && a.x_stride == ELEMENTS(DST) &&
                       a.x_pair == ELEMENTS(DST) - 1;
    const uint item = (uint)get_local_id(0), lanes = group ? max(a.lanes, 1u) : 1, lane = item & (lanes - 1);
    const long rows = group ? 1 : a.rows_per_item;
    const long begin = group ? (long)get_group_id(0) * ((uint)get_local_size(0) / lanes) + item / lanes
                             : (long)get_global_id(0) * rows;
    const long end = min(begin + rows, a.rows);

#if QUICK
    if (dense) {
        quick_rows(x, smooth, y, scales, offsets, indices, owners, report, &a, begin, end);
        return;
    }
#endif

    struct clq_placed placed = CLQ_UNPLACED;
    for (long number = begin; number < begin + rows; number++) {
        const long at = min(number, a.rows - 1); // a group's work-items all meet its barriers
        struct clq_place place = clq_place_of(at, a.dim, a.outer);
        const bool mine = number < end && clq_place_row_apart(&placed, indices, owners, report, &a.entries, at, lane == 0);

        if (!group && !mine)
            continue;
        clq_place_add(&place, &placed.place);

        global const STORAGE(SRC) *row_x = x + a.x_offset + place.x;
        global const uint *row_smooth = smooth + a.smooth_offset;
        global STORAGE(DST) *row_y = y + a.y_offset + place.y;
        const bool fits = group && dense && (size_t)row_x % 16 == 0 && (size_t)row_smooth % (SMOOTH ? 16 : 1) == 0 &&
                          (size_t)row_y % (UNITS(DST, CHUNK(SRC)) * sizeof(*y)) == 0;
        struct clq_keys keys = {INT_MIN, INT_MAX};

        scan(&keys, row_x, row_smooth, &a, fits, lane, lanes);
#if IS_GROUP
        for (uint apart = lanes / 2; apart > 0; apart /= 2) {
            highs[item] = keys.high, lows[item] = keys.low;
            barrier(CLK_LOCAL_MEM_FENCE);
            keys.high = max(keys.high, highs[item ^ apart]);
            keys.low = min(keys.low, lows[item ^ apart]);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
#endif
        if (mine)
            finish(keys, row_x, row_smooth, row_y, scales + a.scale_offset + place.scale,
                   offsets + a.offset_offset + place.zero_point, &a, fits, lane, lanes);
    }
}

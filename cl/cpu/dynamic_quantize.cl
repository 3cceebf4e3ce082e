// SPDX-License-Identifier: Apache-2.0
// dynamic_quantize.cl's meaning, as PoCL's CPUs stream it: in the form of an item, with the device's own arithmetic.
//
//   KERNEL_NAME   the kernel's name
//   SRC           f32, f16 or bf16, of base/types.clh
//   DST           i8 or i4, of base/types.clh
//   SMOOTH        0: smooth is never read. 1: x is multiplied by it
#define FORM       item
#define ARITHMETIC native
#define PREFETCH   1
#include "args/dynamic_quantize.h"
#include "base/row_scale.clh"
#include "base/types.clh"
#include "cpu/dynamic_quantize/keys.clh"
#include "cpu/entries.clh"
#include "cpu/hints.clh"
#include "cpu/lines.clh"
#include "cpu/rows.clh"

// Element `at` of x, whose smooth scale is number i.
#define VALUE(x, at, smooth, i) (SMOOTH ? APPLY(multiply, LOAD(SRC, x, at), as_float((smooth)[i])) : LOAD(SRC, x, at))
// Its bits, in the type that is compared.
#define KEY                    KEY_TYPE(SRC, SMOOTH)
#define BITS(x, at, smooth, i) ((STORAGE(KEY))(SMOOTH ? as_uint(VALUE(x, at, smooth, i)) : (x)[at]))

// A unit, from elements `low` and `high` of x, its smooth scales beginning with number i.
#define SCALED(x, at, smooth, i) (VALUE(x, at, smooth, i) * row.back + row.off)
#define UNIT(x, low, high, smooth, i) PACK(DST, SCALED(x, low, smooth, i), SCALED(x, high, smooth, (i) + 1))

// The units of a row, wherever they lie.
// (Returned, keys would be a noalias argument, of which LLVM leaves marks that Oclgrind cannot run.)
static inline APART void scan(struct clq_keys *keys, global const STORAGE(SRC) * x, global const uint *smooth,
                              const struct dynamic_quantize_args *a)
{
    for (long u = 0; u < a->inner; u++)
        for (uint e = 0; e < ELEMENTS(DST); e++)
            clq_look(keys, VALUE(x, u * a->x_stride + e * a->x_pair, smooth, ELEMENTS(DST) * u + e));
}

static inline APART void store(global const STORAGE(SRC) * x, global const uint *smooth, global STORAGE(DST) * y,
                               struct clq_row_scale row, const struct dynamic_quantize_args *a)
{
    for (long u = 0; u < a->inner; u++) {
        const long part = a->y_part == a->inner ? 0 : u / a->y_part, at = u * a->x_stride;

        y[part * a->y_part_stride + (u - part * a->y_part) * a->y_stride] =
            UNIT(x, at, at + a->x_pair, smooth, ELEMENTS(DST) * u);
    }
}

// The whole of a row, of any values.
static inline APART struct clq_row_scale slow_row(global const STORAGE(SRC) * x, global const uint *smooth,
                                                  global STORAGE(DST) * y, const struct dynamic_quantize_args *a)
{
    struct clq_keys keys = {INT_MIN, INT_MAX};

    scan(&keys, x, smooth, a);
    const struct clq_row_scale row = clq_row_scale_of(clq_extent_of(keys), TOP(DST), a->symmetric != 0);

    store(x, smooth, y, row, a);
    return row;
}

#include "cpu/dynamic_quantize/quick_rows.clh"

kernel void KERNEL_NAME(global const STORAGE(SRC) *restrict x, global const uint *restrict smooth,
                        global STORAGE(DST) *restrict y, global uint *restrict scales,
                        global uint *restrict offsets, global const uchar *restrict indices,
                        global const uint *restrict owners, global uint *restrict report,
                        const struct dynamic_quantize_args a)
{
    // A build rehearses with arguments of zeros; nothing below may divide by them.
    if (a.rows == 0)
        return;

    const bool dense = a.y_stride == 1 && a.y_part == a.inner && a.x_stride == ELEMENTS(DST) &&
                       a.x_pair == ELEMENTS(DST) - 1;
    const long begin = (long)get_global_id(0) * a.rows_per_item, end = min(begin + a.rows_per_item, a.rows);

    if (dense) {
        quick_rows(x, smooth, y, scales, offsets, indices, owners, report, &a, begin, end);
        return;
    }
    struct clq_placed placed = CLQ_UNPLACED;
    for (long number = begin; number < end; number++) {
        struct clq_place place = clq_place_of(number, a.dim, a.outer);

        if (!clq_place_row_apart(&placed, indices, owners, report, &a.entries, number, true))
            continue;
        clq_place_add(&place, &placed.place);

        const struct clq_row_scale row =
            slow_row(x + a.x_offset + place.x, smooth + a.smooth_offset, y + a.y_offset + place.y, &a);

        scales[a.scale_offset + place.scale] = as_uint(row.scale);
        if (a.symmetric == 0)
            offsets[a.offset_offset + place.zero_point] = clq_negated(row.off);
    }
}

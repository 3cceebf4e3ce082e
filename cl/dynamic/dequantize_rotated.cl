// SPDX-License-Identifier: Apache-2.0
// dequantize_rotated: x[row][i] = v[i] turned (dynamic/rotate.clh), for v[i] = (y[row][i] + offset) * scale,
// or the value of a block that carries its scale (base/blocks.clh), every step rounded to binary32, then to
// DST
//
// The mirror of dynamic_quantize.cl, with its names: y holds the integers and is read,
// x the floats and is written.
//   KERNEL_NAME   the kernel's name
//   SRC           a type of args/type_rows.h that is quantized, or a block type
//   DST           f32, f16 or bf16, of base/types.clh
//   MODE          multiply, of base/arithmetic.clh
//   ARITHMETIC    native or exact, of base/arithmetic.clh, base/narrow.clh and base/sum.clh
//   FORM          item or group, of base/parameters.clh
#include "args/dynamic_quantize.h"
#include "base/parameters.clh"
#include "dynamic/rotate.clh"
#include "dynamic/dequantize_rotated_row.clh"

// Elements `at` to `at` + `count` of the row.
static inline void load(struct row *row, const struct dynamic_quantize_args *a, CLQ_TURNED float *v, long at,
                        uint count, uint lane, uint lanes)
{
    for (uint c = lane; 8 * c < count; c += lanes) {
        const uint eight = (uint)(at / 8) + c;
        float8 values;

        if (eight < row->eights && a->per_scale == 0) {
            values = eight_values(row, a, eight);
        } else {
            EIGHT_AT(v, c) = (float8)(0.0f);
            for (uint k = 8 * c; k < min(8 * c + 8, count); k++)
                v[k] = element_at(row, a, at + k);
            values = EIGHT_AT(v, c);
        }
        EIGHT_AT(v, c) = clq_turn_eight(values, a->rotate);
    }
}

#define BITS(k)      narrowed(a, turned.s##k)
#define HIGH_BITS(k) narrowed(a, turned.hi.s##k)
static inline void store(const struct row *row, const struct dynamic_quantize_args *a, CLQ_TURNED float *v,
                         long at, uint count, uint lane, uint lanes)
{
    for (uint c = lane; 8 * c < count; c += lanes) {
        const uint eight = (uint)(at / 8) + c;
        global uint4 *x = (global uint4 *)row->x + (8 / CHUNK(DST)) * eight;

        if (eight < row->eights) {
            const float8 turned = EIGHT_AT(v, c);

            x[0] = CHUNK_FROM(DST, BITS);
            if (CHUNK(DST) == 4)
                x[1] = CHUNK_FROM(f32, HIGH_BITS);
        } else {
            for (uint k = 8 * c; k < min(8 * c + 8, count); k++) {
                const long i = at + k;

                row->x[CLQ_X_PLACE(a, ELEMENTS(SRC), i)] = narrowed(a, v[k]);
            }
        }
    }
}

// All of a group's work-items call it, for a row that is not to be written too.
CLQ_HAS_BARRIER void take_slices(struct row *row, const struct dynamic_quantize_args *a,
                                 CLQ_TURNED float *slice, uint lane, uint lanes)
{
    for (long at = 0; at < a->inner * ELEMENTS(SRC); at += a->together) {
        const uint count = (uint)min((long)a->together, max(row->units * ELEMENTS(SRC) - at, 0L));

        load(row, a, slice, at, count, lane, lanes);
        clq_turn(slice, count, a->rotate, lane, lanes);
        store(row, a, slice, at, count, lane, lanes);
    }
}

#if CLQ_IN_SIXTEENS
#include "dynamic/dequantize_rotated_sixteens.clh"
#else
CLQ_HAS_BARRIER void take_row(const struct dequantize_rotated_call *call,
                              const struct dynamic_quantize_args *a, CLQ_TURNED float *slice, uint number,
                              uint lane, uint lanes)
{
    struct row row;

    place_row(&row, call, a, number, lane == 0);
    take_slices(&row, a, slice, lane, lanes);
}
#endif

kernel void KERNEL_NAME(global STORAGE(DST) *restrict x, global const STORAGE(SRC) *restrict y,
                        global const uchar *restrict scales, global const uchar *restrict offsets,
                        global const uchar *restrict indices, global const uint *restrict owners,
                        global uint *restrict report, const struct dynamic_quantize_args a)
{
    const struct dequantize_rotated_call call = {x, y, scales, offsets, indices, report};
#if CLQ_IN_SIXTEENS
    local struct turned_rows rows[1];
    const uint item = (uint)get_local_id(0);
    struct row row;

    if (clq_finds_row(&a, item))
        find_row(&call, &a, rows, (uint)get_group_id(0) * a.sets + item, item);
    barrier(CLK_LOCAL_MEM_FENCE);
    row = shared_row(&call, &a, rows, item >> a.lane_bits);
    if (a.inner * ELEMENTS(SRC) > CLQ_OWN << a.lane_bits) // then the group has this row alone
        take_slices(&row, &a, (local float *)rows->scratch, item, 1u << a.lane_bits);
    else
        take_short(&row, &a, rows->scratch);
#else
    CLQ_TURNED float8 slices[CLQ_TURNED_MOST / 8]; // of all rows of the group
    CLQ_TURNED float *const slice = (CLQ_TURNED float *)slices;
    if (IS_GROUP) {
        const uint local_id = (uint)get_local_id(0), here = local_id >> a.lane_bits,
                   lanes = 1u << a.lane_bits;
        const uint number = (uint)get_group_id(0) * a.sets + here;

        take_row(&call, &a, slice + here * a.together, number, local_id & (lanes - 1), lanes);
    } else {
        const long begin = (long)get_global_id(0) * a.rows_per_item,
                   end = min(begin + a.rows_per_item, a.rows);

        for (long number = begin; number < end; number++)
            take_row(&call, &a, slice, (uint)number, 0, 1);
    }
#endif
    (void)owners; // several rows may be read from one place
}

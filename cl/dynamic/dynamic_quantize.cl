// SPDX-License-Identifier: Apache-2.0
// dynamic_quantize: each row of x by a scale that is found from the row
//
//   y[row][i] = sat(rint(v[i] * inv_scale + bias)), of float8 v[i] * inv_scale rounded to the type; v[i] =
//   x[row][i], or x[row][i] * smooth[i], or these turned (dynamic/rotate.clh)
//   scales[row] = scale, offsets[row] = -bias; base/row_scale.clh has scale, inv_scale and bias
//
//   KERNEL_NAME   the kernel's name
//   SRC           f32, f16 or bf16, of base/types.clh
//   DST           a type of args/type_rows.h that caches hold
//   SMOOTH        0: smooth is never read. 1: x is multiplied by it
//   ROTATE        0: nothing is turned. 1: each `rotate` neighbours of a row are
//   ARITHMETIC    native or exact, of base/arithmetic.clh
//   FORM          item or group, of base/parameters.clh
#include "args/dynamic_quantize.h"
#include "base/barrier.clh"
#include "base/parameters.clh"
#include "dynamic/rotate.clh"
#include "dynamic/dynamic_quantize_row.clh"
#include "dynamic/dynamic_quantize_scale.clh"

#if ROTATE
#include "dynamic/dynamic_quantize_rotated.clh"
#else
#include "dynamic/dynamic_quantize_whole.clh"
#endif

#if ROTATE && CLQ_IN_SIXTEENS
#include "dynamic/dynamic_quantize_sixteens.clh"
#else
// All work-items of a group meet the barriers of a row, so they call it for the rows behind the last one too.
CLQ_HAS_BARRIER void take_row(const struct dynamic_quantize_call *call, const struct dynamic_quantize_args *a,
                              scratch own, uint number, uint lane, uint lanes)
{
    struct row row;
    const struct clq_place place = place_row(&row, call, a, number, lane == 0);
    const struct clq_row_scale scale = stored_row(&row, a, own, call->shared, lane, lanes);

    if (row.units > 0 && lane == 0)
        store_scale(call, a, &place, scale.scale, scale.bias);
}
#endif

kernel void KERNEL_NAME(global const STORAGE(SRC) *restrict x, global const uint *restrict smooth,
                        global STORAGE(DST) *restrict y, global uchar *restrict scales,
                        global uchar *restrict offsets, global const uchar *restrict indices,
                        global const uint *restrict owners, global uint *restrict report,
                        const struct dynamic_quantize_args a)
{
#if ROTATE && CLQ_IN_SIXTEENS
    local struct turned_rows rows[1];
    const struct dynamic_quantize_call call = {x,       smooth, y,      scales,       offsets,
                                               indices, owners, report, &rows->shared};

    take_rows(&call, &a, rows);
#else
#if ROTATE
    CLQ_TURNED float8 slices[CLQ_TURNED_MOST / 8]; // of all rows of the group
#endif
#if IS_GROUP
#if !ROTATE
    local uint4 held[HELD * MOST_LOCAL];
#endif
    local struct shared shared[1];
    const struct dynamic_quantize_call call = {x,       smooth, y,      scales, offsets,
                                               indices, owners, report, shared};
    const uint local_id = (uint)get_local_id(0), here = local_id >> a.lane_bits, lanes = 1u << a.lane_bits;
    const uint number = (uint)get_group_id(0) * a.sets + here;

    take_row(&call, &a, OWN_SCRATCH(here * a.together, local_id), number, local_id & (lanes - 1), lanes);
#else
    const struct dynamic_quantize_call call = {x, smooth, y, scales, offsets, indices, owners, report, 0};
    const long begin = (long)get_global_id(0) * a.rows_per_item, end = min(begin + a.rows_per_item, a.rows);

    for (long number = begin; number < end; number++)
        take_row(&call, &a, OWN_SCRATCH(0, 0), (uint)number, 0, 1);
#endif
#endif
}

// SPDX-License-Identifier: Apache-2.0
// finish_scales: the ranges of find_scales.cl to scales, and zero points or offsets
//
//   KERNEL_NAME   the kernel's name
//   RANGE         finite or numbers, of find/scales.clh
//   ARITHMETIC    native or exact, of base/arithmetic.clh
//   FORM          item or group, of base/parameters.clh
#include "args/finish_scales.h"
#include "base/parameters.clh"
#include "find/scales.clh"
#include "find/join.clh"
#include "index/place.clh"

#if !defined(KERNEL_NAME) || !defined(RANGE) || !defined(ARITHMETIC) || !defined(FORM)
#error "finish_scales.cl: KERNEL_NAME, RANGE, ARITHMETIC and FORM are required"
#endif

kernel void KERNEL_NAME(global const uint2 *restrict ranges, global uchar *restrict scales,
                        global uchar *restrict zero_points, const struct finish_scales_args a)
{
#if IS_GROUP // as in find_scales.cl
    local uint2 shared[CLQ_FINISH_LANES];
#endif
    // A build rehearses with arguments of zeros, which nothing may divide by;
    // no return stands ahead of a barrier.

    // Neighbours in a group have neighbouring indices, whose ranges are neighbours too.
    const uint lanes = IS_GROUP ? max(a.lanes, 1u) : 1, here = max(a.sets, 1u);
    const uint lane = IS_GROUP ? (uint)get_local_id(0) / here : 0;
    const long begin = IS_GROUP ? (long)get_group_id(0) * here + (long)((uint)get_local_id(0) - lane * here)
                                : (long)get_global_id(0) * a.indices_per_item;
    const long end = IS_GROUP ? begin + 1 : min(begin + a.indices_per_item, a.indices * a.batches);

    for (long i = begin; i < end; i++) {
        const long batch = clq_divided_64(i, a.by_indices), index = i - batch * a.indices;
        const bool there = i < a.indices * a.batches;
        const long slices = there ? a.slices : 0,
                   first = a.ranges_offset + batch * a.batch_ranges + index * a.index_ranges;
        uint2 range = 0;

        for (long p = lane; p < slices; p += lanes)
            for (long j = 0; j < a.span; j++)
                range = max(range, ranges[p * a.slice_ranges + first + j]);
#if IS_GROUP
        range = clq_joined_range(shared, range, lane, lanes, here);
#endif
        if (lane == 0 && there) {
            const struct clq_place at = clq_place_of(batch, a.dim, a.batch_dims);

            CLQ_WRITE_SCALE(scales, zero_points, &a.output,
                            clq_scale_places(&a.output, at.scale, at.zero_point, index), range);
        }
    }
}

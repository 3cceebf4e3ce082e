// SPDX-License-Identifier: Apache-2.0
// places: places[entry] = the sum of index[k] * step[k], on both sides of what moves; -1 on both where one of
// them drops the entry
//
//   KERNEL_NAME   the kernel's name
//
// Kernels then read these places as slots of one batch. The entry is reported here.
#include "args/places.h"
#include "index/place.clh"
#include "index/target.clh"

#if !defined(KERNEL_NAME)
#error "places.cl: KERNEL_NAME is required"
#endif

// Index n on its way round a ring of so many.
static inline long in_ring(long n, long size)
{
    const long turned = n % size;

    return turned < 0 ? turned + size : turned;
}

// Number i of them, chosen of all by masks: an array of arguments at an index that only the run knows lies in
// memory, and so it does where compilers make one address of a choice between two.
static inline struct clq_coordinate coordinate_of(const struct clq_coordinates *c, uint i)
{
    struct clq_coordinate chosen = {0, 0};

    for (uint k = 0; k < CLQ_MOST_COORDINATES; k++) {
        chosen.size |= c->at[k].size & -(long)(i == k);
        chosen.step |= c->at[k].step & -(long)(i == k);
    }
    return chosen;
}

static inline struct clq_target target_at(global const uchar *indices, const struct clq_coordinates *c,
                                          long entry)
{
    struct clq_target target = {0, 0, true, false, false};

#pragma unroll 1 // of each round a division of 64 bits
    for (uint i = 0; i < c->k; i++) {
        const struct clq_coordinate in = coordinate_of(c, i);
        const long asked = clq_index(indices, c->index_offset + entry * c->index_stride + i * c->index_inner,
                                     c->wide),
                   last = in.size - 1;
        const bool wraps = c->range == CLQ_ENTRY_WRAP && last >= 0,
                   clamps = c->range == CLQ_ENTRY_CLAMP && last >= 0;
        const long at = wraps ? in_ring(asked, last + 1) : clamps ? clamp(asked, 0L, last) : asked;

        target.kept = target.kept && at >= 0 && at <= last;
        target.clamped = target.clamped || (clamps && at != asked);
        target.start += at * in.step;
    }
    return target;
}

kernel void KERNEL_NAME(global const uchar *restrict src_indices, global const uchar *restrict dst_indices,
                        global long *restrict src_places, global long *restrict dst_places,
                        global uint *restrict report, const struct places_args a)
{
    const long entry = (long)get_global_id(0);

    if (entry >= a.count)
        return;
    const struct clq_target from = target_at(src_indices, &a.from, entry),
                            to = target_at(dst_indices, &a.to, entry);
    const bool kept = from.kept && to.kept;

    if (a.report_offset >= 0 && (!kept || from.clamped || to.clamped))
        clq_report_at(report + a.report_offset, entry, kept);
    if (a.from.k > 0)
        src_places[a.from.place_offset + entry] = kept ? from.start : -1;
    if (a.to.k > 0)
        dst_places[a.to.place_offset + entry] = kept ? to.start : -1;
}

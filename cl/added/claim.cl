// SPDX-License-Identifier: Apache-2.0
// claim: the last entry of every place in a cache
//
//   owner[batch][position] = max(entry + 1) over the entries that write it
//
//   KERNEL_NAME   the kernel's name
//
// The table is zero before. A work-item claims one position of one entry, if that has a source.
#include "added/claim_hashed.clh"
#include "args/claim.h"
#include "index/source.clh"

#if !defined(KERNEL_NAME)
#error "claim.cl: KERNEL_NAME is required"
#endif

kernel void KERNEL_NAME(global const uchar *restrict indices, global uint *restrict owners,
                        global const uchar *restrict src_indices, const struct claim_args a)
{
    const long item = (long)get_global_id(0);

    if (item >= a.entries.count * a.entries.length)
        return;
    const long entry = clq_divided_64(item, a.by_length), u = item - entry * a.entries.length;
    const struct clq_target target = clq_target_of(indices, &a.entries, entry);

    if (!target.kept || !clq_has_source(src_indices, &a.source, &a.entries, entry))
        return;
    if (a.entries.overlap == CLQ_OVERLAP_HASH)
        clq_claim_hashed(indices, owners, &a.entries, target, entry);
    else
        atomic_max(owners + a.entries.owner_offset + target.batch * a.entries.size +
                       clq_position_of(&a.entries, target.start, u),
                   (uint)entry + 1u);
}

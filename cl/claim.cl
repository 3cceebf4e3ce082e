// claim: the last entry of every place in a cache. owner[batch][position] = max(entry + 1) over the entries that write it
//
//   KERNEL_NAME   the kernel's name
//
// The table is zero before. A work-item claims one position of one entry.
#include "args/claim.h"
#include "base/entries.clh"

#if !defined(KERNEL_NAME)
#error "claim.cl: KERNEL_NAME is required"
#endif

kernel void KERNEL_NAME(global const uchar *restrict indices, global uint *restrict owners, const struct claim_args a)
{
    const long item = (long)get_global_id(0);

    if (item >= a.entries.count * a.entries.length)
        return;
    const long entry = item / a.entries.length, u = item - entry * a.entries.length;
    const struct clq_target t = clq_target_of(indices, &a.entries, entry);

    if (t.keep)
        atomic_max(owners + a.entries.owner_offset + t.batch * a.entries.size + clq_position_of(&a.entries, t, u),
                   (uint)entry + 1u);
}

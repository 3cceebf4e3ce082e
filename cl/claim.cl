// SPDX-License-Identifier: Apache-2.0
// claim: the last entry of every place in a cache
//
//   owner[batch][position] = max(entry + 1) over the entries that write it
//
//   KERNEL_NAME   the kernel's name
//   PREFETCH      0 or 1, of base/hints.clh; the device's other plugs, FORM and ARITHMETIC, change nothing
//
// The table is zero before. A work-item claims one position of one entry. In a table of hashes a place has the first
// word from its hash on that no other place has; whose it is, the entry in it says.
#include "args/claim.h"
#include "base/hints.clh"
#include "base/owners.clh"

#if !defined(KERNEL_NAME) || !defined(PREFETCH)
#error "claim.cl: KERNEL_NAME and PREFETCH are required"
#endif

#define AHEAD 16 // entries

static inline void claim_hashed(global const uchar *indices, global uint *owners, const struct clq_entries *e,
                                struct clq_target t, long entry)
{
    const ulong mask = (ulong)e->owner_words - 1, first = clq_hash(e, t.batch, t.start);

    for (ulong i = 0; i <= mask; i++) {
        global uint *owner = owners + e->owner_offset + (long)((first + i) & mask);
        const uint before = atomic_cmpxchg(owner, 0u, (uint)entry + 1u);

        if (before == 0)
            return;
        if (clq_same_place(indices, e, (long)before - 1, t)) {
            atomic_max(owner, (uint)entry + 1u);
            return;
        }
    }
}

kernel void KERNEL_NAME(global const uchar *restrict indices, global uint *restrict owners, const struct claim_args a)
{
    const long item = (long)get_global_id(0);

    if (item >= a.entries.count * a.entries.length)
        return;
    const long entry = item / a.entries.length, u = item - entry * a.entries.length;
    const struct clq_target t = clq_target_of(indices, &a.entries, entry);

    // An atomic operation waits for its word, and what comes behind it waits for both.
    if (STREAMS && u == 0 && entry + AHEAD < a.entries.count) {
        const struct clq_target later = clq_target_of(indices, &a.entries, entry + AHEAD);

        if (later.keep)
            PREFETCH_WRITE(owners + clq_owner_word(&a.entries, later.batch, later.start));
    }
    if (!t.keep)
        return;
    if (a.entries.overlap == CLQ_OVERLAP_HASH)
        claim_hashed(indices, owners, &a.entries, t, entry);
    else
        atomic_max(owners + clq_owner_word(&a.entries, t.batch, clq_position_of(&a.entries, t, u)), (uint)entry + 1u);
}

// SPDX-License-Identifier: Apache-2.0
// claim.cl's meaning, as PoCL's CPUs claim: words of some positions are found and prefetched together, while
// those before them are claimed. (An atomic operation waits for its word, and what comes behind it for both.)
//
//   KERNEL_NAME   the kernel's name
#include "added/claim_hashed.clh"
#include "args/claim.h"
#include "cpu/tuning.h"
#include "cpu/x86.clh"
#include "index/source.clh"

#define NOWHERE (-1L)

// The words of positions `begin` to `end`, to be written; NOWHERE for those that no entry claims.
NO_INLINE void find_words(long *words, global const uchar *indices, global const uint *owners,
                          global const uchar *src_indices, const struct claim_args *a, long begin, long end)
{
    const struct clq_entries *e = &a->entries;

    for (long i = begin; i < end; i++) {
        const long entry = clq_divided_64(i, a->by_length), u = i - entry * e->length;
        const struct clq_target target = clq_target_of(indices, e, entry);
        const bool claims = target.kept && clq_has_source(src_indices, &a->source, e, entry);
        const long position = clq_position_of(e, target.start, u);

        words[i - begin] = claims ? clq_owner_word(e, target.batch, position) : NOWHERE;
        PREFETCH_WRITE(owners + max(words[i - begin], 0L));
    }
}

ALWAYS_INLINE void claim_words(const long *words, global const uchar *indices, global uint *owners,
                               const struct claim_args *a, long begin, long end)
{
    const struct clq_entries *e = &a->entries;

    for (long i = begin; i < end; i++) {
        const long entry = clq_divided_64(i, a->by_length), word = words[i - begin];

        if (word == NOWHERE)
            continue;
        if (e->overlap == CLQ_OVERLAP_HASH)
            clq_claim_hashed(indices, owners, e, clq_target_of(indices, e, entry), entry);
        else
            atomic_max(owners + word, (uint)entry + 1u);
    }
}

kernel void KERNEL_NAME(global const uchar *restrict indices, global uint *restrict owners,
                        global const uchar *restrict src_indices, const struct claim_args a)
{
    const long begin = (long)get_global_id(0) * CLQ_CPU_CLAIM_ITEM,
               end = min(begin + CLQ_CPU_CLAIM_ITEM, a.entries.count * a.entries.length);
    long words[2][CLQ_CPU_CLAIMS];
    uint now = 0;

    for (long i = begin; i < end + CLQ_CPU_CLAIMS; i += CLQ_CPU_CLAIMS, now ^= 1) {
        if (i < end)
            find_words(words[now], indices, owners, src_indices, &a, i, min(i + CLQ_CPU_CLAIMS, end));
        if (i > begin)
            claim_words(words[now ^ 1], indices, owners, &a, i - CLQ_CPU_CLAIMS, min(i, end));
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Loop rounds of a work-item, for the device that allows only so many (CLQ__MOST_ROUNDS). They are estimates
 * that rather say too many: what is cut shorter than it had to be costs llvmpipe a little time. It counts one
 * for leaving a loop, too, and for loops in branches that are not taken:
 * beside its elements a gathered row of dequantize.cl has 31.
 */
#ifndef CLQ_PLAN_SHARES_ROUNDS_H
#define CLQ_PLAN_SHARES_ROUNDS_H

#include "args/entries.h"
#include "runtime/launch.h"

#include <stdint.h>

/* A row that is taken apart into `outer` dimensions, with a round for each of so many elements. */
static inline int64_t clq__rounds_of_row(int64_t elements, uint32_t outer)
{
    const int64_t most = INT64_C(1) << 40; /* beyond it every row is too long */

    return 64 + 4 * (int64_t)outer + 2 * (elements < most ? elements : most);
}

/* The search for where it goes. */
static inline int64_t clq__rounds_of_place(const struct clq_entries *entries)
{
    int64_t rounds = 0;

    if (entries->overlap == CLQ_OVERLAP_SCAN)
        return 2 * entries->count;
    if (entries->overlap == CLQ_OVERLAP_HASH)
        return 64;
    if (entries->kind == CLQ_ENTRY_GROUPS)
        for (int64_t left = entries->count; left > 0; left /= 2)
            rounds += 2;
    return rounds;
}

/* How often a work-item may do what takes so many: once at least. */
static inline int64_t clq__times_within(int64_t rounds)
{
    return rounds < CLQ__MOST_ROUNDS ? CLQ__MOST_ROUNDS / rounds : 1;
}

#endif

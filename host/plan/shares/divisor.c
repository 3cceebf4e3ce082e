/* SPDX-License-Identifier: Apache-2.0 */
/* Why this divides: with m = magic, l = shift and e = m * d - 2^(63 + l), 0 <= e < d <= 2^l, n * m / 2^(63 +
 * l) is n / d + n * e / (d * 2^(63 + l)). The second part is below 1 / d for n < 2^63, so the sum has the
 * floor of n / d. And m is below 2^64, for d is above 2^(l - 1). The same holds with 31 for 63, of d below
 * 2^31: that magic number is the ceiling of this one by 2^32. */
#include "plan/shares/divisor.h"

__extension__ typedef unsigned __int128 wide;

struct clq_divisor clq__divisor(int64_t d)
{
    const uint64_t by = (uint64_t)d;
    struct clq_divisor divisor = {.magic = UINT64_C(1) << 63};

    while (UINT64_C(1) << divisor.shift < by)
        divisor.shift++;
    if (by & (by - 1)) /* a power of two has its magic: most sizes are, and this division is a long one */
        divisor.magic = (uint64_t)((((wide)1 << (63 + divisor.shift)) + by - 1) / by);
    /* of a larger d the upper word is lost, which nothing reads */
    divisor.magic32 = (uint32_t)((divisor.magic + UINT32_MAX) >> 32);
    return divisor;
}

void clq__divide_dims(struct clq_dim *dim, uint32_t dims)
{
    for (uint32_t d = 0; d + 1 < dims; d++)
        dim[d].by_size = clq__divisor(dim[d].size);
}

void clq__divide_entries(struct clq_entries *entries)
{
    if (entries->kind == CLQ_ENTRY_NONE)
        return;
    entries->by_rows = clq__divisor(entries->rows);
    if (entries->positions > 1)
        entries->by_position_rows = clq__divisor(entries->rows / entries->positions);
    if (entries->range == CLQ_ENTRY_WRAP)
        entries->by_size = clq__divisor(entries->size);
}

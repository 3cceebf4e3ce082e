/* SPDX-License-Identifier: Apache-2.0 */
/* What a work-item of a compiled kernel knows and shares. The names are those that clang gives OpenCL's
 * functions. Kernels have groups of one here, so that a work-item is a call. */
#include <stddef.h>

static _Thread_local size_t item;

void engine_set_item(size_t number)
{
    item = number;
}

size_t _Z13get_global_idj(unsigned dimension)
{
    return dimension == 0 ? item : 0;
}

size_t _Z12get_group_idj(unsigned dimension)
{
    return dimension == 0 ? item : 0;
}

size_t _Z12get_local_idj(unsigned dimension)
{
    (void)dimension;
    return 0;
}

unsigned _Z10atomic_incPU8CLglobalVj(volatile unsigned *p)
{
    return __sync_fetch_and_add(p, 1);
}

unsigned _Z10atomic_maxPU8CLglobalVjj(volatile unsigned *p, unsigned other)
{
    unsigned before = *p;

    while (before < other && !__sync_bool_compare_and_swap(p, before, other))
        before = *p;
    return before;
}

unsigned _Z14atomic_cmpxchgPU8CLglobalVjjj(volatile unsigned *p, unsigned expected, unsigned wanted)
{
    return __sync_val_compare_and_swap(p, expected, wanted);
}

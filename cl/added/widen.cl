// SPDX-License-Identifier: Apache-2.0
// widen: y[i] = f32(element i of x), or its negative, or 1 / x, for scales and zero points that the inner
// loop reads one an element; or a number in place of a 0, by which 0 can be divided
//
//   KERNEL_NAME   the kernel's name
//   ARITHMETIC    native or exact, of base/arithmetic.clh
#include "args/widen.h"
#include "base/arithmetic.clh"
#include "base/scalar.clh"
#include "index/place.clh"

#if !defined(KERNEL_NAME) || !defined(ARITHMETIC)
#error "widen.cl: KERNEL_NAME and ARITHMETIC are required"
#endif

// For what is found no scale is subnormal, but its inverse may be.
static inline uint widened(float v, const struct widen_args *a)
{
    if (a->invert == 2)
        return max(as_uint(v), 1u);
    return as_uint(a->invert ? APPLY_GRADUAL(divide, 1.0f, v) : v) ^ a->sign;
}

kernel void KERNEL_NAME(global const uchar *restrict x, global STORAGE(f32) *restrict y,
                        const struct widen_args a)
{
    // Neighbours in a group have neighbouring elements.
    const long items = a.items, first = (long)get_group_id(0) * items * a.elements_per_item;
    const long end = min(first + items * a.elements_per_item, a.elements);

    for (long i = first + (long)get_local_id(0); i < end; i += items)
        y[a.y_offset + i] =
            widened(clq_load_scale(x, a.x_offset + clq_place_of_ten(i, a.dim, a.dims).x, a.type, true), &a);
}

// SPDX-License-Identifier: Apache-2.0
// widen: y[i] = f32(element i of x), for scales and zero points that the inner loop reads one an element
//
//   KERNEL_NAME   the kernel's name
#include "args/widen.h"
#include "base/rows.clh"
#include "base/scalar.clh"
#include "base/types.clh"

#if !defined(KERNEL_NAME)
#error "widen.cl: KERNEL_NAME is required"
#endif

kernel void KERNEL_NAME(global const uchar *restrict x, global STORAGE(f32) *restrict y,
                        const struct widen_args a)
{
    const long first = (long)get_global_id(0) * a.elements_per_item;
    const long end = min(first + a.elements_per_item, a.elements);

    for (long i = first; i < end; i++)
        y[i] = as_uint(clq_load_scalar(x, a.x_offset + clq_place_of(i, a.dim, a.dims).x, a.type));
}

// SPDX-License-Identifier: Apache-2.0
// values: y[row][i] = v[i], floats; v[i] = x[row][i] * smooth[i] or smooth[row], or x[row][i] alone,
// or these turned (dynamic/rotate.clh)
//
// dynamic_quantize.cl does this on its way. It is done first where the values of one scale are no slice of a
// row, or only a slice of a turned block.
//
//   KERNEL_NAME   the kernel's name
//   SRC           f32, f16 or bf16, of base/types.clh
//   FORM          item or group, of base/parameters.clh
//   ARITHMETIC    native or exact, of base/arithmetic.clh
#include "args/values.h"
#include "base/arithmetic.clh"
#include "base/parameters.clh"
#include "dynamic/rotate.clh"
#include "base/types.clh"
#include "index/place.clh"

#if !defined(KERNEL_NAME) || !defined(SRC) || !defined(FORM) || !defined(ARITHMETIC)
#error "values.cl: KERNEL_NAME, SRC, FORM and ARITHMETIC are required"
#endif

// The part's elements, of which whole eights are filled up with zeros.
CLQ_HAS_BARRIER void take(CLQ_TURNED float *v, global const STORAGE(SRC) *x, global const uint *smooth,
                    const struct values_args *a, uint count, uint lane, uint lanes)
{
    for (uint i = lane; i < (count + 7) / 8 * 8; i += lanes) {
        float value = i < count ? LOAD(SRC, x, i * a->x_stride) : 0.0f;

        if (a->smooth && i < count)
            value = APPLY_GRADUAL(multiply, value, as_float(smooth[i * a->smooth_stride]));
        v[i] = value;
    }
    CLQ_BARRIER();
}

static inline void turn_eights(CLQ_TURNED float8 *v, uint count, uint rotate, uint lane, uint lanes)
{
    for (uint c = lane; 8 * c < count; c += lanes)
        v[c] = clq_turn_eight(v[c], rotate);
}

kernel void KERNEL_NAME(global const STORAGE(SRC) *restrict x, global const uint *restrict smooth,
                        global uint *restrict y, const struct values_args a)
{
    CLQ_TURNED float8 eights[CLQ_VALUES_SLICE / 8];
    CLQ_TURNED float *const v = (CLQ_TURNED float *)eights;
    const uint lane = IS_GROUP ? (uint)get_local_id(0) : 0, lanes = IS_GROUP ? a.lanes : 1;
    const long begin = IS_GROUP ? (long)get_group_id(0) : (long)get_global_id(0) * a.units_per_item;
    // The same for all of a group.
    const long end = min(IS_GROUP ? begin + 1 : begin + a.units_per_item, a.units);

    for (long unit = begin; unit < end; unit++) {
        const long row = clq_divided_64(unit, a.by_slices), first = (unit - row * a.slices) * a.slice;
        const uint count = (uint)min(a.slice, a.inner - first);
        const long smooth_at =
            a.smooth_rows > 0 ? row - clq_divided_64(row, a.by_smooth_rows) * a.smooth_rows : first;

        take(v, x + a.x_offset + clq_place_of(row, a.dim, a.outer).x + first * a.x_stride,
             smooth + a.smooth_offset + smooth_at, &a, count, lane, lanes);
        if (a.rotate > 0) {
            turn_eights(eights, count, a.rotate, lane, lanes);
            clq_turn(v, count, a.rotate, lane, lanes);
        }
        for (uint i = lane; i < count; i += lanes)
            y[a.y_offset + row * a.inner + first + i] =
                as_uint(a.rotate > 0 ? APPLY_GRADUAL(multiply, v[i], as_float(a.factor)) : v[i]);
    }
}

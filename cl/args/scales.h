/* SPDX-License-Identifier: Apache-2.0 */
/* How a scale, and its zero point or offset, are made of the range of some values,
 * and where they are written. */
#ifndef CLQ_ARGS_SCALES_H
#define CLQ_ARGS_SCALES_H

#include "args/types.h"

/* RANGE finite: with h = the largest magnitude (symmetric), or half of the largest value less half of the
 * least, and steps = twice_steps / 2:
 *   scale = h / steps, or to multiply with steps / h, at least `least` and at most `most`
 *   zero point = zero (symmetric), or zero + rint(-least / scale), at most zero + levels
 * RANGE numbers: scale and offset of a row (base/row_scale.clh), which lies at zero_point_offset. */
struct clq_scale_output {
    clq_i64 scale_offset, scale_stride, zero_point_offset, zero_point_stride; /* elements */
    clq_i64 zero;                                                             /* see above */
    clq_u32 twice_steps, levels;
    clq_u32 symmetric, multiply;
    clq_u32 zero_point_type; /* enum clq_scalar: F32, I8, U8, I32; NONE: no zero point is written */
    clq_u32 scale_type;      /* of numbers, enum clq_scalar: of scale and offset */
    clq_u32 top, steps;      /* of numbers: bits of floats */
    clq_u32 offset_sign;     /* of numbers: the sign bit where offsets are -bias, 0 where they are bias */
    clq_u32 least, most;     /* of finite: bits of floats */
    clq_u32 reserved;
};
CLQ_SAME_SIZE(clq_scale_output, 88);

#endif

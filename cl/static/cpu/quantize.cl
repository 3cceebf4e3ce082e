// SPDX-License-Identifier: Apache-2.0
// quantize.cl's meaning, as PoCL's CPUs stream it: with the device's own arithmetic.
//
//   KERNEL_NAME   the kernel's name
//   SRC           f32, f16 or bf16, of base/types.clh
//   DST           a type of args/type_rows.h that is quantized
//   MODE          divide or multiply, of base/arithmetic.clh
//   PARAMS        one, each or both, of base/parameters.clh
#define ARITHMETIC native
#include "args/quantize.h"
#include "base/arithmetic.clh"
#include "base/parameters.clh"
#include "base/scalar.clh"
#include "base/types.clh"
#include "static/cpu/batches.clh"
#include "static/cpu/quantize_inverse.clh"
#include "cpu/pack.clh"

#define OUT_IS_Y 1
#define IN       STORAGE(SRC)
#define OUT      STORAGE(DST)
#define X_UNIT   ELEMENTS(DST)
#define AHEAD    CLQ_CPU_AHEAD_QUANTIZE
#define HALVES   0

#define ZERO_POINTS_EACH(a) ZERO_POINT_PER_ELEMENT

// Whether quotients are made of inverses: of one scale, or of a table.
#define INVERTS_ONE  (BY_INVERSE & !SCALE_PER_ELEMENT)
#define INVERTS_EACH (BY_INVERSE & SCALE_PER_ELEMENT)

struct parameters {
    global const uint *scales, *zero_points; // of its elements, where they have their own
    const float *inverses;                   // of these scales, or null: all rows have one table
    float scale, zero_point;                 // else
    float inverse;                           // of the scale, where it has one
    bool inverts;
    bool round_first;
};

#include "static/cpu/stream.clh"

// Element number i of a row, whose scale and zero point are those of number k; `apply` is how they meet.
#define SCALE(k)      (SCALE_PER_ELEMENT ? as_float(scales[k]) : scale)
#define ZERO_POINT(k) (ZERO_POINT_PER_ELEMENT ? as_float(zero_points[k]) : zero_point)
#define VALUE(apply, i, k) (apply(LOAD(SRC, in, i), SCALE(k), k) + ZERO_POINT(k))

#define PLAINLY(x, s, k)      APPLY(MODE, x, s)
#define ROUNDED(x, s, k)      clq_rint(APPLY(MODE, x, s))
#define BY_ONE(x, s, k)       clq_quotient_by(x, s, inverse)
#define BY_INVERSES(x, s, k)  clq_quotient_by(x, s, inverses[k])

#define UNIT_OF(apply, at, k)                                                                                \
    PACK(DST, VALUE(apply, at(0), k), VALUE(apply, at(1), k + 1), VALUE(apply, at(2), k + 2),                \
         VALUE(apply, at(3), k + 3))
#define FOLLOWING(n) X_UNIT * u + n
#define EACH_UNIT(apply)                                                                                     \
    WIDE_LOOP(16, 4)                                                                                         \
    for (uint u = 0; u < count; u++)                                                                         \
        out[u] = UNIT_OF(apply, FOLLOWING, X_UNIT * u);

#if HAS_LINE(DST)
// A line has floats first. (Two loops of 64 of them stay in registers, one of 128 does not.)
#define EACH(apply)                                                                                          \
    if (count == STEP) {                                                                                     \
        float values[STEP * X_UNIT] __attribute__((aligned(64)));                                            \
                                                                                                             \
        LINE_LOOP(4)                                                                                         \
        for (uint i = 0; i < STEP; i++)                                                                      \
            values[i] = VALUE(apply, i, i);                                                                  \
        LINE_LOOP(4)                                                                                         \
        for (uint i = STEP; i < STEP * X_UNIT; i++)                                                          \
            values[i] = VALUE(apply, i, i);                                                                  \
        *(ulong8 *)out = LINE(DST, values);                                                                  \
    } else {                                                                                                 \
        EACH_UNIT(apply)                                                                                     \
    }
#else
#define EACH EACH_UNIT
#endif

ALWAYS_INLINE void step(OUT *out, global const IN *in, const struct parameters *p, long s, const uint count)
{
    global const uint *scales = p->scales + X_UNIT * s, *zero_points = p->zero_points + X_UNIT * s;
    const float *inverses = p->inverses + X_UNIT * s;
    const float scale = p->scale, zero_point = p->zero_point, inverse = p->inverse;

    if (p->round_first) {
        EACH(ROUNDED)
    } else if (INVERTS_EACH && p->inverses) {
        EACH(BY_INVERSES)
    } else if (INVERTS_ONE && p->inverts) {
        EACH(BY_ONE)
    } else {
        EACH(PLAINLY)
    }
}

#define STRIDED(n) ELEMENT_OFFSET(n, pair)
ALWAYS_INLINE void unit(OUT *out, global const IN *in, long pair, const struct parameters *p, long s)
{
    global const uint *scales = p->scales + X_UNIT * s, *zero_points = p->zero_points + X_UNIT * s;
    const float scale = p->scale, zero_point = p->zero_point;

    (void)pair; // of types that have several elements in a unit
    if (p->round_first)
        out[0] = UNIT_OF(ROUNDED, STRIDED, 0);
    else
        out[0] = UNIT_OF(PLAINLY, STRIDED, 0);
}

// A step asks for each of its ways: no row is plain.
ALWAYS_INLINE bool is_plain(const struct parameters *p)
{
    (void)p;
    return false;
}

ALWAYS_INLINE void set_plain(struct parameters *p, bool plain)
{
    (void)p, (void)plain;
}

ALWAYS_INLINE struct parameters parameters_of(const struct stream_call *call, const clq_spot *spot)
{
    const struct quantize_args *a = call->args;
    const long scale_at = a->scale_offset + SCALE_OF(*spot),
               zero_point_at = a->zero_point_offset + ZERO_POINT_OF(*spot);
    const float scale = SCALE_PER_ELEMENT ? 0.0f : clq_load_scalar(call->scales, scale_at, a->scale_type);
    const float zero_point =
        ZERO_POINT_PER_ELEMENT ? 0.0f : clq_load_scalar(call->zero_points, zero_point_at, a->zero_point_type);
    const bool inverts = INVERTS_ONE && clq_has_inverse(scale, zero_point, HAS_SIGNED_ZERO(DST));

    return (struct parameters){
        .scales = (global const uint *)call->scales + scale_at,
        .zero_points = (global const uint *)call->zero_points + zero_point_at,
        .inverses = call->inverses ? call->inverses + SCALE_OF(*spot) : 0,
        .scale = scale,
        .zero_point = zero_point,
        .inverse = inverts ? divide_native(1.0f, scale) : 0.0f,
        .inverts = inverts,
        .round_first = a->round_first != 0,
    };
}

// Whether all rows have the same scales and zero points: neither dimensions nor entries step over them.
ALWAYS_INLINE bool rows_have_one_scale(const struct quantize_args *a)
{
    const struct clq_entries *e = &a->entries;
    long steps = e->scale_batch | e->scale_start | e->zero_point_batch | e->zero_point_start;

    for (uint d = 0; d < a->outer; d++)
        steps |= a->dim[d].scale | a->dim[d].zero_point;
    return e->kind != CLQ_ENTRY_GROUPS && steps == 0;
}

// The inverses of the scales that all rows have; false where not all of them have one.
NO_INLINE bool invert(float *inverses, const struct stream_call *call)
{
    const struct quantize_args *a = call->args;
    global const uint *scales = (global const uint *)call->scales + a->scale_offset;
    global const uint *zero_points = (global const uint *)call->zero_points + a->zero_point_offset;
    const float zero_point =
        ZERO_POINT_PER_ELEMENT ? 0.0f
                               : clq_load_scalar(call->zero_points, a->zero_point_offset, a->zero_point_type);
    bool all = true;

    for (long k = 0; k < a->period * X_UNIT; k++) {
        all &= clq_has_inverse(as_float(scales[k]), ZERO_POINT(k), HAS_SIGNED_ZERO(DST));
        inverses[k] = divide_native(1.0f, as_float(scales[k]));
    }
    return all;
}

kernel void KERNEL_NAME(global const STORAGE(SRC) *restrict x, global const uchar *restrict scales,
                        global const uchar *restrict zero_points, global STORAGE(DST) *restrict y,
                        global const uchar *restrict indices, global const uint *restrict owners,
                        global uint *restrict report, const struct quantize_args a)
{
    struct stream_call call = {.in = x + a.x_offset,
                        .out = y + a.y_offset,
                        .scales = scales,
                        .zero_points = zero_points,
                        .args = &a};
    float inverses[INVERTS_EACH ? CLQ_CPU_INVERSES : 1] __attribute__((aligned(64)));

    // A build rehearses with arguments of zeros; nothing below may divide by them.
    if (a.tiles == 0)
        return;
    // Not where the work-item has too little of its own to make up for it.
    if (INVERTS_EACH && rows_have_one_scale(&a) && a.period * X_UNIT <= CLQ_CPU_INVERSES &&
        8 * a.period <= a.tiles_per_item * a.tile && invert(inverses, &call))
        call.inverses = inverses;
    run(&call, indices, owners, report);
}

// SPDX-License-Identifier: Apache-2.0
// dequantize.cl's meaning, as PoCL's CPUs stream it: with the device's own arithmetic.
//
//   KERNEL_NAME   the kernel's name
//   SRC, DST      types of args/type_rows.h: one that is quantized; f32, f16 or bf16
//   MODE          multiply or divide, of base/arithmetic.clh
//   PARAMS        one or each, of base/parameters.clh; a zero point for each element too where the arguments
//                 say so
#define ARITHMETIC native
#include "args/quantize.h"
#include "base/arithmetic.clh"
#include "base/narrow.clh"
#include "base/parameters.clh"
#include "base/scalar.clh"
#include "base/types.clh"
#include "cpu/unpack.clh"
#include "static/cpu/batches.clh"
#include "static/cpu/dequantize_table.clh"

#define OUT_IS_Y 0
#define IN       STORAGE(SRC)
#define OUT      STORAGE(DST)
#define X_UNIT   ELEMENTS(SRC)
#define AHEAD    CLQ_CPU_AHEAD_DEQUANTIZE

#define ZERO_POINTS_EACH(a) ((a)->zero_points_each != 0)
// For 4 bits results are looked up, but for rows whose elements have their own scales.
#define IS_TABLED (HAS_TABLE && ELEMENTS(SRC) == 2 && !SCALE_PER_ELEMENT)
#define X_BITS    CLQ_TYPE_BITS(DST)
#define HALVES    (sizeof(OUT) == 2 && !IS_TABLED)

struct parameters {
    global const uint *scales, *zero_points; // of its elements, where they have their own
    float scale, zero_point;                 // else
    bool zero_points_each;                   // where scales are
    bool by_both;                            // whether zero points are scales too
    bool plain;                              // no NaN can come of it
#if IS_TABLED
    TABLE(X_BITS) table; // of its results
#endif
};

#include "static/cpu/stream.clh"

// The element whose stored value is q; NaN is the canonical one.
ALWAYS_INLINE float result_of(float q, float scale, float zero_point, bool by_both)
{
    return APPLY_GRADUAL(MODE, SHIFTED(SRC, by_both, q, zero_point), scale);
}

ALWAYS_INLINE STORAGE(DST) value_of(float q, float scale, float zero_point, bool by_both)
{
    return NARROW(DST, clq_canonical(result_of(q, scale, zero_point, by_both)));
}

#if IS_TABLED
ALWAYS_INLINE TABLE(X_BITS) table_of(float scale, float zero_point, bool by_both)
{
    OUT results[16] __attribute__((aligned(64)));

    WIDE_LOOP(16, 1)
    for (uint code = 0; code < 16; code++)
        results[code] = value_of(ELEMENT(SRC, (uchar)code, 0u), scale, zero_point, by_both);
    return TABLE_OF(X_BITS, results);
}

ALWAYS_INLINE void step(OUT *out, global const IN *in, const struct parameters *p, long s, const uint count)
{
    const uint lines = count / TABLE_BYTES(X_BITS);

    (void)s; // scales are the row's
    UNROLL_LOOP
    for (uint i = 0; i < lines; i++)
        ((clq_line *)out)[i] = LOOK_UP(X_BITS, p->table, in + i * TABLE_BYTES(X_BITS));
    if (lines == 0)
        *(EIGHT(X_BITS) *)out = LOOK_UP_EIGHT(X_BITS, p->table, in);
}
#else
// Neighbours' elements, from bytes where two were in one: unpacked first, which makes better code.
ALWAYS_INLINE float element_of(global const IN *in, const ushort *bytes, uint k)
{
    return IS_UNPACKED(SRC) ? UNPACKED(SRC, ((const uchar *)bytes)[k]) : ELEMENT(SRC, in[k], 0u);
}

#define EACH(wide, value)                                                                                    \
    wide for (uint k = 0; k < count * X_UNIT; k++) out[k] = value
#define ROW(wide)                                                                                            \
    if (p->plain) {                                                                                          \
        EACH(wide, NARROW(DST, result_of(element_of(in, bytes, k), scale, zero_point, by_both)));            \
    } else if (!SCALE_PER_ELEMENT) {                                                                         \
        EACH(wide, value_of(element_of(in, bytes, k), scale, zero_point, by_both));                          \
    } else if (!p->zero_points_each) {                                                                       \
        EACH(wide, value_of(element_of(in, bytes, k), as_float(scales[k]), zero_point, by_both));            \
    } else {                                                                                                 \
        EACH(wide, value_of(element_of(in, bytes, k), as_float(scales[k]), as_float(zero_points[k]),         \
                            by_both));                                                                       \
    }

ALWAYS_INLINE void step(OUT *out, global const IN *in, const struct parameters *p, long s, const uint count)
{
    global const uint *scales = p->scales + X_UNIT * s, *zero_points = p->zero_points + X_UNIT * s;
    const float scale = p->scale, zero_point = p->zero_point;
    const bool by_both = p->by_both;
    const uint nibbles = IS_UNPACKED(SRC) ? count : 0;
    ushort bytes[STEP] __attribute__((aligned(64)));

    if (count == STEP) {
        WIDE_LOOP(32, 1)
        for (uint u = 0; u < nibbles; u++)
            bytes[u] = UNPACK(SRC, (uchar)in[u]);
        ROW(WIDE_LOOP(16, 4))
    } else if (count == SHORT_STEP) {
        WIDE_LOOP(16, 1)
        for (uint u = 0; u < nibbles; u++)
            bytes[u] = UNPACK(SRC, (uchar)in[u]);
        ROW(WIDE_LOOP(16, 2))
    } else {
        WIDE_LOOP(8, 1)
        for (uint u = 0; u < nibbles; u++)
            bytes[u] = UNPACK(SRC, (uchar)in[u]);
        ROW(WIDE_LOOP(16, 1))
    }
}
#endif

ALWAYS_INLINE void unit(OUT *out, global const IN *in, long pair, const struct parameters *p, long s)
{
    const IN both = *in;

    for (uint e = 0; e < X_UNIT; e++)
        out[e * pair] = value_of(
            ELEMENT(SRC, both, e), SCALE_PER_ELEMENT ? as_float(p->scales[X_UNIT * s + e]) : p->scale,
            SCALE_PER_ELEMENT && p->zero_points_each ? as_float(p->zero_points[X_UNIT * s + e])
                                                     : p->zero_point,
            p->by_both);
}

ALWAYS_INLINE bool is_plain(const struct parameters *p)
{
    return !IS_TABLED && p->plain;
}

ALWAYS_INLINE void set_plain(struct parameters *p, bool plain)
{
    p->plain = plain;
}

ALWAYS_INLINE struct parameters parameters_of(const struct stream_call *call, const clq_spot *spot)
{
    const struct quantize_args *a = call->args;
    const long scale = a->scale_offset + SCALE_OF(*spot),
               zero_point = a->zero_point_offset + ZERO_POINT_OF(*spot);
    const float scale_one = SCALE_PER_ELEMENT ? 0.0f : LOAD_SCALE(SRC, call->scales, scale, a->scale_type);
    const float one =
        a->zero_points_each                     ? 0.0f
        : a->zero_point_type == CLQ_SCALAR_NONE ? -0.0f // which most rows have: no table is asked
            : LOAD_ZERO_POINT(SRC, call->zero_points, zero_point, a->zero_point_type);

    return (struct parameters){
        .scales = (global const uint *)call->scales + scale,
        .zero_points = (global const uint *)call->zero_points + zero_point,
        .scale = scale_one,
        .zero_point = as_float(as_uint(one) ^ a->zero_point_sign),
        .zero_points_each = a->zero_points_each != 0,
        .by_both = a->by_both != 0,
#if IS_TABLED
        .table = table_of(scale_one, as_float(as_uint(one) ^ a->zero_point_sign), a->by_both != 0),
#endif
        .plain = NEVER_NAN(SRC) ? scale_one != 0.0f && clq_is_finite(one) && clq_is_finite(scale_one) : false,
    };
}

kernel void KERNEL_NAME(global STORAGE(DST) *restrict x, global const uchar *restrict scales,
                        global const uchar *restrict zero_points, global const STORAGE(SRC) *restrict y,
                        global const uchar *restrict indices, global const uint *restrict owners,
                        global uint *restrict report, const struct quantize_args a)
{
    struct stream_call call = {.in = y + a.y_offset,
                        .out = x + a.x_offset,
                        .scales = scales,
                        .zero_points = zero_points,
                        .args = &a};

    // A build rehearses with arguments of zeros; nothing below may divide by them.
    if (a.tiles > 0)
        run(&call, indices, owners, report);
}

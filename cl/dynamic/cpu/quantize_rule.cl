// SPDX-License-Identifier: Apache-2.0
// quantize_rule.cl's meaning, for PoCL's CPUs: with the device's own arithmetic, and one block a row.
//
//   KERNEL_NAME   the kernel's name
//   SRC           f32, f16 or bf16, of base/types.clh
//   DST           e4m3, e5m2 or e2m1, of args/type_rows.h
#define ARITHMETIC native
#include "args/dynamic_quantize.h"
#include "dynamic/rule.clh"
#include "base/types.clh"
#include "cpu/row_layout.clh"
#include "cpu/walk.clh"
#include "index/units.clh"

// Bytes of y.
#define COMBINED_VALUE      uchar
#define COMBINED_LINE       64
#define COMBINED_LINE_OF(v) (*(const ulong8 *)(v))
#include "cpu/combine.clh"

// The data that all blocks share.
struct quantize_rule_call {
    global const STORAGE(SRC) *x;
    global STORAGE(DST) *y;
    global uchar *scales;
    const struct dynamic_quantize_args *args;
    struct clq_global global_scale;
    bool x_dense, y_dense; // elements, and units, that follow one another
    bool past;             // whether results are stored past the caches
};

typedef ulong eight_bytes __attribute__((aligned(1)));
typedef uint four_bytes __attribute__((aligned(1)));

// Eight elements of a row from `at` on; what is behind its end is zeros, which set no scale.
ALWAYS_INLINE float8 load_eight(const struct quantize_rule_call *call, global const STORAGE(SRC) *x, long at,
                                uint count)
{
    float v[8] __attribute__((aligned(32)));

    for (uint k = 0; k < 8; k++)
        v[k] = k < count ? LOAD(SRC, x, CLQ_X_PLACE(call->args, ELEMENTS(DST), at + k)) : 0.0f;
    return *(const float8 *)v;
}

// clq_rule_key.
ALWAYS_INLINE int8 keys_of(float8 v, uint rule)
{
    const int8 sizes = as_int8(v) & 0x7fffffff;

    return HAS_NVFP4 && rule == CLQ_RULE_NVFP4 ? (sizes > (int)INFINITE_KEY ? (int8)(0) : sizes) : sizes;
}

ALWAYS_INLINE uint largest_of(int8 v, long least)
{
    const int4 four = max(v.lo, v.hi);
    const int2 two = max(four.lo, four.hi);

    return max((uint)max(two.x, two.y), (uint)least);
}

// For the type: bits of the fraction, the exponent's bias, and the code of NaN.
#define FRACTION      CLQ_CAT(fraction_, DST)
#define fraction_e4m3 3
#define fraction_e5m2 2
#define fraction_e2m1 1
#define BIAS          CLQ_CAT(bias_, DST)
#define bias_e4m3     7
#define bias_e5m2     15
#define bias_e2m1     1
#define NAN_CODE      (CLQ_TYPE_BITS(DST) == 4 ? 0 : 0x7f)

// clq_ruled_value and clq_narrow_small, of numbers or of a block that has none but zeros and NaN.
ALWAYS_INLINE int8 codes_of(float8 v, struct clq_ruled scale)
{
    const int8 sign = (as_int8(v) ^ as_int(scale.inv_scale)) & (int)0x80000000,
               size = as_int8(v * scale.inv_scale * scale.after) & 0x7fffffff;
    const int8 inside = size < (int)LARGEST ? size : (int8)((int)LARGEST), own = inside & 0x7f800000;
    const int8 power = own > ((128 - BIAS) << 23) ? own : (int8)((128 - BIAS) << 23);
    const int8 sum = as_int8(as_float8(inside) + as_float8(power + ((23 - FRACTION) << 23)));
    const int8 code = (sum & ((4 << FRACTION) - 1)) + (sum >> (23 - FRACTION)) -
                      ((128 - BIAS + 23 - FRACTION) << FRACTION);

    return size > (int)INFINITE_KEY ? (int8)(NAN_CODE)
                                    : code | as_int8(as_uint8(sign) >> (32 - CLQ_TYPE_BITS(DST)));
}

// The bytes of eight.
ALWAYS_INLINE void put_eight(uchar *to, int8 codes)
{
    const ulong eight = as_ulong(__builtin_convertvector(codes, uchar8));

    if (CLQ_TYPE_BITS(DST) == 8)
        *(eight_bytes *)to = eight;
    else
        *(four_bytes *)to = as_uint(as_uchar8(eight | eight >> 4).s0246);
}

// A NaN of a block makes all others zeros, where the scale is to show it.
ALWAYS_INLINE float8 shown(float8 v, struct clq_ruled scale)
{
    const int8 sign = as_int8(v) & (int)0x80000000;

    return scale.of_nan != 0 ? (v == v ? as_float8(sign) : v) : v;
}

// Blocks of 16 and 32 that follow one another, in y as in x: they are loaded once.
ALWAYS_INLINE void take_eights(const struct quantize_rule_call *call, struct combined *combined,
                               clq_spot spot, const uint eights)
{
    const uint rule = call->args->rule, bytes = eights * 8 / ELEMENTS(DST);
    uchar *const to = combined_place(combined, (global uchar *)(call->y + spot.y), call->past);
    global const STORAGE(SRC) *const x = call->x + spot.x;
    float8 v[4];
    int8 keys = 0;
    struct clq_ruled scale;

    for (uint line = 0; line < 8 * eights * sizeof(*x); line += 64)
        PREFETCH((global const uchar *)x + CLQ_CPU_AHEAD_DYNAMIC + line);
    WIDE_LOOP(8, 2)
    for (uint k = 0; k < 8 * eights; k++)
        ((float *)v)[k] = LOAD(SRC, x, k);
    UNROLL_LOOP
    for (uint s = 0; s < eights; s++)
        keys = max(keys, keys_of(v[s], rule));
    scale = clq_ruled(largest_of(keys, call->args->least), rule, call->global_scale);
    call->scales[SCALE_OF(spot)] = (uchar)scale.code;
    UNROLL_LOOP
    for (uint s = 0; s < eights; s++)
        put_eight(to + s * bytes / eights, codes_of(shown(v[s], scale), scale));
    combined_add(combined, bytes, call->past);
}

// Units wherever they lie.
ALWAYS_INLINE void store_units(const struct quantize_rule_call *call, global STORAGE(DST) *y,
                               const uchar *bytes, long first, uint units)
{
    const struct dynamic_quantize_args *a = call->args;

    for (uint k = 0; k < units; k++)
        y[clq_unit_place(a, first + k)] = bytes[k];
}

// Any block, which is loaded twice.
NO_INLINE void take_any(const struct quantize_rule_call *call, clq_spot spot)
{
    const long elements = call->args->inner * ELEMENTS(DST);
    global const STORAGE(SRC) *const x = call->x + spot.x;
    int8 keys = 0;
    struct clq_ruled scale;

    for (long at = 0; at < elements; at += 8)
        keys = max(keys, keys_of(load_eight(call, x, at, (uint)min(elements - at, 8L)), call->args->rule));
    scale = clq_ruled(largest_of(keys, call->args->least), call->args->rule, call->global_scale);
    call->scales[SCALE_OF(spot)] = (uchar)scale.code;
    for (long at = 0; at < elements; at += 8) {
        const uint count = (uint)min(elements - at, 8L);
        uchar bytes[8];

        put_eight(bytes, codes_of(shown(load_eight(call, x, at, count), scale), scale));
        store_units(call, call->y + spot.y, bytes, at / ELEMENTS(DST), count / ELEMENTS(DST));
    }
}

// Blocks `begin` to `end`.
NO_INLINE void stream(const struct quantize_rule_call *call, const struct clq_layout *layout, long begin,
                      long end)
{
    const clq_spot jump = clq_step_of(layout);
    const long elements = call->args->inner * ELEMENTS(DST);
    const bool dense = call->x_dense && call->y_dense && (elements == 16 || elements == 32);
    const uint eights = dense ? (uint)elements / 8 : 0;
    struct combined combined;
    struct clq_walk walk;
    struct clq_run run;

    combined_begin(&combined);
    clq_walk_begin(&walk, layout, begin, end);
    while (clq_walk_next(&run, &walk, layout, CLQ_CPU_BATCH))
        for (uint r = 0; r < run.rows; r++) {
            const clq_spot spot = run.spot + r * jump;

            if (eights == 4)
                take_eights(call, &combined, spot, 4);
            else if (eights == 2)
                take_eights(call, &combined, spot, 2);
            else
                take_any(call, spot);
        }
    combined_end(&combined, call->past);
}

kernel void KERNEL_NAME(global const STORAGE(SRC) *restrict x, global const uint *restrict smooth,
                        global STORAGE(DST) *restrict y, global uchar *restrict scales,
                        global const uchar *restrict offsets, global const uchar *restrict indices,
                        global const uint *restrict owners, global uint *restrict report,
                        const struct dynamic_quantize_args a)
{
    const struct clq_layout layout = clq_row_layout(&a, indices, owners, report);
    const bool given = HAS_NVFP4 && a.offset_type == CLQ_SCALAR_F32;
    const struct quantize_rule_call call = {
        .x = x + a.x_offset,
        .y = y + a.y_offset,
        .scales = scales + a.scale_offset,
        .args = &a,
        .global_scale = {given ? LOAD(f32, (global const uint *)offsets, a.offset_offset) : 0.0f, given},
        .x_dense = CLQ_X_IS_DENSE(&a, ELEMENTS(DST)),
        .y_dense = CLQ_Y_IS_DENSE(&a),
        .past = a.rows * a.inner > CLQ_CPU_STORE_PAST,
    };
    const long begin = (long)get_global_id(0) * a.rows_per_item, end = min(begin + a.rows_per_item, a.rows);

    // A build rehearses with arguments of zeros; nothing below may divide by them.
    if (a.rows == 0)
        return;
    stream(&call, &layout, begin, end);
    if (call.past)
        STORE_FENCE();
    (void)smooth; // multiplied before
}

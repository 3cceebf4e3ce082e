// SPDX-License-Identifier: Apache-2.0
// dequantize_rotated.cl's meaning, for PoCL's CPUs: with the device's own arithmetic.
//
//   KERNEL_NAME   the kernel's name
//   SRC, DST      types of args/type_rows.h: one that is quantized; f32, f16 or bf16
//   MODE          multiply, of base/arithmetic.clh
#define ARITHMETIC native
#include "args/dynamic_quantize.h"
#include "base/arithmetic.clh"
#include "base/narrow.clh"
#include "base/scalar.clh"
#include "base/types.clh"
#include "dynamic/cpu/rotate.clh"
#include "cpu/row_layout.clh"
#include "cpu/unpack.clh"
#include "cpu/walk.clh"
#include "index/units.clh"

#define BY_BOTH(a) (HAS_BOTH(SRC) && (a)->rule != 0) // NVFP4 with a second scale
#define STEP_UNITS (TURNED_STEP / ELEMENTS(SRC))
#define LINE_UNITS (64 / (uint)sizeof(STORAGE(DST))) // of x

// The data that all rows share.
struct dequantize_rotated_call {
    global const STORAGE(SRC) *y;
    global STORAGE(DST) *x;
    const struct dynamic_quantize_args *args;
    bool dense; // units follow one another
    bool lines; // and rows of x begin where lines do
    bool past;  // whether results are stored past the caches
};

// For a row.
struct parameters {
    float scale, zero_point;
};

// A step of neighbours: two in a byte are unpacked first, which makes better code.
typedef STORAGE(SRC) sixteen_units __attribute__((ext_vector_type(16)));
typedef sixteen_units units_anywhere __attribute__((aligned(sizeof(STORAGE(SRC)))));
typedef char sixteen_bytes __attribute__((ext_vector_type(16)));

ALWAYS_INLINE void load_step(float16 *v, global const STORAGE(SRC) *y)
{
    ushort bytes[STEP_UNITS] __attribute__((aligned(64)));

    if (IS_UNPACKED(SRC)) {
        WIDE_LOOP(32, 1)
        for (uint u = 0; u < STEP_UNITS; u++)
            bytes[u] = UNPACK(SRC, (uchar)y[u]);
    }
    if (!IS_WHOLE(SRC)) {
        WIDE_LOOP(16, 1)
        for (uint k = 0; k < TURNED_STEP; k++)
            ((float *)v)[k] =
                IS_UNPACKED(SRC) ? UNPACKED(SRC, ((const uchar *)bytes)[k]) : ELEMENT(SRC, y[k], 0);
    } else if (IS_UNPACKED(SRC)) {
        EACH_OF_EIGHT(v[i] = __builtin_convertvector(((const sixteen_bytes *)bytes)[i], float16))
    } else {
        EACH_OF_EIGHT(v[i] = __builtin_convertvector(*(global const units_anywhere *)(y + 16 * i), float16))
    }
}

// A step that is not whole, or whose elements do not follow one another; what is missing of it is zeros.
NO_INLINE void load_any(const struct dequantize_rotated_call *call, float16 *v, global const STORAGE(SRC) *y,
                        long at, uint count)
{
    const struct dynamic_quantize_args *a = call->args;
    float *values = (float *)v;

    for (uint k = 0; k < TURNED_STEP; k++) {
        const long i = at + k;

        values[k] = 0.0f;
        if (k < count)
            values[k] = ELEMENT(SRC, y[clq_unit_place(a, i / ELEMENTS(SRC))], (uint)(i % ELEMENTS(SRC)));
    }
}

// Elements `at` to `at` + `count` of a row, turned.
ALWAYS_INLINE void turn(const struct dequantize_rotated_call *call, float *values,
                        global const STORAGE(SRC) *y, const struct parameters *p, long at, uint count)
{
    const struct dynamic_quantize_args *a = call->args;
    const uint r = a->rotate;

    for (uint done = 0; done < count; done += TURNED_STEP) {
        float16 *to = (float16 *)(values + done), v[8];

        if (call->dense && done + TURNED_STEP <= count) {
            load_step(v, y + (at + done) / ELEMENTS(SRC));
        } else {
            load_any(call, to, y, at + done, min(count - done, (uint)TURNED_STEP));
            EACH_OF_EIGHT(v[i] = to[i])
        }
        if (BY_BOTH(a)) {
            EACH_OF_EIGHT(v[i] = v[i] * p->zero_point * p->scale)
        } else {
            EACH_OF_EIGHT(v[i] = (v[i] - p->zero_point) * p->scale)
        }
        clq_turn_step(v, r);
        EACH_OF_EIGHT(to[i] = v[i])
    }
    clq_turn_slice(values, count, r);
}

ALWAYS_INLINE STORAGE(DST) narrowed(float v, float factor)
{
    return NARROW(DST, clq_canonical(APPLY_GRADUAL(MODE, v, factor)));
}

// Elements `at` to `at` + `count`, from the row's first one at x.
ALWAYS_INLINE void store(const struct dequantize_rotated_call *call, global STORAGE(DST) *x,
                         const float *values, long at, uint count)
{
    const struct dynamic_quantize_args *a = call->args;
    const float factor = as_float(a->factor);
    STORAGE(DST) step[TURNED_STEP] __attribute__((aligned(64)));
    uint done = 0;

    for (; call->dense && done + TURNED_STEP <= count; done += TURNED_STEP) {
        WIDE_LOOP(16, 4)
        for (uint k = 0; k < TURNED_STEP; k++)
            step[k] = narrowed(values[done + k], factor);
        UNROLL_LOOP
        for (uint k = 0; k < TURNED_STEP; k += LINE_UNITS) {
            const ulong8 line = *(const ulong8 *)(step + k);

            if (call->lines)
                clq_store_line((global ulong8 *)(x + at + done + k), line, call->past);
            else
                *(global clq_line *)(x + at + done + k) = line;
        }
    }
    for (; done < count; done++)
        x[CLQ_X_PLACE(a, ELEMENTS(SRC), at + done)] = narrowed(values[done], factor);
}

// Rows `begin` to `end`.
NO_INLINE void turned_rows(const struct dequantize_rotated_call *call, const struct clq_layout *layout,
                           global const uchar *scales, global const uchar *offsets, long begin, long end)
{
    const struct dynamic_quantize_args *a = call->args;
    const clq_spot jump = clq_step_of(layout);
    const long elements = a->inner * ELEMENTS(SRC);
    float values[TURNED_MOST] __attribute__((aligned(64)));
    struct clq_walk walk;
    struct clq_run run;

    clq_walk_begin(&walk, layout, begin, end);
    while (clq_walk_next(&run, &walk, layout, CLQ_CPU_BATCH))
        for (uint r = 0; r < run.rows; r++, run.spot += jump) {
            // The offset is negated, because the kernel subtracts.
            const struct parameters p = {
                LOAD_SCALE(SRC, scales, a->scale_offset + SCALE_OF(run.spot), a->scale_type),
                as_float(as_uint(LOAD_ZERO_POINT(SRC, offsets, a->offset_offset + ZERO_POINT_OF(run.spot),
                                                 a->offset_type)) ^
                         (BY_BOTH(a) ? 0u : 0x80000000u))};

            for (long at = 0; at < elements; at += TURNED_MOST) {
                const uint count = (uint)min(elements - at, (long)TURNED_MOST);

                turn(call, values, call->y + run.spot.y, &p, at, count);
                store(call, call->x + run.spot.x, values, at, count);
            }
        }
}

kernel void KERNEL_NAME(global STORAGE(DST) *restrict x, global const STORAGE(SRC) *restrict y,
                        global const uchar *restrict scales, global const uchar *restrict offsets,
                        global const uchar *restrict indices, global const uint *restrict owners,
                        global uint *restrict report, const struct dynamic_quantize_args a)
{
    const struct clq_layout layout = clq_row_layout(&a, indices, owners, report);
    const bool dense = CLQ_Y_IS_DENSE(&a) && CLQ_X_IS_DENSE(&a, ELEMENTS(SRC));
    const size_t row_bytes = (size_t)(a.inner * ELEMENTS(SRC)) * sizeof(STORAGE(DST));
    const struct dequantize_rotated_call call = {
        .y = y + a.y_offset,
        .x = x + a.x_offset,
        .args = &a,
        .dense = dense,
        .lines = dense &&
                 clq_all_in_lines((size_t)(x + a.x_offset) | row_bytes, &layout, sizeof(STORAGE(DST)), false),
        .past = a.rows * (long)row_bytes > CLQ_CPU_STORE_PAST,
    };
    const long begin = (long)get_global_id(0) * a.rows_per_item, end = min(begin + a.rows_per_item, a.rows);

    // A build rehearses with arguments of zeros; nothing below may divide by them.
    if (a.rows == 0)
        return;
    turned_rows(&call, &layout, scales, offsets, begin, end);
    if (call.past)
        STORE_FENCE();
}

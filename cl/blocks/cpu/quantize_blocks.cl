// SPDX-License-Identifier: Apache-2.0
// quantize_blocks.cl's meaning, for PoCL's CPUs: with the device's own arithmetic, and no smooth scales.
//
//   KERNEL_NAME   the kernel's name
//   SRC           f32, f16 or bf16, of base/types.clh
//   DST           a block type of args/type_rows.h
#define ARITHMETIC native
#include "args/dynamic_quantize.h"
#include "blocks/codes.clh"
#include "base/narrow.clh"
#include "cpu/row_layout.clh"
#include "cpu/walk.clh"

#define BYTES (2 * BLOCK_WORDS(DST))
#define FOUR  (CLQ_BLOCK_VALUES / 8)

// Bytes of blocks.
#define COMBINED_VALUE      uchar
#define COMBINED_LINE       64
#define COMBINED_LINE_OF(v) (*(const ulong8 *)(v))
#include "cpu/combine.clh"

typedef ulong eight_bytes __attribute__((aligned(1)));
typedef ushort two_bytes __attribute__((aligned(1)));

// The data that all blocks share.
struct quantize_blocks_call {
    global const STORAGE(SRC) *x;
    global ushort *y;
    long stride;
    bool past; // whether results are stored past the caches
};

ALWAYS_INLINE void load_block(float8 *v, global const STORAGE(SRC) *x, long stride)
{
    float *const values = (float *)v;

    if (stride == 1) {
        WIDE_LOOP(8, 4)
        for (uint i = 0; i < CLQ_BLOCK_VALUES; i++)
            values[i] = LOAD(SRC, x, i);
    } else {
        for (uint i = 0; i < CLQ_BLOCK_VALUES; i++)
            values[i] = LOAD(SRC, x, i * stride);
    }
}

// The first of the block's values of this magnitude.
NO_INLINE uint first_of_block(const float8 *v, uint size)
{
    const uint *const bits = (const uint *)v;
    uint i = 0;

    while (size_of(bits[i]) != size)
        i++;
    return bits[i];
}

// For the largest magnitude without its sign, where no other extreme counts.
ALWAYS_INLINE struct extremes size_of_block(const float8 *v)
{
    int8 sizes = as_int8(v[0]) & 0x7fffffff;

    UNROLL_LOOP
    for (uint s = 1; s < FOUR; s++) {
        const int8 others = as_int8(v[s]) & 0x7fffffff;

        sizes = others > sizes ? others : sizes;
    }
    return (struct extremes){.first = as_uint(largest_key(sizes))};
}

ALWAYS_INLINE struct extremes ends_of_block(const float8 *v)
{
    int8 high = KEYS(as_int8(v[0]), as_uint8, as_int8), low = high;
    struct extremes e;

    UNROLL_LOOP
    for (uint s = 1; s < FOUR; s++) {
        const int8 keys = KEYS(as_int8(v[s]), as_uint8, as_int8);

        high = keys > high ? keys : high;
        low = keys < low ? keys : low;
    }
    e.high = as_uint(KEYS(largest_key(high), as_uint, as_int));
    e.low = as_uint(KEYS(least_key(low), as_uint, as_int));
    e.first = size_of(e.high) >= size_of(e.low) ? e.high : e.low;
    // Both signs have the largest magnitude, or the least value is a zero, of either sign.
    if (WAY >= way_first && size_of(e.high) == size_of(e.low) && e.high != e.low)
        e.first = first_of_block(v, size_of(e.first));
    if (WAY == way_range && size_of(e.low) == 0u)
        e.low = first_of_block(v, 0u);
    return e;
}

NO_INLINE void drop_nan(float8 *v)
{
    for (uint s = 0; s < FOUR; s++)
        v[s] = v[s] == v[s] ? v[s] : (float8)(0.0f);
}

// NaN counts as 0, and becomes it: its magnitude is above that of an infinity.
ALWAYS_INLINE struct extremes extremes_of_block(float8 *v)
{
    struct extremes e;

    for (;;) {
        e = WAY == way_largest ? size_of_block(v) : ends_of_block(v);
        if (size_of(e.first) <= 0x7f800000u)
            return e;
        drop_nan(v);
    }
}

// codes_of, where d is finite: then all are numbers of a few digits, which a conversion cuts.
ALWAYS_INLINE int8 finite_codes(float8 v, struct scale scale)
{
    const float8 scaled = (WAY == way_range ? v - scale.least : v) * scale.inverse;
    const int most = (1 << CLQ_BLOCK_CODE_BITS(DST)) - 1;
    int8 codes;

    if (WAY == way_levels)
        return nearest_level(scaled);
    // With the sum's own rounding the float below a half takes halves up, and what is below them down.
    if (WAY == way_largest)
        return __builtin_convertvector(
            scaled + as_float8((as_uint8(scaled) & 0x80000000u) | 0x3effffffu), int8);
    codes = __builtin_convertvector(
        scaled + (WAY == way_range ? 0.5f : 0.5f - CLQ_TYPE_LOWEST(DST)), int8);
    return codes < most ? codes : (int8)(most);
}

NO_INLINE void infinite_codes(int8 *codes, const float8 *v, struct scale scale)
{
    for (uint s = 0; s < FOUR; s++)
        codes[s] = codes_of(v[s], scale);
}

// A block's bytes, wherever they lie.
ALWAYS_INLINE void put_block(uchar *to, const float8 *v, struct scale scale)
{
    uchar *const codes_at = to + 2 * BLOCK_CODES_AT(DST);
    float d = scale.d;
    int8 codes[FOUR];

    if (size_of(as_uint(scale.d)) < 0x7f800000u) {
        UNROLL_LOOP
        for (uint s = 0; s < FOUR; s++)
            codes[s] = finite_codes(v[s], scale);
    } else {
        infinite_codes(codes, v, scale);
    }
    if (WAY == way_levels) {
        struct sums sums = {0.0f, 0.0f};

        UNROLL_LOOP
        for (uint s = 0; s < FOUR; s++)
            sums = with_eight(sums, v[s], codes[s]);
        d = d_by(sums, scale);
    }
    *(two_bytes *)to = NARROW(f16, clq_canonical(d));
    if (BLOCK_LEAST(DST))
        *(two_bytes *)(to + 2) = NARROW(f16, scale.least);
    UNROLL_LOOP
    for (uint s = 0; s < FOUR; s++) {
        if (BLOCK_FIFTH(DST))
            *(codes_at - FOUR + s) = (uchar)packed(codes[s] >> 4, 1);
        if (CLQ_BLOCK_CODE_BITS(DST) == 8)
            ((eight_bytes *)codes_at)[s] = as_ulong(__builtin_convertvector(codes[s], char8));
        else if (s < FOUR / 2)
            ((eight_bytes *)codes_at)[s] = as_ulong(
                __builtin_convertvector((codes[s] & 15) | (codes[s + FOUR / 2] & 15) << 4, uchar8));
    }
}

// Blocks that are done together, step by step: one would wait for its own divisions.
#define TOGETHER 8
struct together {
    float8 v[TOGETHER][FOUR] __attribute__((aligned(64)));
    struct extremes extremes[TOGETHER];
    struct scale scale[TOGETHER];
};

ALWAYS_INLINE void take_blocks(const struct quantize_blocks_call *call, struct combined *combined,
                               clq_spot spot, clq_spot jump, uint count)
{
    struct together t;

    for (uint b = 0; b < count; b++) {
        global const STORAGE(SRC) *const x = call->x + spot.x + b * jump.x;

        for (uint line = 0; line < CLQ_BLOCK_VALUES * sizeof(*x); line += 64)
            PREFETCH((global const uchar *)x + CLQ_CPU_AHEAD_DYNAMIC + line);
        load_block(t.v[b], x, call->stride);
        t.extremes[b] = extremes_of_block(t.v[b]);
    }
    for (uint b = 0; b < count; b++)
        t.scale[b] = block_scale_of(t.extremes[b]);
    for (uint b = 0; b < count; b++) {
        global uchar *const y = (global uchar *)(call->y + spot.y + b * jump.y);

        put_block(combined_place(combined, y, call->past), t.v[b], t.scale[b]);
        combined_add(combined, BYTES, call->past);
    }
}

// Blocks `begin` to `end`.
NO_INLINE void stream(const struct quantize_blocks_call *call, const struct clq_layout *layout, long begin,
                      long end)
{
    const clq_spot jump = clq_step_of(layout);
    struct combined combined;
    struct clq_walk walk;
    struct clq_run run;

    combined_begin(&combined);
    clq_walk_begin(&walk, layout, begin, end);
    while (clq_walk_next(&run, &walk, layout, CLQ_CPU_BATCH))
        for (uint r = 0; r < run.rows; r += TOGETHER)
            take_blocks(call, &combined, run.spot + r * jump, jump, min(run.rows - r, (uint)TOGETHER));
    combined_end(&combined, call->past);
}

kernel void KERNEL_NAME(global const STORAGE(SRC) *restrict x, global const uint *restrict smooth,
                        global ushort *restrict y, global uchar *restrict scales,
                        global uchar *restrict offsets, global const uchar *restrict indices,
                        global const uint *restrict owners, global uint *restrict report,
                        const struct dynamic_quantize_args a)
{
    const struct clq_layout layout = clq_row_layout(&a, indices, owners, report);
    const struct quantize_blocks_call call = {
        .x = x + a.x_offset,
        .y = y + a.y_offset,
        .stride = a.x_stride,
        .past = a.rows * BYTES > CLQ_CPU_STORE_PAST,
    };
    const long begin = (long)get_global_id(0) * a.rows_per_item, end = min(begin + a.rows_per_item, a.rows);

    // A build rehearses with arguments of zeros; nothing below may divide by them.
    if (a.rows == 0)
        return;
    stream(&call, &layout, begin, end);
    if (call.past)
        STORE_FENCE();
    (void)smooth, (void)scales, (void)offsets; // none are there, or blocks carry them
}

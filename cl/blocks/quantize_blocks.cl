// SPDX-License-Identifier: Apache-2.0
// quantize_blocks: each 32 neighbours of x become a block that carries its scale (base/blocks.clh)
//
//   v[i] = x[i], or x[i] * smooth[i]; 0 where that is NaN
//   inv = 1 / d, and 0 where d is 0 or subnormal
//   way        d                                          code
//   largest    max|v| / TOP                               v * inv, to the nearest, halves away from 0
//   first      m / LOWEST, m the first of the largest     v * inv - LOWEST + 0.5, cut; at most 15 or 31
//              magnitude
//   range      (hi - lo) / TOP                            (v - lo) * inv + 0.5, cut; at most 15 or 31
//   levels     a / b                                      the level nearest to v * inv of m / LOWEST
//
// Every operation is rounded to binary32, and codes come from d before it is stored as float16. levels:
// d = a / b, where a is the sum of ((v * v) * L) * v and b that of ((v * v) * L) * L; L is the value's level;
// summed in order.
//   KERNEL_NAME   the kernel's name
//   SRC           f32, f16 or bf16, of base/types.clh
//   DST           a block type of args/type_rows.h
//   SMOOTH        0: smooth is never read. 1: x is multiplied by it
//   ARITHMETIC    native or exact, of base/arithmetic.clh
//   FORM          item or group, of base/parameters.clh
//
// Arguments and buffers are those of dynamic_quantize.cl. A row is one block, of which a work-item of a group
// takes eight values.
#include "args/dynamic_quantize.h"
#include "blocks/codes.clh"
#include "base/chunk.clh"
#include "base/barrier.clh"
#include "base/narrow.clh"
#include "base/parameters.clh"
#include "index/entry.clh"
#include "index/place.clh"

#define WORDS       BLOCK_WORDS(DST)
#define MOST_BLOCKS 32 // of a group
#define FOUR        (CLQ_BLOCK_VALUES / 8)
#define NOT_KEPT    -1L

#if IS_GROUP
#define SHARED local
#define EIGHTS 1 // of a work-item
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#else
#define SHARED private
#define EIGHTS FOUR
#define BARRIER()
#endif

// The memory that the work-items of a block share.
struct memory {
    long y_at; // where its words are in y
    struct extremes extremes[FOUR];
    struct sums sums;
    uint nibbles[FOUR];
    ushort words[WORDS];
};

// The data that all blocks share.
struct quantize_blocks_call {
    global const STORAGE(SRC) *x;
    global const uint *smooth;
    global ushort *y;
    global const uchar *indices;
    global const uint *owners;
    global uint *report;
};

#define EIGHT_OF(of)   ((float8)(of(0), of(1), of(2), of(3), of(4), of(5), of(6), of(7)))
#define CHUNK_VALUE(k) CHUNK_ELEMENT(SRC, chunk, k)
#define FAR_VALUE(k)   LOAD(SRC, x, k * stride)
static inline float8 load_eight(global const STORAGE(SRC) *x, long stride)
{
    if (stride == 1 && ((size_t)x & 15) == 0) {
        const uint4 chunk = ((global const uint4 *)x)[0];
#if CHUNK(SRC) == 4
        return (float8)(as_float4(chunk), as_float4(((global const uint4 *)x)[1]));
#else
        return EIGHT_OF(CHUNK_VALUE);
#endif
    }
    return EIGHT_OF(FAR_VALUE);
}

// For a block's values those from number 8s on; NaN counts as 0. Blocks of one row follow one another in x's
// smooth scales.
static inline float8 eight_at(const struct quantize_blocks_call *call, const struct dynamic_quantize_args *a,
                              uint number, long x_at, uint s)
{
    float8 v = load_eight(call->x + x_at + clq_times(8 * s, a->x_stride), a->x_stride);

    if (SMOOTH) {
        const uint blocks = (uint)a->smooth_blocks,
                   before = blocks > 0 ? number - clq_divided_32(number, a->by_smooth_blocks) * blocks : 0;

        v = product_of(
            v, as_float8(vload8(s, call->smooth + a->smooth_offset + (ulong)before * CLQ_BLOCK_VALUES)));
    }
    return v == v ? v : (float8)(0.0f);
}

// The place of a block's words in y, and its values in x. One of those that ask for it reports its entry.
static inline long find_block(const struct quantize_blocks_call *call, const struct dynamic_quantize_args *a,
                              uint number, bool reports, long *x_at)
{
    struct clq_place place;

    if (number >= (uint)a->rows)
        return NOT_KEPT;
    place = clq_place_of_32(number, a->dim, a->outer);
    if (a->entries.kind != CLQ_ENTRY_NONE) {
        const struct clq_entry_place at =
            clq_entry_place_of(call->indices, call->owners, call->report, &a->entries, number, reports);

        if (!at.kept)
            return NOT_KEPT;
        place.y += at.y;
    }
    *x_at = a->x_offset + place.x;
    return a->y_offset + place.y;
}

static inline void put_codes(SHARED struct memory *memory, uint s, int8 codes)
{
    SHARED ushort *const words = memory->words + BLOCK_CODES_AT(DST);

    if (CLQ_BLOCK_CODE_BITS(DST) == 8)
        vstore4(convert_ushort4((codes.even & 255) | (codes.odd & 255) << 8), s, words);
    else
        memory->nibbles[s] = packed(codes & 15, 4);
    if (BLOCK_FIFTH(DST))
        ((SHARED uchar *)(words - 2))[s] = (uchar)packed(codes >> 4, 1);
}

#if CLQ_BLOCK_CODE_BITS(DST) < 8
// For sixteen bits, four nibbles, each in the low half of a byte.
static inline uint spread(uint bits)
{
    const uint pairs = (bits | bits << 8) & 0x00ff00ffu;

    return (pairs | pairs << 4) & 0x0f0f0f0fu;
}

// The bytes that have a nibble of the eight s / 2 and one of that 16 places further on.
static inline void join_nibbles(SHARED struct memory *memory, uint s)
{
    SHARED ushort *const words = memory->words + BLOCK_CODES_AT(DST) + 2 * s;
    const uint low = memory->nibbles[s / 2] >> 16 * (s & 1) & 0xffffu,
               high = memory->nibbles[FOUR / 2 + s / 2] >> 16 * (s & 1) & 0xffffu,
               bytes = spread(low) | spread(high) << 4;

    words[0] = (ushort)bytes;
    words[1] = (ushort)(bytes >> 16);
}
#else
#define join_nibbles(memory, s) // none
#endif

// The sums go from eight to eight, for their order counts.
CLQ_HAS_BARRIER float d_by_levels(SHARED struct memory *memory, const float8 *v, const int8 *codes,
                                  uint first, struct scale scale)
{
    struct sums sums = {0.0f, 0.0f};

#pragma unroll 1
    for (uint s = 0; s < FOUR; s++) {
        if (s >= first && s < first + EIGHTS)
            memory->sums = with_eight(s > 0 ? memory->sums : sums, v[s - first], codes[s - first]);
        BARRIER();
    }
    return d_by(memory->sums, scale);
}

// The values of a block from number 8 * first on, into the room's words. All work-items of a group call it.
CLQ_HAS_BARRIER void take_block(const struct quantize_blocks_call *call,
                                const struct dynamic_quantize_args *a, uint number,
                                SHARED struct memory *memory, uint first)
{
    long x_at = 0;
    const long y_at = find_block(call, a, number, first == 0, &x_at);
    float8 v[EIGHTS];
    int8 codes[EIGHTS];
    struct extremes e;
    struct scale scale;

    for (uint k = 0; k < EIGHTS; k++) {
        v[k] = y_at != NOT_KEPT ? eight_at(call, a, number, x_at, first + k) : (float8)(0.0f);
        memory->extremes[first + k] = extremes_of(v[k]);
    }
    BARRIER();
    e = memory->extremes[0];
    for (uint s = 1; s < FOUR; s++)
        e = joined(e, memory->extremes[s]);
    scale = block_scale_of(e);
    for (uint k = 0; k < EIGHTS; k++) {
        codes[k] = codes_of(v[k], scale);
        put_codes(memory, first + k, codes[k]);
    }
    if (WAY == way_levels)
        scale.d = d_by_levels(memory, v, codes, first, scale);
    BARRIER();
    for (uint k = 0; k < EIGHTS; k++)
        join_nibbles(memory, first + k);
    if (first == 0) {
        memory->y_at = y_at;
        memory->words[0] = NARROW(f16, clq_canonical(scale.d));
        if (BLOCK_LEAST(DST))
            memory->words[1] = NARROW(f16, scale.least);
    }
    BARRIER();
}

kernel void KERNEL_NAME(global const STORAGE(SRC) *restrict x, global const uint *restrict smooth,
                        global ushort *restrict y, global uchar *restrict scales,
                        global uchar *restrict offsets, global const uchar *restrict indices,
                        global const uint *restrict owners, global uint *restrict report,
                        const struct dynamic_quantize_args a)
{
    const struct quantize_blocks_call call = {x, smooth, y, indices, owners, report};
#if IS_GROUP
    local struct memory rooms[MOST_BLOCKS];
    const uint item = (uint)get_local_id(0), here = item / FOUR;

    take_block(&call, &a, (uint)get_group_id(0) * a.sets + here, &rooms[here], item % FOUR);
    // Neighbours store neighbouring words.
    for (uint i = item; i < WORDS * a.sets; i += FOUR * a.sets) {
        local const struct memory *const memory = &rooms[i / WORDS];

        if (memory->y_at != NOT_KEPT)
            y[memory->y_at + i % WORDS] = memory->words[i % WORDS];
    }
#else
    const long begin = (long)get_global_id(0) * a.rows_per_item, end = min(begin + a.rows_per_item, a.rows);

    for (long number = begin; number < end; number++) {
        struct memory memory;

        take_block(&call, &a, (uint)number, &memory, 0);
        for (uint i = 0; i < WORDS && memory.y_at != NOT_KEPT; i++)
            y[memory.y_at + i] = memory.words[i];
    }
#endif
    (void)scales, (void)offsets; // blocks carry them
}

// SPDX-License-Identifier: Apache-2.0
// quantize: y[row][i] = sat(rint(x[row][i] MODE scale[i] + zero_point[i])), every step rounded to binary32; with round_first
// the quotient or product is rounded to a whole number before the sum. Of float8 the sum is rounded to the type instead.
//
//   KERNEL_NAME   the kernel's name
//   SRC           f32, f16 or bf16, of base/types.clh
//   DST           i8, u8, i32, i4, u4, e4m3 or e5m2, of base/types.clh
//   MODE          divide or multiply, of base/arithmetic.clh
//   ARITHMETIC    native, fused or exact, of base/arithmetic.clh
//   PARAMS        one, each or both, of base/parameters.clh
//   FORM          item or group, of base/parameters.clh
#include "args/quantize.h"
#include "base/arithmetic.clh"
#include "base/chunk.clh"
#include "base/parameters.clh"
#include "base/scalar.clh"
#include "index/place.clh"

// A part of a row.
struct part {
    global const STORAGE(SRC) *x;
    global STORAGE(DST) *y;
    global const uint *scales, *zero_points; // of its elements, where they have their own
    float scale, zero_point;                 // else
    uint units;
    bool round_first;
};

#define SCALE(part, i)      (SCALE_PER_ELEMENT ? as_float((part)->scales[i]) : (part)->scale)
#define ZERO_POINT(part, i) (ZERO_POINT_PER_ELEMENT ? as_float((part)->zero_points[i]) : (part)->zero_point)

// Float8 has a sign where the sum is subnormal or 0; it is never rounded first.
static inline float quantized(float x, float scale, float zero_point, bool round_first)
{
    const struct clq_quick quick = APPLY_QUICK(MODE, x, scale);
    const bool careful = (quick.doubtful | IS_WILD(scale) | (IS_FLOAT8(DST) ? IS_TINY(quick.value) : 0)) != 0;
    const float value = !careful ? quick.value : IS_FLOAT8(DST) ? APPLY_GRADUAL(MODE, x, scale) : APPLY(MODE, x, scale);

    return IS_FLOAT8(DST) ? ADD_GRADUAL(value, zero_point) : (round_first ? clq_rint(value) : value) + zero_point;
}

// Units wherever they lie, one lane's.
static inline void take_units(const struct part *part, const struct quantize_args *a, uint first, uint end, uint lanes)
{
#pragma unroll 1
    for (uint u = first; u < end; u += lanes) {
        const uint i = ELEMENTS(DST) * u;
        const long at = u * a->x_stride;

        part->y[u * a->y_stride] =
            PACK(DST, quantized(LOAD(SRC, part->x, at), SCALE(part, i), ZERO_POINT(part, i), part->round_first),
                 quantized(LOAD(SRC, part->x, at + a->x_pair), SCALE(part, i + 1), ZERO_POINT(part, i + 1),
                           part->round_first));
    }
}

typedef VECTOR(DST, UNITS(DST, CHUNK(SRC))) y_chunk;

// Whether dense units begin where chunks may be loaded and stored, and a scale of all of them is not wild.
static inline bool has_chunks(const struct part *part, const struct quantize_args *a)
{
    const size_t params = (SCALE_PER_ELEMENT ? (size_t)part->scales : 0) |
                          (ZERO_POINT_PER_ELEMENT ? (size_t)part->zero_points : 0);
    const bool scale_is_tame = SCALE_PER_ELEMENT || !IS_WILD(part->scale);

    return scale_is_tame && a->x_stride == ELEMENTS(DST) && a->x_pair == ELEMENTS(DST) - 1 && a->y_stride == 1 &&
           (((size_t)part->x | params) & 15) == 0 && ((size_t)part->y & (sizeof(y_chunk) - 1)) == 0;
}

#define X(k)          CHUNK_ELEMENT(SRC, x, k)
#define SCALE_OF(k)   (SCALE_PER_ELEMENT ? CHUNK_FLOAT(scales, k) : part->scale)
#define ZERO_OF(k)    (ZERO_POINT_PER_ELEMENT ? CHUNK_FLOAT(zero_points, k) : part->zero_point)
// A group's work-item looks at each element by itself: a GPU's compiler, too, would make vectors of them, which take registers.
#define QUICK(k)                                                                                                       \
    const struct clq_quick quick##k = APPLY_QUICK(MODE, X(k), SCALE_OF(k));                                            \
    doubtful |= quick##k.doubtful | (IS_FLOAT8(DST) ? IS_TINY(quick##k.value) : 0);                                    \
    wild |= SCALE_PER_ELEMENT ? IS_WILD(SCALE_OF(k)) : 0;                                                              \
    if (IS_GROUP && doubtful != 0)                                                                                     \
        return false;                                                                                                  \
    values.s##k = quick##k.value;
#define ROUNDED(k)    values.s##k = clq_rint(values.s##k);
#define SUM(k)        (IS_FLOAT8(DST) ? ADD_GRADUAL(values.s##k, ZERO_OF(k)) : values.s##k + ZERO_OF(k))
#define UNIT(lo, hi)  PACK(DST, SUM(lo), SUM(hi))

// False where an element needs more care: what is stored, if anything, is not what it should be yet.
static inline bool take_chunk(const struct part *part, uint4 x, uint c)
{
    const struct chunk_floats scales = CHUNK_FLOATS(SRC, part->scales, c, SCALE_PER_ELEMENT),
                              zero_points = CHUNK_FLOATS(SRC, part->zero_points, c, ZERO_POINT_PER_ELEMENT);
    float8 values = (float8)(0.0f);
    int doubtful = 0, wild = 0;

    CHUNK_EACH(SRC, QUICK)
    if (part->round_first) {
        CHUNK_EACH(SRC, ROUNDED)
    }
    ((global y_chunk *)part->y)[c] = (y_chunk)(CHUNK_UNITS(DST, SRC, UNIT));
    return doubtful == 0 && wild == 0;
}

// A lane's chunks from number c on, up to one that needs more care, which is returned. The next one is on its way while this
// one is computed.
static inline uint take_chunks(const struct part *part, uint c, uint chunks, uint lanes)
{
    global const uint4 *x = (global const uint4 *)part->x;
    uint4 next = c < chunks ? x[c] : (uint4)(0);

    for (; c < chunks; c += lanes) {
        const uint4 now = next;

        if (c + lanes < chunks)
            next = x[c + lanes];
        if (!take_chunk(part, now, c))
            break;
    }
    return c;
}

// Chunks where there are any, and unit by unit what needs care or is left: mostly the loop runs once.
static inline void take_part(const struct part *part, const struct quantize_args *a, uint lane, uint lanes)
{
    const uint units = UNITS(DST, CHUNK(SRC)), chunks = has_chunks(part, a) ? part->units / units : 0;
    uint c = lane;
    bool is_chunk;

    do {
        c = take_chunks(part, c, chunks, lanes);
        is_chunk = c < chunks;
        take_units(part, a, is_chunk ? c * units : chunks * units + lane, is_chunk ? (c + 1) * units : part->units,
                   is_chunk ? 1 : lanes);
        c += lanes;
    } while (is_chunk);
}

kernel void KERNEL_NAME(global const STORAGE(SRC) *restrict x, global const uchar *restrict scales,
                        global const uchar *restrict zero_points, global STORAGE(DST) *restrict y,
                        global const uchar *restrict indices, global const uint *restrict owners,
                        global uint *restrict report, const struct quantize_args a)
{
    const uint local_id = (uint)get_local_id(0), lanes = IS_GROUP ? max(a.lanes, 1u) : 1;
    const uint lane = IS_GROUP ? local_id & (lanes - 1) : 0;
    const long tiles = IS_GROUP ? 1 : a.tiles_per_item;
    const long begin = IS_GROUP ? (long)get_group_id(0) * ((uint)get_local_size(0) / lanes) + local_id / lanes
                                : (long)get_global_id(0) * tiles;
    const long end = min(begin + tiles, a.tiles);

    for (long tile = begin; tile < end; tile++) {
        const long row = clq_divided(tile, a.by_tiles_per_row), first = (tile - row * a.tiles_per_row) * a.tile;
        struct clq_place place = clq_place_of(row, a.dim, a.outer);
        struct part part;

        if (a.entries.kind != CLQ_ENTRY_NONE) {
            const struct clq_entry_place at =
                clq_entry_place_of(indices, owners, report, &a.entries, row, lane == 0 && first == 0);

            if (!at.kept)
                continue;
            place.y += at.y;
            place.scale += at.scale;
            place.zero_point += at.zero_point;
        }
        place.scale += a.scale_offset;
        place.zero_point += a.zero_point_offset;
        part.x = x + a.x_offset + place.x + first * a.x_stride;
        part.y = y + a.y_offset + place.y + first * a.y_stride;
        part.scales = (global const uint *)scales + place.scale + first * ELEMENTS(DST);
        part.zero_points = (global const uint *)zero_points + place.zero_point + first * ELEMENTS(DST);
        part.scale = SCALE_PER_ELEMENT ? 0.0f : clq_load_scalar(scales, place.scale, a.scale_type);
        part.zero_point =
            ZERO_POINT_PER_ELEMENT ? 0.0f : clq_load_scalar(zero_points, place.zero_point, a.zero_point_type);
        part.units = (uint)min(a.tile, a.inner - first);
        part.round_first = a.round_first != 0;
        take_part(&part, &a, lane, lanes);
    }
}

// SPDX-License-Identifier: Apache-2.0
// dequantize: x[row][i] = (y[row][i] - zero_point[i]) MODE scale[i], every step rounded to binary32, then to DST
//
// The mirror of quantize.cl, with its names: y holds what was quantized and is read, x the floats and is written.
//   KERNEL_NAME   the kernel's name
//   SRC           i8, u8, i32, i4, u4, e4m3 or e5m2, of base/types.clh
//   DST           f32, f16 or bf16, of base/types.clh
//   MODE          multiply or divide, of base/arithmetic.clh
//   ARITHMETIC    native or exact, of base/arithmetic.clh and base/narrow.clh
//   PARAMS        one or each, of base/parameters.clh; a zero point for each element too where the arguments say so
//   FORM          item or group, of base/parameters.clh
#include "args/quantize.h"
#include "base/arithmetic.clh"
#include "base/chunk.clh"
#include "base/narrow.clh"
#include "base/parameters.clh"
#include "base/scalar.clh"
#include "index/place.clh"

// A part of a row.
struct part {
    global const STORAGE(SRC) *y;
    global STORAGE(DST) *x;
    global const uint *scales, *zero_points; // of its elements, where they have their own
    float scale, zero_point;                 // else
    uint units;
    bool zero_points_each; // where scales are
};

static inline STORAGE(DST) dequantized(float q, float scale, float zero_point)
{
    return NARROW(DST, clq_canonical(APPLY_GRADUAL(MODE, SUBTRACT(q, zero_point), scale)));
}

static inline float scale_of(const struct part *part, uint i)
{
    return SCALE_PER_ELEMENT ? as_float(part->scales[i]) : part->scale;
}

static inline float zero_point_of(const struct part *part, uint i)
{
    return SCALE_PER_ELEMENT && part->zero_points_each ? as_float(part->zero_points[i]) : part->zero_point;
}

// Units wherever they lie, one lane's from `first` on.
static inline void take_units(const struct part *part, const struct quantize_args *a, uint first, uint lanes)
{
    for (uint u = first; u < part->units; u += lanes) {
        const STORAGE(SRC) unit = part->y[u * a->y_stride];
        const uint i = ELEMENTS(SRC) * u;
        global STORAGE(DST) *x = part->x + u * a->x_stride;

        x[0] = dequantized(ELEMENT(SRC, unit, 0u), scale_of(part, i), zero_point_of(part, i));
        if (ELEMENTS(SRC) == 2)
            x[a->x_pair] = dequantized(ELEMENT(SRC, unit, 1u), scale_of(part, i + 1), zero_point_of(part, i + 1));
    }
}

typedef CHUNK_INTEGERS(SRC, DST) y_chunk;

// Whether dense units begin where chunks may be loaded and stored.
static inline bool has_chunks(const struct part *part, const struct quantize_args *a)
{
    const size_t params = (SCALE_PER_ELEMENT ? (size_t)part->scales : 0) |
                          (SCALE_PER_ELEMENT && part->zero_points_each ? (size_t)part->zero_points : 0);

    return a->y_stride == 1 && a->x_stride == ELEMENTS(SRC) && a->x_pair == ELEMENTS(SRC) - 1 &&
           (((size_t)part->x | params) & 15) == 0 && ((size_t)part->y & (sizeof(y_chunk) - 1)) == 0;
}

#define BITS(k)                                                                                                        \
    dequantized(CHUNK_INTEGER(SRC, y, k), SCALE_PER_ELEMENT ? CHUNK_FLOAT(scales, k) : part->scale,                    \
                SCALE_PER_ELEMENT && part->zero_points_each ? CHUNK_FLOAT(zero_points, k) : part->zero_point)

static inline uint4 chunk_of(const struct part *part, y_chunk y, uint c)
{
    const struct chunk_floats
        scales = CHUNK_FLOATS(DST, part->scales, c, SCALE_PER_ELEMENT),
        zero_points = CHUNK_FLOATS(DST, part->zero_points, c, SCALE_PER_ELEMENT && part->zero_points_each);

    return CHUNK_FROM(DST, BITS);
}

// Each lane has a chunk in turn: 16 bytes of x, the wide side, and what of y belongs to them, so that neighbours store
// next to one another. The next one is on its way while this one is computed. Returns the first unit that is left.
static inline uint take_chunks(const struct part *part, uint lane, uint lanes)
{
    global const y_chunk *y = (global const y_chunk *)part->y;
    global uint4 *x = (global uint4 *)part->x;
    const uint chunks = part->units / UNITS(SRC, CHUNK(DST));
    y_chunk next = lane < chunks ? y[lane] : (y_chunk)(0);

    for (uint c = lane; c < chunks; c += lanes) {
        const y_chunk now = next;

        if (c + lanes < chunks)
            next = y[c + lanes];
        x[c] = chunk_of(part, now, c);
    }
    return chunks * UNITS(SRC, CHUNK(DST));
}

// What all tiles have in common.
struct call {
    global const STORAGE(SRC) *y;
    global STORAGE(DST) *x;
    global const uchar *scales, *zero_points, *indices;
    global uint *report;
};

// The work-item's share of a tile, which it has as number `lane` of so many.
static inline void take_tile(const struct call *call, const struct quantize_args *a, long tile, uint lane, uint lanes)
{
    const long row = clq_divided(tile, a->by_tiles_per_row), first = (tile - row * a->tiles_per_row) * a->tile;
    struct clq_place place = clq_place_of(row, a->dim, a->outer);
    struct part part;
    uint done = 0;

    if (a->entries.kind != CLQ_ENTRY_NONE) {
        const struct clq_entry_place at =
            clq_entry_source_of(call->indices, call->report, &a->entries, row, lane == 0 && first == 0);

        if (!at.kept)
            return;
        place.y += at.y;
        place.scale += at.scale;
        place.zero_point += at.zero_point;
    }
    place.scale += a->scale_offset;
    place.zero_point += a->zero_point_offset;
    part.x = call->x + a->x_offset + place.x + first * a->x_stride;
    part.y = call->y + a->y_offset + place.y + first * a->y_stride;
    part.scales = (global const uint *)call->scales + place.scale + first * ELEMENTS(SRC);
    part.zero_points = (global const uint *)call->zero_points + place.zero_point + first * ELEMENTS(SRC);
    part.zero_points_each = a->zero_points_each != 0;
    part.scale = SCALE_PER_ELEMENT ? 0.0f : clq_load_scalar(call->scales, place.scale, a->scale_type);
    part.zero_point = part.zero_points_each ? 0.0f
                                            : as_float(as_uint(clq_load_scalar(call->zero_points, place.zero_point,
                                                                               a->zero_point_type)) ^
                                                       a->zero_point_sign);
    part.units = (uint)min(a->tile, a->inner - first);
    if (has_chunks(&part, a))
        done = take_chunks(&part, lane, lanes);
    take_units(&part, a, done + lane, lanes);
}

kernel void KERNEL_NAME(global STORAGE(DST) *restrict x, global const uchar *restrict scales,
                        global const uchar *restrict zero_points, global const STORAGE(SRC) *restrict y,
                        global const uchar *restrict indices, global const uint *restrict owners,
                        global uint *restrict report, const struct quantize_args a)
{
    const struct call call = {y, x, scales, zero_points, indices, report};

    (void)owners; // several rows may be read from one place
    // A group's work-item has one tile. Not as a loop of one round: that took 14 registers more of a gfx906.
    if (IS_GROUP) {
        const uint lanes = max(a.lanes, 1u), local_id = (uint)get_local_id(0);
        const long tile = (long)get_group_id(0) * ((uint)get_local_size(0) / lanes) + local_id / lanes;

        if (tile < a.tiles)
            take_tile(&call, &a, tile, local_id & (lanes - 1), lanes);
    } else {
        const long begin = (long)get_global_id(0) * a.tiles_per_item, end = min(begin + a.tiles_per_item, a.tiles);

        for (long tile = begin; tile < end; tile++)
            take_tile(&call, &a, tile, 0, 1);
    }
}

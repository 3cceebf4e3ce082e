// SPDX-License-Identifier: Apache-2.0
// dynamic_quantize: each row of x by a scale that is found from the row
//
//   y[row][i] = sat(rint(v[i] * back + off)), of float8 v[i] * back rounded to the type; v[i] = x[row][i], or
//   x[row][i] * smooth[i], or these turned (base/rotate.clh)
//   scales[row] = scale, offsets[row] = -off; base/row_scale.clh has scale, back and off
//
//   KERNEL_NAME   the kernel's name
//   SRC           f32, f16 or bf16, of base/types.clh
//   DST           i8, u8, i4, u4, e4m3 or e5m2, of base/types.clh
//   SMOOTH        0: smooth is never read. 1: x is multiplied by it
//   ROTATE        0: nothing is turned. 1: each `rotate` neighbours of a row are
//   ARITHMETIC    native or exact, of base/arithmetic.clh
//   FORM          item or group, of base/parameters.clh
#include "args/dynamic_quantize.h"
#include "base/arithmetic.clh"
#include "base/chunk.clh"
#include "base/parameters.clh"
#include "base/rotate.clh"
#include "base/row_scale.clh"
#include "index/place.clh"

#define MOST_LOCAL 128 // work-items in a group

struct row {
    global const STORAGE(SRC) *x;
    global const uint *smooth;
    global STORAGE(DST) *y;
    long units;  // none where the row is not to be written
    uint chunks; // the first of them, in 16 bytes of x each; where they are turned, in eight elements each
};

typedef VECTOR(DST, UNITS(DST, CHUNK(SRC))) y_chunk;

// A subnormal product cannot show by itself, but what is added to it.
static inline float smoothed(float x, float smooth)
{
    const float product = ROTATE ? APPLY_GRADUAL(multiply, x, smooth) : APPLY(multiply, x, smooth);

    return SMOOTH ? product : x;
}

// Element i of the row, which is number `at` from its first one on.
#define VALUE(row, at, i) smoothed(LOAD(SRC, (row)->x, at), SMOOTH ? as_float((row)->smooth[i]) : 0.0f)
// Element k of a chunk.
#define CHUNK_VALUE(k)    smoothed(CHUNK_ELEMENT(SRC, x, k), SMOOTH ? CHUNK_FLOAT(smooth, k) : 0.0f)

// How many chunks of so many units may be loaded and stored: of dense ones that begin where they may. A lane counts them in 32
// bits.
static inline uint chunks_of(const struct row *row, const struct dynamic_quantize_args *a, long units)
{
    const bool dense = a->x_stride == ELEMENTS(DST) && a->x_pair == ELEMENTS(DST) - 1 && a->y_stride == 1 &&
                       a->y_part == a->inner;
    const bool aligned = (((size_t)row->x | (SMOOTH ? (size_t)row->smooth : 0)) & 15) == 0 &&
                         ((size_t)row->y & ((size_t)units * sizeof(STORAGE(DST)) - 1)) == 0;

    return dense && aligned ? (uint)min(row->units / units, (long)INT_MAX) : 0;
}

static inline uint4 chunk_at(const struct row *row, uint c)
{
    return ((global const uint4 *)row->x)[c];
}

// Unit u of the row in y.
static inline global STORAGE(DST) *unit_at(const struct row *row, const struct dynamic_quantize_args *a, long u)
{
    const long part = a->y_part == a->inner ? 0 : clq_divided(u, a->by_y_part);

    return row->y + part * a->y_part_stride + (u - part * a->y_part) * a->y_stride;
}

static inline struct clq_extent looked_at(struct clq_extent extent, float v)
{
    return clq_extent_join(extent, v, v);
}

// The row's scale, from what each of its work-items has seen of it. All of a group's call it; `seen` has room for two of each:
// turn and turn about, so that nobody writes what another is still to read.
static inline struct clq_row_scale scale_of(struct clq_extent extent, local float2 *seen, const struct dynamic_quantize_args *a,
                                            uint lanes)
{
#if IS_GROUP
    const uint local_id = (uint)get_local_id(0);

    for (uint apart = lanes / 2, turn = 0; apart > 0; apart /= 2, turn = MOST_LOCAL - turn) {
        seen[turn + local_id] = (float2)(extent.high, extent.low);
        barrier(CLK_LOCAL_MEM_FENCE);
        extent = clq_extent_join(extent, seen[turn + (local_id ^ apart)].x, seen[turn + (local_id ^ apart)].y);
    }
#endif
    (void)seen, (void)lanes;
    return clq_row_scale_of(clq_extent_end(extent), as_float(a->top), STEPS(DST), a->symmetric != 0, a->scale_type);
}

// Float8 has the sign of what is too small for the device, too; it has no off.
static inline float scaled(float v, struct clq_row_scale scale)
{
    const float y = v * scale.back + scale.off;

    return IS_FLOAT8(DST) ? KEEP_SIGN(y, v) : y;
}

#define SCALED(value) scaled(value, scale)

#if ROTATE
#include "base/rotated_row.clh"
#else
// What a lane sees of the row, which takes chunks in turn from `first`, its own first one, on: the next one is on its way
// while this one is looked at.
#define LOOK(k) extent = looked_at(extent, CHUNK_VALUE(k));
static inline struct clq_extent extent_of(const struct row *row, const struct dynamic_quantize_args *a, uint4 first,
                                          uint lane, uint lanes)
{
    struct clq_extent extent = CLQ_NO_EXTENT;
    uint4 next = first;

    for (uint c = lane; c < row->chunks; c += lanes) {
        const struct chunk_floats smooth = CHUNK_FLOATS(SRC, row->smooth, c, SMOOTH);
        const uint4 x = next;

        if (c + lanes < row->chunks)
            next = chunk_at(row, c + lanes);
        CHUNK_EACH(SRC, LOOK)
    }
    for (long u = (long)row->chunks * UNITS(DST, CHUNK(SRC)) + lane; u < row->units; u += lanes)
        for (uint e = 0; e < ELEMENTS(DST); e++)
            extent = looked_at(extent, VALUE(row, u * a->x_stride + e * a->x_pair, ELEMENTS(DST) * u + e));
    return extent;
}

// The same way once more.
#define CHUNK_UNIT(low, high) PACK(DST, SCALED(CHUNK_VALUE(low)), SCALED(CHUNK_VALUE(high)))
static inline void store(const struct row *row, const struct dynamic_quantize_args *a, struct clq_row_scale scale,
                         uint4 first, uint lane, uint lanes)
{
    uint4 next = first;

    for (uint c = lane; c < row->chunks; c += lanes) {
        const struct chunk_floats smooth = CHUNK_FLOATS(SRC, row->smooth, c, SMOOTH);
        const uint4 x = next;

        if (c + lanes < row->chunks)
            next = chunk_at(row, c + lanes);
        ((global y_chunk *)row->y)[c] = (y_chunk)(CHUNK_UNITS(DST, SRC, CHUNK_UNIT));
    }
    for (long u = (long)row->chunks * UNITS(DST, CHUNK(SRC)) + lane; u < row->units; u += lanes) {
        const long i = ELEMENTS(DST) * u, at = u * a->x_stride;

        *unit_at(row, a, u) =
            PACK(DST, SCALED(VALUE(row, at, i)), SCALED(VALUE(row, at + a->x_pair, i + 1)));
    }
}

static inline struct clq_row_scale whole_row(const struct row *row, const struct dynamic_quantize_args *a, local float2 *seen,
                                             uint lane, uint lanes)
{
    const uint4 first = lane < row->chunks ? chunk_at(row, lane) : (uint4)(0);
    const struct clq_row_scale scale = scale_of(extent_of(row, a, first, lane, lanes), seen, a, lanes);

    store(row, a, scale, first, lane, lanes);
    return scale;
}
#endif

kernel void KERNEL_NAME(global const STORAGE(SRC) *restrict x, global const uint *restrict smooth,
                        global STORAGE(DST) *restrict y, global uchar *restrict scales,
                        global uchar *restrict offsets, global const uchar *restrict indices,
                        global const uint *restrict owners, global uint *restrict report,
                        const struct dynamic_quantize_args a)
{
#if IS_GROUP
    local float2 seen[2 * MOST_LOCAL];
#else
    local float2 *const seen = 0;
#endif
#if ROTATE
    CLQ_TURNED float8 parts[CLQ_TURNED_MOST / 8]; // of all rows of the group
#endif
    const uint local_id = (uint)get_local_id(0), lanes = IS_GROUP ? max(a.lanes, 1u) : 1;
    const uint lane = IS_GROUP ? local_id & (lanes - 1) : 0;
    const long begin = IS_GROUP ? (long)get_group_id(0) * ((uint)get_local_size(0) / lanes) + local_id / lanes
                                : (long)get_global_id(0) * a.rows_per_item;
    // A group's work-items all meet its barriers, those behind the last row too.
    const long end = IS_GROUP ? begin + 1 : min(begin + a.rows_per_item, a.rows);

    for (long number = begin; number < end; number++) {
        bool kept = number < a.rows;
        struct clq_place place = clq_place_of(number, a.dim, a.outer);
        struct row row;
        long of_group = 0; // the smooth scales of the row's group

        if (kept && a.entries.kind != CLQ_ENTRY_NONE) {
            const struct clq_entry_place at =
                clq_entry_place_of(indices, owners, report, &a.entries, number, lane == 0);

            kept = at.kept;
            place.y += at.y;
            place.zero_point += at.zero_point;
            if (a.entries.kind == CLQ_ENTRY_GROUPS)
                of_group = at.scale;
            else
                place.scale += at.scale;
        }
        row.x = x + a.x_offset + place.x;
        row.smooth = smooth + a.smooth_offset + of_group;
        if (SMOOTH && a.smooth_blocks > 0)
            row.smooth += (number - clq_divided(number, a.by_smooth_blocks) * a.smooth_blocks) * a.inner * ELEMENTS(DST);
        row.y = y + a.y_offset + place.y;
        row.units = kept ? a.inner : 0;
        row.chunks = chunks_of(&row, &a, ROTATE ? UNITS(DST, 8) : UNITS(DST, CHUNK(SRC)));
#if ROTATE
        CLQ_TURNED float *part = (CLQ_TURNED float *)parts + local_id / lanes * a.together;
        const struct clq_row_scale scale = turned_row(&row, &a, part, seen, lane, lanes);
#else
        const struct clq_row_scale scale = whole_row(&row, &a, seen, lane, lanes);
#endif
        if (kept && lane == 0)
            clq_store_found(scales, a.scale_offset + place.scale, a.scale_type, scale.scale);
        if (kept && lane == 0 && a.symmetric == 0)
            clq_store_found(offsets, a.offset_offset + place.zero_point, a.scale_type,
                            clq_offset(scale.off, a.offset_sign));
    }
}

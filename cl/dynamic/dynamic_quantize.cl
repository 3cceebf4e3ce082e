// SPDX-License-Identifier: Apache-2.0
// dynamic_quantize: each row of x by a scale that is found from the row
//
//   y[row][i] = sat(rint(v[i] * back + off)), of float8 v[i] * back rounded to the type; v[i] = x[row][i], or
//   x[row][i] * smooth[i], or these turned (dynamic/rotate.clh)
//   scales[row] = scale, offsets[row] = -off; base/row_scale.clh has scale, back and off
//
//   KERNEL_NAME   the kernel's name
//   SRC           f32, f16 or bf16, of base/types.clh
//   DST           a type of args/type_rows.h that caches hold
//   SMOOTH        0: smooth is never read. 1: x is multiplied by it
//   ROTATE        0: nothing is turned. 1: each `rotate` neighbours of a row are
//   ARITHMETIC    native or exact, of base/arithmetic.clh
//   FORM          item or group, of base/parameters.clh
#include "args/dynamic_quantize.h"
#include "base/arithmetic.clh"
#include "base/chunk.clh"
#include "base/larger.clh"
#include "base/meet.clh"
#include "base/parameters.clh"
#include "dynamic/rotate.clh"
#include "base/row_scale.clh"
#include "index/place.clh"

struct row {
    global const STORAGE(SRC) *x;
    global const uint *smooth;
    global STORAGE(DST) *y;
    long units;  // none where the row is not to be written
    uint chunks; // the first of them, in 16 bytes of x each; where they are turned, in eight elements each
};

typedef VECTOR(DST, UNITS(DST, CHUNK(SRC))) y_chunk;

// A subnormal product alone cannot change a byte. With rotation it is summed, so it must be exact.
static inline float smoothed(float x, float smooth)
{
    const float product = ROTATE ? APPLY_GRADUAL(multiply, x, smooth) : APPLY(multiply, x, smooth);

    return SMOOTH ? product : x;
}

// Element i of the row, which is number `at` from its first one on.
#define VALUE(row, at, i) smoothed(LOAD(SRC, (row)->x, at), SMOOTH ? as_float((row)->smooth[i]) : 0.0f)
// Element k of a chunk.
#define CHUNK_VALUE(k)    smoothed(CHUNK_ELEMENT(SRC, x, k), SMOOTH ? CHUNK_FLOAT(smooth, k) : 0.0f)

// How many chunks of so many units may be loaded and stored: of dense ones that begin where they may. A lane
// counts them in 32 bits.
static inline uint chunks_of(const struct row *row, const struct dynamic_quantize_args *a, long units)
{
    const bool dense = a->x_stride == ELEMENTS(DST) && a->x_pair == (ELEMENTS(DST) > 1) && a->y_stride == 1 &&
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
static inline global STORAGE(DST) *unit_at(const struct row *row, const struct dynamic_quantize_args *a,
                                           long u)
{
    const long part = a->y_part == a->inner ? 0 : clq_divided_64(u, a->by_y_part);

    return row->y + part * a->y_part_stride + (u - part * a->y_part) * a->y_stride;
}

// Products and turned values come from arithmetic, float16 from a conversion; other values may be signaling
// NaN. A product with one, which the compiler must not know to be one, is never signaling: two instructions
// fewer for each value than a comparison and a choice.
static inline struct clq_extent looked_at(struct clq_extent extent, float v, float one)
{
    const float quiet = SMOOTH || ROTATE || IS_CONVERTED(SRC) ? v : v * one;

    if (SMOOTH || ROTATE || IS_CONVERTED(SRC) || IS_GROUP)
        return (struct clq_extent){CLQ_LARGER(quiet, extent.high), CLQ_SMALLER(quiet, extent.low)};
    return clq_extent_join(extent, v, v);
}

#include "dynamic/dynamic_quantize_scale.clh"

// A signed zero has the sign of what is too small for the device, too. (Such a type has no off.)
static inline float scaled(float v, struct clq_row_scale scale)
{
    const float y = ROW_PRODUCT(v, scale) + scale.off;

    return HAS_SIGNED_ZERO(DST) ? KEEP_SIGN(y, v) : y;
}

#define SCALED(value) scaled(value, scale)

// The data that all rows share.
struct call {
    global const STORAGE(SRC) *x;
    global const uint *smooth;
    global STORAGE(DST) *y;
    global uchar *scales, *offsets;
    global const uchar *indices;
    global const uint *owners;
    global uint *report;
    local struct shared *shared;
};

// Where a row lies, and its scale and offset. One of those that ask for it reports its entry.
static inline struct clq_place place_row(struct row *row, const struct call *call,
                                         const struct dynamic_quantize_args *a, uint number, bool reports)
{
    bool kept = number < (uint)a->rows;
    struct clq_place place = clq_place_of_32(number, a->dim, a->outer);
    long of_group = 0; // the smooth scales of the row's group

    if (kept && a->entries.kind != CLQ_ENTRY_NONE) {
        const struct clq_entry_place at =
            clq_entry_place_of(call->indices, call->owners, call->report, &a->entries, number, reports);

        kept = at.kept;
        place.y += at.y;
        place.zero_point += at.zero_point;
        if (a->entries.kind == CLQ_ENTRY_GROUPS)
            of_group = at.scale;
        else
            place.scale += at.scale;
    }
    row->x = call->x + a->x_offset + place.x;
    row->smooth = call->smooth + a->smooth_offset + of_group;
    if (SMOOTH && a->smooth_blocks > 0) {
        const uint blocks = (uint)a->smooth_blocks,
                   block = number - clq_divided_32(number, a->by_smooth_blocks) * blocks;

        row->smooth += clq_times(block, a->inner * ELEMENTS(DST));
    }
    row->y = call->y + a->y_offset + place.y;
    row->units = kept ? a->inner : 0;
    row->chunks = chunks_of(row, a, ROTATE ? UNITS(DST, 8) : UNITS(DST, CHUNK(SRC)));
    return place;
}

static inline void store_scale(const struct call *call, const struct dynamic_quantize_args *a,
                               const struct clq_place *place, float scale, float off)
{
    clq_store_found(call->scales, a->scale_offset + place->scale, a->scale_type, scale);
    if (a->symmetric == 0)
        clq_store_found(call->offsets, a->offset_offset + place->zero_point, a->scale_type,
                        clq_offset(off, a->offset_sign));
}

#if ROTATE
#include "dynamic/dynamic_quantize_rotated.clh"
#else
#include "dynamic/dynamic_quantize_whole.clh"
#endif

#if ROTATE && CLQ_IN_SIXTEENS
#include "dynamic/dynamic_quantize_sixteens.clh"
#else
// All work-items of a group meet the barriers of a row, so they call it for the rows behind the last one too.
CLQ_MEETS void take_row(const struct call *call, const struct dynamic_quantize_args *a, room own, uint number,
                        uint lane, uint lanes)
{
    struct row row;
    const struct clq_place place = place_row(&row, call, a, number, lane == 0);
    const struct clq_row_scale scale = stored_row(&row, a, own, call->shared, lane, lanes);

    if (row.units > 0 && lane == 0)
        store_scale(call, a, &place, scale.scale, scale.off);
}
#endif

kernel void KERNEL_NAME(global const STORAGE(SRC) *restrict x, global const uint *restrict smooth,
                        global STORAGE(DST) *restrict y, global uchar *restrict scales,
                        global uchar *restrict offsets, global const uchar *restrict indices,
                        global const uint *restrict owners, global uint *restrict report,
                        const struct dynamic_quantize_args a)
{
#if ROTATE && CLQ_IN_SIXTEENS
    local struct turned_rows rows[1];
    const struct call call = {x, smooth, y, scales, offsets, indices, owners, report, &rows->shared};

    take_rows(&call, &a, rows);
#else
#if ROTATE
    CLQ_TURNED float8 parts[CLQ_TURNED_MOST / 8]; // of all rows of the group
#endif
#if IS_GROUP
#if !ROTATE
    local uint4 held[HELD * MOST_LOCAL];
#endif
    local struct shared shared[1];
    const struct call call = {x, smooth, y, scales, offsets, indices, owners, report, shared};
    const uint local_id = (uint)get_local_id(0), here = local_id >> a.lane_bits, lanes = 1u << a.lane_bits;
    const uint number = (uint)get_group_id(0) * a.sets + here;

    take_row(&call, &a, OWN_ROOM(here * a.together, local_id), number, local_id & (lanes - 1), lanes);
#else
    const struct call call = {x, smooth, y, scales, offsets, indices, owners, report, 0};
    const long begin = (long)get_global_id(0) * a.rows_per_item, end = min(begin + a.rows_per_item, a.rows);

    for (long number = begin; number < end; number++)
        take_row(&call, &a, OWN_ROOM(0, 0), (uint)number, 0, 1);
#endif
#endif
}

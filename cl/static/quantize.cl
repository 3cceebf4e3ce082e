// SPDX-License-Identifier: Apache-2.0
// quantize: y[row][i] = sat(rint(x[row][i] MODE scale[i] + zero_point[i])), every step rounded to binary32;
// with round_first the quotient or product is rounded to a whole number before the sum.
// For float8 the sum is rounded to the type instead.
//
//   KERNEL_NAME   the kernel's name
//   SRC           f32, f16 or bf16, of base/types.clh
//   DST           a type of args/type_rows.h that is quantized
//   MODE          divide or multiply, of base/arithmetic.clh
//   ARITHMETIC    native, fused or exact, of base/arithmetic.clh
//   PARAMS        one, each or both, of base/parameters.clh
//   FORM          item or group, of base/parameters.clh
#include "args/quantize.h"
#include "base/arithmetic.clh"
#include "base/chunk.clh"
#include "base/parameters.clh"
#include "base/scalar.clh"
#include "index/entry.clh"
#include "index/place.clh"
#include "static/steps.clh"

// The slice of a row that a lane processes at once.
struct slice {
    global const STORAGE(SRC) *x;
    global STORAGE(DST) *y;
    global const uint *scales, *zero_points; // of its elements, where they have their own
    float scale, zero_point;                 // else
    bool round_first;
};

#define SCALE(slice, i)      (SCALE_PER_ELEMENT ? as_float((slice)->scales[i]) : (slice)->scale)
#define ZERO_POINT(slice, i) \
    (ZERO_POINT_PER_ELEMENT ? as_float((slice)->zero_points[i]) : (slice)->zero_point)

// A type that has a signed zero has a sign where the sum is subnormal or 0; it is never rounded first.
static inline float quantized(float x, float scale, float zero_point, bool round_first)
{
    const struct clq_quick quick = APPLY_QUICK(MODE, x, scale);
    const bool slow =
        (quick.uncertain | IS_EXTREME(scale) | (HAS_SIGNED_ZERO(DST) ? IS_TINY(quick.value) : 0)) != 0;
    const float value = !slow               ? quick.value
                        : HAS_SIGNED_ZERO(DST) ? APPLY_GRADUAL(MODE, x, scale)
                                               : APPLY(MODE, x, scale);

    return HAS_SIGNED_ZERO(DST) ? ADD_GRADUAL(value, zero_point)
                                : (round_first ? clq_rint(value) : value) + zero_point;
}

// Units wherever they lie.
#define QUANTIZED(n)                                                                                         \
    quantized(LOAD(SRC, slice->x, at + ELEMENT_OFFSET(n, a->x_pair)), SCALE(slice, i + n),                   \
              ZERO_POINT(slice, i + n), slice->round_first)
static inline void take_units(const struct slice *slice, const struct quantize_args *a, int units)
{
#pragma unroll 1
    for (int u = 0; u < units; u++) {
        const int i = ELEMENTS(DST) * u;
        const long at = clq_times((uint)u, a->x_stride);

        slice->y[clq_times((uint)u, a->y_stride)] = UNIT(DST, QUANTIZED);
    }
}

#define CHUNK_OF_UNITS UNITS(DST, CHUNK(SRC))
typedef VECTOR(DST, CHUNK_OF_UNITS) y_chunk;

// Whether chunks may be loaded and stored. The steps between them are whole where units go by chunks.
static inline bool is_aligned(const struct slice *slice)
{
    const size_t params = (SCALE_PER_ELEMENT ? (size_t)slice->scales : 0) |
                          (ZERO_POINT_PER_ELEMENT ? (size_t)slice->zero_points : 0);

    return (((size_t)slice->x | params) & 15) == 0 && ((size_t)slice->y & (sizeof(y_chunk) - 1)) == 0;
}

#define X(k)          CHUNK_ELEMENT(SRC, x, k)
#define SCALE_OF(k)   (SCALE_PER_ELEMENT ? CHUNK_FLOAT(scales, k) : slice->scale)
#define ZERO_OF(k)    (ZERO_POINT_PER_ELEMENT ? CHUNK_FLOAT(zero_points, k) : slice->zero_point)
// A group's work-item looks at each element by itself: a GPU's compiler, too, would make vectors of them,
// which take registers.
#define QUICK(k)                                                                                             \
    const struct clq_quick quick##k = APPLY_QUICK(MODE, X(k), SCALE_OF(k));                                  \
    uncertain |= quick##k.uncertain | (HAS_SIGNED_ZERO(DST) ? IS_TINY(quick##k.value) : 0);                  \
    extreme |= SCALE_PER_ELEMENT ? IS_EXTREME(SCALE_OF(k)) : 0;                                              \
    if (IS_GROUP && uncertain != 0)                                                                          \
        return false;                                                                                        \
    values.s##k = quick##k.value;
#define ROUNDED(k)    values.s##k = clq_rint(values.s##k);
#define SUM(k)        (HAS_SIGNED_ZERO(DST) ? ADD_GRADUAL(values.s##k, ZERO_OF(k)) : values.s##k + ZERO_OF(k))
#define SUMS(k, l, m, n) PACK(DST, SUM(k), SUM(l), SUM(m), SUM(n))

// A group asks it of each chunk, and a work-item alone of all before them.
#define EXTREME_FOR_ALL(slice) (SCALE_PER_ELEMENT ? 0 : IS_EXTREME((slice)->scale))

// Returns false where an element needs the slow path: then the stored chunk, if any, is not yet right.
static inline bool take_chunk(const struct slice *slice, uint4 x)
{
    const struct chunk_floats scales = CHUNK_FLOATS(SRC, slice->scales, 0, SCALE_PER_ELEMENT),
                              zero_points = CHUNK_FLOATS(SRC, slice->zero_points, 0, ZERO_POINT_PER_ELEMENT);
    float8 values = (float8)(0.0f);
    int uncertain = 0, extreme = IS_GROUP ? EXTREME_FOR_ALL(slice) : 0;

    CHUNK_EACH(SRC, QUICK)
    if (slice->round_first) {
        CHUNK_EACH(SRC, ROUNDED)
    }
    *(global y_chunk *)slice->y = (y_chunk)(CHUNK_UNITS(DST, SRC, SUMS));
    return uncertain == 0 && extreme == 0;
}

// Moves on by so many of a lane's steps.
static inline void advance(struct slice *slice, const struct clq_strides *strides, int steps)
{
    slice->x += steps * strides->x;
    slice->y += steps * strides->y;
    slice->scales += steps * strides->scale;
    slice->zero_points += steps * strides->zero_point;
}

static inline uint4 next_chunk(const struct slice *slice, const struct clq_strides *strides, uint4 *next,
                               bool more)
{
    const uint4 x = *next; // the next one is on its way while this one is computed

    if (more)
        *next = *(global const uint4 *)(slice->x + strides->x);
    return x;
}

// Processes chunks from step `*i` on. Returns false if chunk `*i` needs the slow path. Group form: the slice
// still points at it. Item form: it has advanced, so that the next load does not wait for this result.
static inline bool take_chunks(struct slice *slice, const struct clq_strides *strides, uint4 *next, int *i,
                               int end, int whole)
{
    bool fine = true;

#if IS_GROUP
    while (*i < end && fine) {
        fine = take_chunk(slice, next_chunk(slice, strides, next, *i + 1 < whole));
        if (fine) {
            advance(slice, strides, 1);
            (*i)++;
        }
    }
#else
    for (; *i < end; (*i)++) {
        fine = take_chunk(slice, next_chunk(slice, strides, next, *i + 1 < whole));
        advance(slice, strides, 1);
        if (!fine)
            break;
    }
#endif
    return fine;
}

// The data that all tiles share.
struct quantize_call {
    global const STORAGE(SRC) *x;
    global STORAGE(DST) *y;
    global const uchar *scales, *zero_points, *indices;
    global const uint *owners;
    global uint *report;
};

// Scale and zero point of a row, where it has one of them.
static inline void load_parameters(struct slice *slice, const struct quantize_call *call,
                                   const struct quantize_args *a, long scale, long zero_point)
{
    if (!SCALE_PER_ELEMENT)
        slice->scale = clq_load_scalar(call->scales, scale, a->scale_type);
    if (!ZERO_POINT_PER_ELEMENT)
        slice->zero_point = clq_load_scalar(call->zero_points, zero_point, a->zero_point_type);
}

// The lane's share of a tile, whose run lies at this place: chunks, and unit by unit on the slow path.
static inline void take_steps(const struct quantize_call *call, const struct quantize_args *a,
                              const struct clq_tile *tile, const struct clq_place *place, uint lane)
{
    const struct clq_steps *s = &a->steps;
    const struct clq_strides strides = clq_strides(s);
    const uint unit = lane * s->at_once, element = ELEMENTS(DST) * unit;
    const bool many =
        ((SCALE_PER_ELEMENT ? 0 : s->scale) | (ZERO_POINT_PER_ELEMENT ? 0 : s->zero_point)) != 0;
    const struct clq_place at = clq_lane_place(*place, s, tile, unit, a->x_stride, a->y_stride);
    const long scale = a->scale_offset + at.scale, zero_point = a->zero_point_offset + at.zero_point;
    struct slice slice = {.x = call->x + a->x_offset + at.x,
                        .y = call->y + a->y_offset + at.y,
                        .scales = (global const uint *)call->scales + scale + element,
                        .zero_points = (global const uint *)call->zero_points + zero_point + element,
                        .round_first = a->round_first != 0};
    int whole = s->by_chunks && is_aligned(&slice) ? clq_whole_steps(tile, s, CHUNK_OF_UNITS) : 0;
    uint4 next = whole > 0 ? *(global const uint4 *)slice.x : (uint4)(0);

    for (int i = 0; i < tile->steps;) {
        bool slow;

        load_parameters(&slice, call, a, scale + clq_times((uint)i, strides.scale),
                        zero_point + clq_times((uint)i, strides.zero_point));
        if (!IS_GROUP && EXTREME_FOR_ALL(&slice))
            whole = 0; // the few that are left, too: so no chunk is on its way that is not taken
        slow = i >= whole;
        if (!slow) // the chunks that have these parameters
            slow = !take_chunks(&slice, &strides, &next, &i, many ? min(i + 1, whole) : whole, whole);
        else if (!IS_GROUP)
            advance(&slice, &strides, 1);
        if (slow) {
            struct slice step = slice;

            if (!IS_GROUP)
                advance(&step, &strides, -1);
            take_units(&step, a, (int)min(tile->units - clq_times((uint)i, strides.units), (long)s->at_once));
            if (IS_GROUP)
                advance(&slice, &strides, 1);
            i++;
        }
    }
}

#define CALL struct quantize_call
#define ENTRY_OF(call, e, run, reported) \
    clq_entry_place_of((call)->indices, (call)->owners, (call)->report, e, run, reported)
#include "static/tiles.clh"

kernel void KERNEL_NAME(global const STORAGE(SRC) *restrict x, global const uchar *restrict scales,
                        global const uchar *restrict zero_points, global STORAGE(DST) *restrict y,
                        global const uchar *restrict indices, global const uint *restrict owners,
                        global uint *restrict report, const struct quantize_args a)
{
    const struct quantize_call call = {x, y, scales, zero_points, indices, owners, report};

    take_tiles(&call, &a);
}

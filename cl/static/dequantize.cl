// SPDX-License-Identifier: Apache-2.0
// dequantize: x[row][i] = (y[row][i] - zero_point[i]) MODE scale[i], every step rounded to binary32,
// then to DST
//
// The mirror of quantize.cl, with its names: y holds what was quantized and is read,
// x the floats and is written.
//   KERNEL_NAME   the kernel's name
//   SRC           a type of args/type_rows.h that is quantized
//   DST           f32, f16 or bf16, of base/types.clh
//   MODE          multiply or divide, of base/arithmetic.clh
//   ARITHMETIC    native, fused or exact, of base/arithmetic.clh and base/narrow.clh
//   PARAMS        one or each, of base/parameters.clh; a zero point for each element too where the arguments
//                 say so
//   FORM          item or group, of base/parameters.clh
#include "args/quantize.h"
#include "base/arithmetic.clh"
#include "base/chunk.clh"
#include "base/narrow.clh"
#include "base/parameters.clh"
#include "base/scalar.clh"
#include "index/entry.clh"
#include "index/place.clh"
#include "static/steps.clh"

// The slice of a row that a lane processes at once.
struct slice {
    global const STORAGE(SRC) *y;
    global STORAGE(DST) *x;
    global const uint *scales, *zero_points; // of its elements, where they have their own
    float scale, zero_point;                 // else
    bool zero_points_each;                   // where scales are
    bool by_both;                            // whether zero points are scales too
};

static inline STORAGE(DST) dequantized(float q, float scale, float zero_point, bool by_both)
{
    return NARROW(DST, clq_canonical(APPLY_GRADUAL(MODE, SHIFTED(SRC, by_both, q, zero_point), scale)));
}

static inline float scale_of(const struct slice *slice, uint i)
{
    return SCALE_PER_ELEMENT ? as_float(slice->scales[i]) : slice->scale;
}

static inline float zero_point_of(const struct slice *slice, uint i)
{
    return SCALE_PER_ELEMENT && slice->zero_points_each ? as_float(slice->zero_points[i]) : slice->zero_point;
}

// Units wherever they lie.
#define STORE_ELEMENT(n)                                                                                     \
    x[ELEMENT_OFFSET(n, a->x_pair)] =                                                                        \
        dequantized(ELEMENT(SRC, unit, n), scale_of(slice, i + n), zero_point_of(slice, i + n),              \
                    slice->by_both)
static inline void take_units(const struct slice *slice, const struct quantize_args *a, int units)
{
    for (int u = 0; u < units; u++) {
        const STORAGE(SRC) unit = slice->y[clq_times((uint)u, a->y_stride)];
        const uint i = ELEMENTS(SRC) * (uint)u;
        global STORAGE(DST) *x = slice->x + clq_times((uint)u, a->x_stride);

        STORE_ELEMENT(0u);
        if (ELEMENTS(SRC) > 1)
            STORE_ELEMENT(1u);
        if (ELEMENTS(SRC) == 4) {
            STORE_ELEMENT(2u);
            STORE_ELEMENT(3u);
        }
    }
}

#define CHUNK_OF_UNITS UNITS(SRC, CHUNK(DST))
typedef CHUNK_INTEGERS(SRC, DST) y_chunk;

// Whether chunks may be loaded and stored. The steps between them are whole where units go by chunks.
static inline bool is_aligned(const struct slice *slice)
{
    const size_t params = (SCALE_PER_ELEMENT ? (size_t)slice->scales : 0) |
                          (SCALE_PER_ELEMENT && slice->zero_points_each ? (size_t)slice->zero_points : 0);

    return (((size_t)slice->x | params) & 15) == 0 && ((size_t)slice->y & (sizeof(y_chunk) - 1)) == 0;
}

#define SCALE_OF(k) (SCALE_PER_ELEMENT ? CHUNK_FLOAT(scales, k) : slice->scale)
#define ZERO_OF(k) \
    (SCALE_PER_ELEMENT && slice->zero_points_each ? CHUNK_FLOAT(zero_points, k) : slice->zero_point)
// As in quantize.cl, a group's work-item looks at each element by itself. A quick result that is tiny is
// right of a 0 alone, and there but for the sign.
#define QUICK(k)                                                                                             \
    const float q##k = SHIFTED(SRC, slice->by_both, CHUNK_INTEGER(SRC, y, k), ZERO_OF(k));                   \
    const struct clq_quick quick##k = APPLY_QUICK(MODE, q##k, SCALE_OF(k));                                  \
    uncertain |= quick##k.uncertain | (as_uint(q##k) << 1 != 0 ? IS_TINY(quick##k.value) : 0);               \
    extreme |= SCALE_PER_ELEMENT ? IS_EXTREME(SCALE_OF(k)) : 0;                                              \
    if (IS_GROUP && uncertain != 0)                                                                          \
        return false;                                                                                        \
    values.s##k = HAS_SIGNED_ZERO(SRC)                                                                       \
                      ? KEEP_SIGN(quick##k.value, as_float(as_uint(q##k) ^ as_uint(SCALE_OF(k))))            \
                      : quick##k.value;
#define BITS(k) NARROW(DST, clq_canonical(values.s##k))

// Returns false where an element needs the slow path: then the stored chunk is not yet right.
static inline bool take_chunk(const struct slice *slice, y_chunk y)
{
    const struct chunk_floats
        scales = CHUNK_FLOATS(DST, slice->scales, 0, SCALE_PER_ELEMENT),
        zero_points = CHUNK_FLOATS(DST, slice->zero_points, 0, SCALE_PER_ELEMENT && slice->zero_points_each);
    float8 values = (float8)(0.0f);
    int uncertain = 0, extreme = SCALE_PER_ELEMENT ? 0 : IS_EXTREME(slice->scale);

    CHUNK_EACH(DST, QUICK)
    *(global uint4 *)slice->x = CHUNK_FROM(DST, BITS);
    return uncertain == 0 && extreme == 0;
}

// The data that all tiles share.
struct dequantize_call {
    global const STORAGE(SRC) *y;
    global STORAGE(DST) *x;
    global const uchar *scales, *zero_points, *indices;
    global uint *report;
};

// Scale and zero point of a row, where it has one of each, as stored: the first use waits for the load.
struct parameters {
    float scale, zero_point;
};

static inline struct parameters load_parameters(const struct dequantize_call *call,
                                                const struct quantize_args *a, long scale, long zero_point)
{
    struct parameters loaded = {0.0f, 0.0f};

    if (!SCALE_PER_ELEMENT)
        loaded.scale = LOAD_SCALE(SRC, call->scales, scale, a->scale_type);
    if (a->zero_points_each == 0)
        loaded.zero_point = LOAD_ZERO_POINT(SRC, call->zero_points, zero_point, a->zero_point_type);
    return loaded;
}

// From one of a lane's steps to its next.
#define ADVANCE                                  \
    {                                          \
        i++;                                   \
        slice.y += strides.y;                     \
        slice.x += strides.x;                     \
        slice.scales += strides.scale;            \
        slice.zero_points += strides.zero_point;  \
    }

// The lane's share of a tile, whose run lies at this place: 16 bytes of x at once, the wide side, and what of
// y belongs to them, so that neighbours store next to one another. The next chunk and its row's parameters
// are on their way while one is computed.
static inline void take_steps(const struct dequantize_call *call, const struct quantize_args *a,
                              const struct clq_tile *tile, const struct clq_place *place, uint lane)
{
    const struct clq_steps *s = &a->steps;
    const struct clq_strides strides = clq_strides(s);
    const uint unit = lane * s->at_once, element = ELEMENTS(SRC) * unit;
    const bool zero_points_each = a->zero_points_each != 0;
    const bool many = ((SCALE_PER_ELEMENT ? 0 : s->scale) | (zero_points_each ? 0 : s->zero_point)) != 0;
    const struct clq_place at = clq_lane_place(*place, s, tile, unit, a->x_stride, a->y_stride);
    const long scale = a->scale_offset + at.scale, zero_point = a->zero_point_offset + at.zero_point;
    struct slice slice = {.y = call->y + a->y_offset + at.y,
                        .x = call->x + a->x_offset + at.x,
                        .scales = (global const uint *)call->scales + scale + element,
                        .zero_points = (global const uint *)call->zero_points + zero_point + element,
                        .zero_points_each = zero_points_each,
                        .by_both = a->by_both != 0};
    const int whole = s->by_chunks && is_aligned(&slice) ? clq_whole_steps(tile, s, CHUNK_OF_UNITS) : 0;
    y_chunk next = whole > 0 ? *(global const y_chunk *)slice.y : (y_chunk)(0);
    struct parameters own = load_parameters(call, a, scale, zero_point);

    for (int i = 0; i < tile->steps;) {
        const int end = many ? min(i + 1, whole) : whole; // of the chunks that have these parameters
        bool slow = i >= whole;
        int units = CHUNK_OF_UNITS; // that are taken one by one

        slice.scale = own.scale;
        slice.zero_point = as_float(as_uint(own.zero_point) ^ a->zero_point_sign);
        if (many && i + 1 < tile->steps)
            own = load_parameters(call, a, scale + clq_times((uint)i + 1, strides.scale),
                                  zero_point + clq_times((uint)i + 1, strides.zero_point));
        if (slow) // of a lane behind the end of a row none
            units = (int)min(tile->units - clq_times((uint)i, strides.units), (long)s->at_once);
        while (i < end) {
            const y_chunk y = next;

            if (i + 1 < whole)
                next = *(global const y_chunk *)(slice.y + strides.y);
            slow = !take_chunk(&slice, y);
            if (slow)
                break;
            ADVANCE
        }
        if (slow) {
            take_units(&slice, a, units);
            ADVANCE
        }
    }
}

#define CALL struct dequantize_call
#define ENTRY_OF(call, e, run, reported) \
    clq_entry_source_of((call)->indices, (call)->report, e, run, reported)
#include "static/tiles.clh"

kernel void KERNEL_NAME(global STORAGE(DST) *restrict x, global const uchar *restrict scales,
                        global const uchar *restrict zero_points, global const STORAGE(SRC) *restrict y,
                        global const uchar *restrict indices, global const uint *restrict owners,
                        global uint *restrict report, const struct quantize_args a)
{
    const struct dequantize_call call = {y, x, scales, zero_points, indices, report};

    (void)owners; // several rows may be read from one place
    take_tiles(&call, &a);
}

// quantize: y[row][i] = sat(rint(x[row][i] MODE scale[i] + zero_point[i])), every step rounded to binary32
//
//   KERNEL_NAME   the kernel's name
//   SRC           f32, f16 or bf16, of base/types.clh
//   DST           i8, u8, i32 or i4, of base/types.clh
//   MODE          divide or multiply, of base/arithmetic.clh
//   ARITHMETIC    native or exact, of base/arithmetic.clh
//   PARAMS        one, each or both, of base/parameters.clh
//   FORM          item or group, of base/parameters.clh
//   PREFETCH      0 or 1, of base/hints.clh
//
// The file may be included many times in one source, each time with other parameters.
#include "args/quantize.h"
#include "base/arithmetic.clh"
#include "base/entries.clh"
#include "base/hints.clh"
#include "base/inverse.clh"
#include "base/lines.clh"
#include "base/parameters.clh"
#include "base/rows.clh"
#include "base/scalar.clh"
#include "base/types.clh"

#if !defined(KERNEL_NAME) || !defined(SRC) || !defined(DST) || !defined(MODE) || !defined(ARITHMETIC) ||     \
    !defined(PARAMS) || !defined(FORM) || !defined(PREFETCH)
#error "quantize.cl: KERNEL_NAME, SRC, DST, MODE, ARITHMETIC, PARAMS, FORM and PREFETCH are required"
#endif

#define LOCAL_NAME(name) CLQ_CAT3(KERNEL_NAME, _, name)

// A unit, from elements `low` and `high` of x; its scales begin with number ELEMENTS(DST) * u. Of dense
// elements: unit u, whose scales are those of unit s. `apply` is how a value meets its scale.
#define SCALE(scales, i)           (SCALE_PER_ELEMENT(PARAMS) ? as_float((scales)[i]) : scale)
#define ZERO_POINT(zero_points, i) (ZERO_POINT_PER_ELEMENT(PARAMS) ? as_float((zero_points)[i]) : zero_point)
#define VALUE(apply, x, at, scales, zero_points, i)                                                          \
    (apply(LOAD(SRC, x, at), SCALE(scales, i)) + ZERO_POINT(zero_points, i))
#define UNIT(apply, x, low, high, scales, zero_points, u)                                                    \
    PACK(DST, VALUE(apply, x, low, scales, zero_points, ELEMENTS(DST) * (u)),                                \
         VALUE(apply, x, high, scales, zero_points, ELEMENTS(DST) * (u) + 1))
#define DENSE_UNIT(apply, x, scales, zero_points, u, s)                                                      \
    UNIT(apply, x, ELEMENTS(DST) * (u), ELEMENTS(DST) * (u) + 1, scales, zero_points, s)

#define PLAINLY(v, s) APPLY(MODE, ARITHMETIC, v, s)

#include "quantize/run.clh"

// The same, done by `lanes` work-items, each taking 16 bytes of x in turn where the addresses let them be
// read and written at once; the rest unit by unit.
static inline void LOCAL_NAME(shared_run)(global const STORAGE(SRC) * x, global STORAGE(DST) * y,
                                          global const uint *scales, global const uint *zero_points,
                                          float scale, float zero_point, long units, long lane, long lanes)
{
    typedef VECTOR(SRC, CHUNK(SRC)) x_vector;
    typedef VECTOR(f32, CHUNK(SRC)) scale_vector;
    typedef VECTOR(DST, UNITS(DST, CHUNK(SRC))) y_vector;
    const size_t scale_fit = SCALE_PER_ELEMENT(PARAMS) ? sizeof(scale_vector) : 1;
    const size_t zero_point_fit = ZERO_POINT_PER_ELEMENT(PARAMS) ? sizeof(scale_vector) : 1;
    const bool fits = (size_t)x % sizeof(x_vector) == 0 && (size_t)y % sizeof(y_vector) == 0 &&
                      (size_t)scales % scale_fit == 0 && (size_t)zero_points % zero_point_fit == 0;
    const long chunk = UNITS(DST, CHUNK(SRC)), chunks = fits ? units / chunk : 0;

    for (long c = lane; c < chunks; c += lanes) {
        STORAGE(SRC) values[CHUNK(SRC)];
        STORAGE(DST) packed[UNITS(DST, CHUNK(SRC))];
        uint chunk_scales[CHUNK(SRC)], chunk_zero_points[CHUNK(SRC)];

        CLQ_CAT(vstore, CHUNK(SRC))(((global const x_vector *)x)[c], 0, values);
        if (SCALE_PER_ELEMENT(PARAMS))
            CLQ_CAT(vstore, CHUNK(SRC))(((global const scale_vector *)scales)[c], 0, chunk_scales);
        if (ZERO_POINT_PER_ELEMENT(PARAMS))
            CLQ_CAT(vstore, CHUNK(SRC))(((global const scale_vector *)zero_points)[c], 0, chunk_zero_points);
        for (uint k = 0; k < UNITS(DST, CHUNK(SRC)); k++)
            packed[k] = DENSE_UNIT(PLAINLY, values, chunk_scales, chunk_zero_points, k, k);
        ((global y_vector *)y)[c] = CLQ_CAT(vload, UNITS(DST, CHUNK(SRC)))(0, packed);
    }
    for (long u = chunks * chunk + lane; u < units; u += lanes)
        y[u] = DENSE_UNIT(PLAINLY, x, scales, zero_points, u, u);
}

kernel void KERNEL_NAME(global const STORAGE(SRC) *restrict x, global const uchar *restrict scale_buffer,
                        global const uchar *restrict zero_point_buffer, global STORAGE(DST) *restrict y,
                        global const uchar *restrict indices, global const uint *restrict owners,
                        global uint *restrict report, const struct quantize_args a)
{
    // A build rehearses with arguments of zeros; nothing below may divide by them.
    if (a.tiles == 0)
        return;

    const bool dense = a.y_stride == 1 && a.x_stride == ELEMENTS(DST) && a.x_pair == ELEMENTS(DST) - 1;
    const bool group = IS_GROUP(FORM);
    const bool stream = STREAMS(PREFETCH) && a.tiles > STREAM_BYTES / (long)sizeof(*y) / a.tile;
    const uint lanes = group ? a.lanes : 1;
    const uint lane = group ? (uint)get_local_id(0) & (lanes - 1) : 0;
    const long tiles = group ? 1 : a.tiles_per_item;
    const long begin =
        group ? (long)get_group_id(0) * ((uint)get_local_size(0) / lanes) + (uint)get_local_id(0) / lanes
              : (long)get_global_id(0) * tiles;
    const long end = min(begin + tiles, a.tiles);
    // How many tiles further on a run's `next` is; only rows of one tile can be so short that it is more
    // than 1.
    const long tile_bytes = a.tile * ELEMENTS(DST) * (long)sizeof(*x);
    const long reach = a.tiles_per_row > 1 || tile_bytes >= AHEAD_BYTES ? 1 : AHEAD_BYTES / tile_bytes;
    long row = clq_quotient(begin, a.tiles_per_row), first = (begin - row * a.tiles_per_row) * a.tile;

    const long jump = reach * a.dim[0].x;
    struct clq_placed placed = CLQ_UNPLACED;
    struct clq_walk walk;
    clq_walk_from(&walk, row, a.dim, a.outer);

    for (long tile = begin; tile < end; tile++) {
        if (tile > begin && first == 0)
            clq_walk_on(&walk, row, 1, a.dim, a.outer);
        struct clq_place place = walk.place;
        const bool fresh = row >= placed.end;
        const bool kept = clq_place_row(&placed, indices, owners, report, &a.entries, row, first + lane == 0);

        if (fresh)
            PREFETCH_LATER(PREFETCH, owners, indices, &a.entries, &placed, y + a.y_offset + walk.place.y, stream)
        clq_place_add(&place, &placed.place);

        const long scale_at = a.scale_offset + place.scale,
                   zero_point_at = a.zero_point_offset + place.zero_point;
        const float scale =
            SCALE_PER_ELEMENT(PARAMS) ? 0.0f : clq_load_scalar(scale_buffer, scale_at, a.scale_type);
        const float zero_point = ZERO_POINT_PER_ELEMENT(PARAMS)
                                     ? 0.0f
                                     : clq_load_scalar(zero_point_buffer, zero_point_at, a.zero_point_type);
        const long phase = first < a.period ? first : first - clq_quotient(first, a.period) * a.period;
        global const uint *scales = (global const uint *)scale_buffer + scale_at + phase * ELEMENTS(DST);
        global const uint *zero_points =
            (global const uint *)zero_point_buffer + zero_point_at + phase * ELEMENTS(DST);
        global const STORAGE(SRC) *begin_x = x + a.x_offset + place.x;
        global const STORAGE(SRC) *run_x = begin_x + first * a.x_stride;
        global STORAGE(DST) *run_y = y + a.y_offset + place.y + first * a.y_stride;
        const long units = kept ? min(a.tile, a.inner - first) : 0;

        first += a.tile;
        if (first >= a.inner) {
            first = 0;
            row += 1;
        }
        if (!dense) {
            for (long u = lane; u < units; u += lanes)
                run_y[u * a.y_stride] =
                    UNIT(PLAINLY, run_x, u * a.x_stride, u * a.x_stride + a.x_pair, scales, zero_points, u);
        } else if (group) {
            LOCAL_NAME(shared_run)(run_x, run_y, scales, zero_points, scale, zero_point, units, lane, lanes);
        } else {
            LOCAL_NAME(run)
            (run_x, run_y, scales, zero_points, scale, zero_point, units, a.period - phase, a.period,
             first > 0 ? run_x + a.tile * ELEMENTS(DST) : begin_x + jump, stream);
        }
    }
    if (stream)
        STREAM_FENCE(PREFETCH);
}

#undef LOCAL_NAME
#undef SCALE
#undef ZERO_POINT
#undef VALUE
#undef UNIT
#undef DENSE_UNIT
#undef PLAINLY
#undef INVERTS
#undef QUICKLY
#undef STEP
#undef STEP_VALUES
#undef HALVES
#undef BLOCK_UNITS
#undef STEP_UNITS
#undef BLOCK_BYTES
#undef LONG_BYTES
#undef AHEAD_BYTES
#undef STREAM_BYTES

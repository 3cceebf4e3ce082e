// SPDX-License-Identifier: Apache-2.0
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
#include "args/quantize.h"
#include "base/arithmetic.clh"
#include "base/entries.clh"
#include "base/hints.clh"
#include "base/inverse.clh"
#include "base/lines.clh"
#include "base/parameters.clh"
#include "base/rows.clh"
#include "base/scalar.clh"
#include "base/strand.clh"
#include "base/types.clh"

#if !defined(KERNEL_NAME) || !defined(SRC) || !defined(DST) || !defined(MODE) || !defined(ARITHMETIC) ||     \
    !defined(PARAMS) || !defined(FORM) || !defined(PREFETCH)
#error "quantize.cl: KERNEL_NAME, SRC, DST, MODE, ARITHMETIC, PARAMS, FORM and PREFETCH are required"
#endif

// A unit, from elements `low` and `high` of x; its scales begin with number ELEMENTS(DST) * u. Of dense
// elements: unit u, whose scales are those of unit s. `apply` is how a value meets its scale.
#define SCALE(scales, i)           (SCALE_PER_ELEMENT ? as_float((scales)[i]) : scale)
#define ZERO_POINT(zero_points, i) (ZERO_POINT_PER_ELEMENT ? as_float((zero_points)[i]) : zero_point)
#define VALUE(apply, x, at, scales, zero_points, i)                                                          \
    (apply(LOAD(SRC, x, at), SCALE(scales, i), i) + ZERO_POINT(zero_points, i))
#define UNIT(apply, x, low, high, scales, zero_points, u)                                                    \
    PACK(DST, VALUE(apply, x, low, scales, zero_points, ELEMENTS(DST) * (u)),                                \
         VALUE(apply, x, high, scales, zero_points, ELEMENTS(DST) * (u) + 1))
#define DENSE_UNIT(apply, x, scales, zero_points, u, s)                                                      \
    UNIT(apply, x, ELEMENTS(DST) * (u), ELEMENTS(DST) * (u) + 1, scales, zero_points, s)

#define PLAINLY(v, s, i) APPLY(MODE, v, s)

// Units of one row. Their scales begin again after `left` of them, and then after every period. `next` is what is read after
// these: the run that begins as much later as is fetched ahead, or the following one where runs are longer.
struct run {
    global const STORAGE(SRC) * x;
    global STORAGE(DST) * y;
    global const uint *scales, *zero_points;
    float scale, zero_point;
    long units, phase, left;
    global const STORAGE(SRC) * next;
};

#include "quantize/run.clh"
#include "quantize/strand.clh"
#include "quantize/turns.clh"

// Done by `lanes` work-items, one or more, wherever the units lie.
static inline void run_apart(const struct run *run, const struct quantize_args *a, long lane, long lanes)
{
    const float scale = run->scale, zero_point = run->zero_point;

    for (long u = lane; u < run->units; u += lanes)
        run->y[u * a->y_stride] = UNIT(PLAINLY, run->x, u * a->x_stride, u * a->x_stride + a->x_pair, run->scales,
                                       run->zero_points, u);
}

// Done by `lanes` work-items, each taking 16 bytes of x in turn where the addresses let them be
// read and written at once; the rest unit by unit.
static inline void run_shared(const struct run *run, long lane, long lanes)
{
    typedef VECTOR(SRC, CHUNK(SRC)) x_vector;
    typedef VECTOR(f32, CHUNK(SRC)) scale_vector;
    typedef VECTOR(DST, UNITS(DST, CHUNK(SRC))) y_vector;
    const size_t scale_fit = SCALE_PER_ELEMENT ? sizeof(scale_vector) : 1;
    const size_t zero_point_fit = ZERO_POINT_PER_ELEMENT ? sizeof(scale_vector) : 1;
    global const STORAGE(SRC) *x = run->x;
    global STORAGE(DST) *y = run->y;
    global const uint *scales = run->scales, *zero_points = run->zero_points;
    const float scale = run->scale, zero_point = run->zero_point;
    const bool fits = (size_t)x % sizeof(x_vector) == 0 && (size_t)y % sizeof(y_vector) == 0 &&
                      (size_t)scales % scale_fit == 0 && (size_t)zero_points % zero_point_fit == 0;
    const long chunk = UNITS(DST, CHUNK(SRC)), chunks = fits ? run->units / chunk : 0;

    for (long c = lane; c < chunks; c += lanes) {
        STORAGE(SRC) values[CHUNK(SRC)];
        STORAGE(DST) packed[UNITS(DST, CHUNK(SRC))];
        uint chunk_scales[CHUNK(SRC)], chunk_zero_points[CHUNK(SRC)];

        CLQ_CAT(vstore, CHUNK(SRC))(((global const x_vector *)x)[c], 0, values);
        if (SCALE_PER_ELEMENT)
            CLQ_CAT(vstore, CHUNK(SRC))(((global const scale_vector *)scales)[c], 0, chunk_scales);
        if (ZERO_POINT_PER_ELEMENT)
            CLQ_CAT(vstore, CHUNK(SRC))(((global const scale_vector *)zero_points)[c], 0, chunk_zero_points);
        for (uint k = 0; k < UNITS(DST, CHUNK(SRC)); k++)
            packed[k] = DENSE_UNIT(PLAINLY, values, chunk_scales, chunk_zero_points, k, k);
        ((global y_vector *)y)[c] = CLQ_CAT(vload, UNITS(DST, CHUNK(SRC)))(0, packed);
    }
    for (long u = chunks * chunk + lane; u < run->units; u += lanes)
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
    const bool group = IS_GROUP;
    const bool stream = STREAMS && a.tiles > STREAM_BYTES / (long)sizeof(*y) / a.tile;
    const uint lanes = group ? a.lanes : 1;
    const uint lane = group ? (uint)get_local_id(0) & (lanes - 1) : 0;
    const long tiles = group ? 1 : a.tiles_per_item;
    const long begin =
        group ? (long)get_group_id(0) * ((uint)get_local_size(0) / lanes) + (uint)get_local_id(0) / lanes
              : (long)get_global_id(0) * tiles;
    const long end = min(begin + tiles, a.tiles);
    const long tile_bytes = a.tile * UNIT_BYTES;
    const bool in_turn = STRANDS > 1 && stream && dense && a.tile >= TURN_UNITS && (size_t)(y + a.y_offset) % 64 == 0 &&
                         (a.tiles_per_row > 1 || a.inner % STEP_UNITS == 0) &&
                         tiles / STRANDS * tile_bytes >= 4 * TURN_AHEAD;
    const long ahead = in_turn ? TURN_AHEAD : AHEAD_BYTES;
    const struct call call = {.x = x,
                              .y = y,
                              .scales = scale_buffer,
                              .zero_points = zero_point_buffer,
                              .indices = indices,
                              .owners = owners,
                              .report = report,
                              // Only rows of one tile can be so short that it is more than 1.
                              .reach = a.tiles_per_row > 1 || tile_bytes >= ahead ? 1 : ahead / tile_bytes,
                              .beside = in_turn ? tiles - tiles / STRANDS : 0,
                              .counts = lane == 0};

#if STRANDS > 1
    if (in_turn)
        run_strands(&call, &a, begin, end);
    else
#endif
    {
        struct clq_strand strand;
        struct clq_placed placed = CLQ_UNPLACED;
        struct clq_walk walk;

        clq_strand_from(&strand, &walk, &a, begin, end);
        while (strand.tile < end) {
            struct stretch stretch;

            stretch_next(&stretch, &strand, &placed, &walk, &call, &a);
            for (uint r = 0; r < stretch.rows; r++) {
                struct run run;

                run_of(&run, &stretch, r);
                if (group && dense)
                    run_shared(&run, lane, lanes);
                else if (dense)
                    run_alone(&run, a.period, stream);
                else
                    run_apart(&run, &a, lane, lanes);
            }
        }
    }
    if (stream)
        STREAM_FENCE();
}

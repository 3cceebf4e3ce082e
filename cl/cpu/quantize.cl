// SPDX-License-Identifier: Apache-2.0
// quantize.cl's meaning, as PoCL's CPUs stream it: in the form of an item, with the device's own arithmetic.
//
//   KERNEL_NAME   the kernel's name
//   SRC           f32, f16 or bf16, of base/types.clh
//   DST           i8, u8, i32 or i4, of base/types.clh
//   MODE          divide or multiply, of base/arithmetic.clh
//   PARAMS        one, each or both, of base/parameters.clh
#define FORM       item
#define ARITHMETIC native
#define PREFETCH   1
#include "args/quantize.h"
#include "base/arithmetic.clh"
#include "base/parameters.clh"
#include "base/scalar.clh"
#include "base/types.clh"
#include "cpu/entries.clh"
#include "cpu/hints.clh"
#include "cpu/inverse.clh"
#include "cpu/lines.clh"
#include "cpu/rows.clh"
#include "cpu/strand.clh"

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

#include "cpu/quantize/run.clh"
#include "cpu/quantize/strand.clh"
#include "cpu/quantize/turns.clh"

// Units wherever they lie.
static inline void run_apart(const struct run *run, const struct quantize_args *a)
{
    const float scale = run->scale, zero_point = run->zero_point;

    for (long u = 0; u < run->units; u++)
        run->y[u * a->y_stride] = UNIT(PLAINLY, run->x, u * a->x_stride, u * a->x_stride + a->x_pair, run->scales,
                                       run->zero_points, u);
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
    const bool stream = a.tiles > STREAM_BYTES / (long)sizeof(*y) / a.tile;
    const long begin = (long)get_global_id(0) * a.tiles_per_item, end = min(begin + a.tiles_per_item, a.tiles);
    const long tile_bytes = a.tile * UNIT_BYTES;
    const bool in_turn = stream && dense && a.tile >= TURN_UNITS && (size_t)(y + a.y_offset) % 64 == 0 &&
                         (a.tiles_per_row > 1 || a.inner % STEP_UNITS == 0) &&
                         a.tiles_per_item / STRANDS * tile_bytes >= 4 * TURN_AHEAD;
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
                              .beside = in_turn ? a.tiles_per_item - a.tiles_per_item / STRANDS : 0,
                              .counts = true};

    if (in_turn) {
        run_strands(&call, &a, begin, end);
    } else {
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
                if (dense)
                    run_alone(&run, a.period, stream);
                else
                    run_apart(&run, &a);
            }
        }
    }
    if (stream)
        STREAM_FENCE();
}

// SPDX-License-Identifier: Apache-2.0
// dequantize.cl's meaning, as PoCL's CPUs stream it: in the form of an item, with the device's own arithmetic.
//
//   KERNEL_NAME   the kernel's name
//   SRC, DST      i8, u8, i32 or i4; f32, f16 or bf16: of base/types.clh
//   MODE          multiply or divide, of base/arithmetic.clh
//   PARAMS        one or each, of base/parameters.clh; a zero point too where the arguments say so
#define FORM       item
#define ARITHMETIC native
#define PREFETCH   1
#include "args/quantize.h"
#include "base/arithmetic.clh"
#include "base/narrow.clh"
#include "base/parameters.clh"
#include "base/scalar.clh"
#include "base/types.clh"
#include "cpu/entries.clh"
#include "cpu/hints.clh"
#include "cpu/lines.clh"
#include "cpu/rows.clh"
#include "cpu/strand.clh"

// Element number i, whose integer is q; where p.plain, without what a plain run does not need.
#define RESULT(q, zero_point, scales, i)                                                                                 \
    APPLY_GRADUAL(MODE, SUBTRACT(q, zero_point), SCALE_PER_ELEMENT ? as_float((scales)[i]) : p.scale)
#define ZERO_POINT(zero_points, i)       (SCALE_PER_ELEMENT && !p.plain ? as_float((zero_points)[i]) : p.zero_point)
#define VALUE(q, scales, zero_points, i) NARROW(DST, clq_canonical(RESULT(q, ZERO_POINT(zero_points, i), scales, i)))
#define NUMBER(v)                        (SCALE_PER_ELEMENT ? clq_canonical(v) : (v))
#define PLAIN_VALUE(q, scales, i)        NARROW(DST, NUMBER(RESULT(q, p.zero_point, scales, i)))

// Unit u, whose elements go to `low` and `high` of x, which are neighbours where it is dense.
#define STORE_UNIT(unit, x, low, high, scales, zero_points, u)                                               \
    {                                                                                                        \
        const STORAGE(SRC) both = unit;                                                                      \
        (x)[low] = VALUE(ELEMENT(SRC, both, 0u), scales, zero_points, ELEMENTS(SRC) * (u));                  \
        if (ELEMENTS(SRC) == 2)                                                                              \
            (x)[high] = VALUE(ELEMENT(SRC, both, 1u), scales, zero_points, ELEMENTS(SRC) * (u) + 1);         \
    }
#define STORE_DENSE_UNIT(unit, x, scales, zero_points, u)                                                    \
    STORE_UNIT(unit, x, ELEMENTS(SRC) * (u), ELEMENTS(SRC) * (u) + 1, scales, zero_points, u)

// As in cpu/quantize/run.clh: where that matters, int8 with 4 KiB took 1.1 to 1.5 times as long.
#define AHEAD_BYTES  2048
#define LONG_BYTES   14336 // the last part of a row may be shorter than the others
#define STREAM_BYTES (8 << 20)
#define UNIT_BYTES   ((long)sizeof(STORAGE(SRC))) // of y

// The scales and zero points of a run: from its first element on, or one of each. It is plain where the scale is
// one and no NaN can come of it, which makes rows of 128 a tenth faster, or there are scales and one zero point.
struct parameters {
    global const uint *scales, *zero_points;
    float scale, zero_point;
    bool plain;
    const STORAGE(DST) * table; // run.clh
};

#include "cpu/dequantize/run.clh"
#include "cpu/dequantize/stretch.clh"

// Rows one after the other; wherever the units lie, where they are not dense.
static inline APART WIDEST void stretch_alone(const struct stretch *stretch, const struct call *call,
                                              const struct quantize_args *a, bool dense)
{
    const long units = stretch->units;

    for (long r = 0; r < stretch->rows; r++) {
        const struct parameters p = parameters_of(stretch, r, call, a);
        global const STORAGE(SRC) *y = stretch->y + r * a->dim[0].y;
        global STORAGE(DST) *x = stretch->x + r * a->dim[0].x;

        if (dense)
            run(y, x, p, units, y + stretch->next, call->stream);
        else
            for (long u = 0; u < units; u++)
                STORE_UNIT(y[u * a->y_stride], x, u * a->x_stride, u * a->x_stride + a->x_pair, p.scales,
                           p.zero_points, u);
    }
}

#include "cpu/dequantize/carry.clh"
#include "cpu/dequantize/turns.clh"

// The tiles from `begin` to `end`, one after the other.
static inline APART void stretches_alone(const struct call *call, const struct quantize_args *a, long begin, long end,
                                         bool dense, bool carries)
{
    struct clq_strand strand;
    struct clq_placed placed = CLQ_UNPLACED;
    struct clq_walk walk;
    struct clq_carry carry;
    long jump = 0;

    carry.to = 0, carry.from = carry.count = 0;
    clq_strand_from(&strand, &walk, a, begin, end);
    while (strand.tile < end) {
        struct stretch stretch;

        stretch_next(&stretch, &strand, &placed, &walk, &jump, call, a);
        if (carries)
            stretch_carried(&carry, &stretch, call, a);
        else
            stretch_alone(&stretch, call, a, dense);
    }
    clq_carry_end(&carry, true);
}

kernel void KERNEL_NAME(global STORAGE(DST) *restrict x, global const uchar *restrict scale_buffer,
                        global const uchar *restrict zero_point_buffer, global const STORAGE(SRC) *restrict y,
                        global const uchar *restrict indices, global const uint *restrict owners,
                        global uint *restrict report, const struct quantize_args a)
{
    // A build rehearses with arguments of zeros; nothing below may divide by them.
    if (a.tiles == 0)
        return;
    const bool dense = a.y_stride == 1 && a.x_stride == ELEMENTS(SRC) && a.x_pair == ELEMENTS(SRC) - 1;
    const bool stream = a.tiles > STREAM_BYTES / (long)sizeof(*x) / ELEMENTS(SRC) / a.tile;
    const long tiles = a.tiles_per_item;
    const long begin = (long)get_global_id(0) * tiles, end = min(begin + tiles, a.tiles);
    const long tile_bytes = a.tile * UNIT_BYTES;
    const bool entries = a.entries.kind >= CLQ_ENTRY_STARTS;
    const uint most = entries ? STRANDS : MOST_STRANDS;
    // Where rows follow one another.
    const bool in_line = (size_t)(x + a.x_offset) % 64 == 0 &&
                         (a.tiles_per_row > 1 || a.inner * ELEMENTS(SRC) % STEP == 0);
    const bool gathers = can_gather(&a);
    const bool turns = ELEMENTS(SRC) == 1 || gathers;
    const bool in_turn = stream && dense && in_line && turns && tiles / most * tile_bytes >= 4 * TURN_AHEAD;
    const bool carries = stream && dense && !in_line && a.tiles_per_row == 1 && tile_bytes < LONG_BYTES;
    const uint strands = in_turn ? most : 1;
    // Rows are more than one only where a row is one tile; of entries that are short, these are some entries.
    const long reach = a.tiles_per_row > 1 ? 1 : max((in_turn ? TURN_AHEAD : AHEAD_BYTES) / tile_bytes, 1L);
    const long beside = a.tiles_per_row == 1 ? tiles - CLQ_STRAND_TILES(tiles, strands) : 0;
    const struct call call = {.x = x,
                              .y = y,
                              .scales = scale_buffer,
                              .zero_points = zero_point_buffer,
                              .indices = indices,
                              .owners = owners,
                              .report = report,
                              .reach = reach,
                              .reach_later = entries ? reach * a.entries.positions / a.entries.rows : 0,
                              .beside = beside,
                              .beside_later = entries ? beside * a.entries.positions / a.entries.rows : 0,
                              .strands = strands,
                              .counts = true,
                              .stream = stream};

    if (in_turn && gathers)
        gather_strands(&call, &a, begin, end);
    else if (in_turn && ELEMENTS(SRC) == 1)
        stretch_strands(&call, &a, begin, end);
    else
        stretches_alone(&call, &a, begin, end, dense, carries);
    if (stream)
        STREAM_FENCE();
}

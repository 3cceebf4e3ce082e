// SPDX-License-Identifier: Apache-2.0
// dequantize: x[row][i] = (y[row][i] - zero_point[i]) MODE scale[i], every step rounded to binary32, then to DST
//
// The mirror of quantize.cl, with its names: y holds the integers and is read, x the floats and is written.
//   KERNEL_NAME   the kernel's name
//   SRC, DST      i8, u8, i32 or i4; f32, f16 or bf16: of base/types.clh
//   MODE          multiply or divide, of base/arithmetic.clh
//   ARITHMETIC    native or exact, of base/arithmetic.clh and base/narrow.clh
//   PARAMS        one or each, of base/parameters.clh; a zero point too where the arguments say so
//   FORM          item or group, of base/parameters.clh
//   PREFETCH      0 or 1, of base/hints.clh
#include "args/quantize.h"
#include "base/arithmetic.clh"
#include "base/entries.clh"
#include "base/hints.clh"
#include "base/lines.clh"
#include "base/narrow.clh"
#include "base/parameters.clh"
#include "base/rows.clh"
#include "base/scalar.clh"
#include "base/strand.clh"
#include "base/types.clh"

#if !defined(KERNEL_NAME) || !defined(SRC) || !defined(DST) || !defined(MODE) || !defined(ARITHMETIC) ||     \
    !defined(PARAMS) || !defined(FORM) || !defined(PREFETCH)
#error "dequantize.cl: KERNEL_NAME, SRC, DST, MODE, ARITHMETIC, PARAMS, FORM and PREFETCH are required"
#endif

// Element number i, whose integer is q; where p.plain, without what a plain run does not need.
#define RESULT(q, zero_point, scales, i)                                                                                 \
    APPLY_GRADUAL(MODE, SUBTRACT(q, zero_point), SCALE_PER_ELEMENT ? as_float((scales)[i]) : p.scale)
#define ZERO_POINT(zero_points, i)       (SCALE_PER_ELEMENT && !p.plain ? as_float((zero_points)[i] ^ p.sign) : p.zero_point)
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

// As in quantize/run.clh: where that matters, int8 with 4 KiB took 1.1 to 1.5 times as long.
#define AHEAD_BYTES  2048
#define LONG_BYTES   14336 // the last part of a row may be shorter than the others
#define STREAM_BYTES (8 << 20)
#define UNIT_BYTES   ((long)sizeof(STORAGE(SRC))) // of y
#define CARRIES      (STREAMS && !IS_GROUP)

// The scales and zero points of a run: from its first element on, or one of each. It is plain where the scale is
// one and no NaN can come of it, which makes rows of 128 a tenth faster, or there are scales and one zero point.
struct parameters {
    global const uint *scales, *zero_points;
    float scale, zero_point;
    uint sign; // flips those of zero_points
    bool plain;
    const STORAGE(DST) * table; // of a run by a CPU's work-item
};

#include "dequantize/stretch.clh"
#include "dequantize/run.clh"

// The same, done by `lanes` work-items, each writing 16 bytes of x in turn where the addresses let them be read
// and written at once; the rest unit by unit.
static inline void shared_run(global const STORAGE(SRC) * y, global STORAGE(DST) * x, const struct parameters p,
                              long units, long lane, long lanes)
{
    typedef VECTOR(SRC, UNITS(SRC, CHUNK(DST))) y_vector;
    typedef VECTOR(f32, CHUNK(DST)) scale_vector;
    const size_t parameters =
        (SCALE_PER_ELEMENT ? (size_t)p.scales : 0) | (SCALE_PER_ELEMENT && !p.plain ? (size_t)p.zero_points : 0);
    const bool fits = ((size_t)y % sizeof(y_vector) | (size_t)x % 16 | parameters % sizeof(scale_vector)) == 0;
    const long chunk = UNITS(SRC, CHUNK(DST)), chunks = fits ? units / chunk : 0;

    for (long c = lane; c < chunks; c += lanes) {
        STORAGE(SRC) packed[UNITS(SRC, CHUNK(DST))];
        STORAGE(DST) values[CHUNK(DST)];
        uint scales[CHUNK(DST)], zero_points[CHUNK(DST)];
        CLQ_CAT(vstore, UNITS(SRC, CHUNK(DST)))(((global const y_vector *)y)[c], 0, packed);
        if (SCALE_PER_ELEMENT)
            CLQ_CAT(vstore, CHUNK(DST))(((global const scale_vector *)p.scales)[c], 0, scales);
        if (SCALE_PER_ELEMENT && !p.plain)
            CLQ_CAT(vstore, CHUNK(DST))(((global const scale_vector *)p.zero_points)[c], 0, zero_points);
        for (uint k = 0; k < UNITS(SRC, CHUNK(DST)); k++)
            STORE_DENSE_UNIT(packed[k], values, scales, zero_points, k);
        ((global VECTOR(DST, CHUNK(DST)) *)x)[c] = CLQ_CAT(vload, CHUNK(DST))(0, values);
    }
    for (long u = chunks * chunk + lane; u < units; u += lanes)
        STORE_DENSE_UNIT(y[u], x, p.scales, p.zero_points, u);
}

// Rows one after the other; wherever the units lie, where they are not dense.
static inline APART WIDEST void stretch_alone(const struct stretch *stretch, const struct call *call,
                                              const struct quantize_args *a, bool dense, long lane, long lanes)
{
    const long units = stretch->units;

    for (long r = 0; r < stretch->rows; r++) {
        const struct parameters p = parameters_of(stretch, r, call, a);
        global const STORAGE(SRC) *y = stretch->y + r * a->dim[0].y;
        global STORAGE(DST) *x = stretch->x + r * a->dim[0].x;

        if (!dense) {
            for (long u = lane; u < units; u += lanes)
                STORE_UNIT(y[u * a->y_stride], x, u * a->x_stride, u * a->x_stride + a->x_pair, p.scales,
                           p.zero_points, u);
        } else if (IS_GROUP) {
            shared_run(y, x, p, units, lane, lanes);
        } else {
            run(y, x, p, units, y + stretch->next, call->stream);
        }
    }
}

#include "dequantize/turns.clh"
#if CARRIES
#include "dequantize/carry.clh"
#endif

// The tiles from `begin` to `end`, one after the other.
static inline APART void stretches_alone(const struct call *call, const struct quantize_args *a, long begin, long end,
                                         bool dense, bool carries, long lane, long lanes)
{
    struct clq_strand strand;
    struct clq_placed placed = CLQ_UNPLACED;
    struct clq_walk walk;
    long jump = 0;
#if CARRIES
    struct clq_carry carry;

    carry.to = 0, carry.from = carry.count = 0;
#endif

    clq_strand_from(&strand, &walk, a, begin, end);
    while (strand.tile < end) {
        struct stretch stretch;

        stretch_next(&stretch, &strand, &placed, &walk, &jump, call, a);
        if (!CARRIES || !carries) {
            stretch_alone(&stretch, call, a, dense, lane, lanes);
            continue;
        }
#if CARRIES
        stretch_carried(&carry, &stretch, call, a);
#endif
    }
#if CARRIES
    clq_carry_end(&carry, true);
#endif
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
    const bool stream = STREAMS && a.tiles > STREAM_BYTES / (long)sizeof(*x) / ELEMENTS(SRC) / a.tile;
    const uint lanes = IS_GROUP ? a.lanes : 1, lane = (uint)get_local_id(0) & (lanes - 1);
    const long tiles = IS_GROUP ? 1 : a.tiles_per_item;
    const long begin = clq_quotient((long)get_global_id(0), lanes) * tiles, end = min(begin + tiles, a.tiles);
    const long tile_bytes = a.tile * UNIT_BYTES;
    const bool entries = STREAMS && a.entries.kind >= CLQ_ENTRY_STARTS;
    const uint most = entries ? STRANDS : MOST_STRANDS;
    // Where rows follow one another.
    const bool in_line = (size_t)(x + a.x_offset) % 64 == 0 &&
                         (a.tiles_per_row > 1 || a.inner * ELEMENTS(SRC) % STEP == 0);
    const bool gathers = STRANDS > 1 && can_gather(&a);
    const bool turns = ELEMENTS(SRC) == 1 || gathers;
    const bool in_turn = STRANDS > 1 && stream && dense && in_line && turns && tiles / most * tile_bytes >= 4 * TURN_AHEAD;
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
                              .counts = lane == 0,
                              .stream = stream};

#if STRANDS > 1
    if (in_turn && gathers)
        gather_strands(&call, &a, begin, end);
    else
#endif
#if STRANDS > 1 && ELEMENTS(SRC) == 1
    if (in_turn)
        stretch_strands(&call, &a, begin, end);
    else
#endif
        stretches_alone(&call, &a, begin, end, dense, carries, lane, lanes);
    if (stream)
        STREAM_FENCE();
}

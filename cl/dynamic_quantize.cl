// dynamic_quantize: each row of x by a scale that is found from the row
//
//   y[row][i] = sat(rint(v[i] * back + off)), v[i] = x[row][i], or x[row][i] * smooth[i]
//   scales[row] = scale, offsets[row] = -off; base/row_scale.clh has scale, back and off
//
//   KERNEL_NAME   the kernel's name
//   SRC           f32, f16 or bf16, of base/types.clh
//   DST           i8 or i4, of base/types.clh
//   SMOOTH        0: smooth is never read. 1: x is multiplied by it
//   ARITHMETIC    native or exact, of base/arithmetic.clh
//   FORM          item or group, of base/parameters.clh
//   PREFETCH      0 or 1, of base/hints.clh
//
// The file may be included many times in one source, each time with other parameters.
#include "args/dynamic_quantize.h"
#include "base/entries.clh"
#include "base/hints.clh"
#include "base/parameters.clh"
#include "base/row_scale.clh"
#include "base/rows.clh"
#include "base/types.clh"

#if !defined(KERNEL_NAME) || !defined(SRC) || !defined(DST) || !defined(SMOOTH) || !defined(ARITHMETIC) ||   \
    !defined(FORM) || !defined(PREFETCH)
#error "dynamic_quantize.cl: KERNEL_NAME, SRC, DST, SMOOTH, ARITHMETIC, FORM and PREFETCH are required"
#endif

#define LOCAL_NAME(name) CLQ_CAT3(KERNEL_NAME, _, name)

// Element `at` of x, whose smooth scale is number i.
#define VALUE(x, at, smooth, i)                                                                              \
    (SMOOTH ? APPLY(multiply, ARITHMETIC, LOAD(SRC, x, at), as_float((smooth)[i])) : LOAD(SRC, x, at))
// Its bits, in the type that is compared.
#define KEY                  KEY_TYPE(SRC, SMOOTH)
#define BITS(x, at, smooth, i) ((STORAGE(KEY))(SMOOTH ? as_uint(VALUE(x, at, smooth, i)) : (x)[at]))

// Unit u, from elements `low` and `high` of x, its smooth scales beginning with number i.
#define SCALED(x, at, smooth, i) (VALUE(x, at, smooth, i) * row.back + row.off)
#define UNIT(pack, x, low, high, smooth, i)                                                                  \
    pack(DST, SCALED(x, low, smooth, i), SCALED(x, high, smooth, (i) + 1))
#define FIRST(u) (ELEMENTS(DST) * (u))
#define DENSE_UNIT(pack, x, smooth, u) UNIT(pack, x, FIRST(u), FIRST(u) + 1, smooth, FIRST(u))

#define STEP         64 // elements or units in a plain loop of one length, which makes the best code
#define AHEAD_BYTES  8192
#define STREAM_BYTES (8 << 20)
#define MOST_LOCAL   128 // work-items in a group

// The units of a row from `lane` on, every lanes-th, wherever they lie; 16 bytes of x at once where that `fits`.
// (Returned, keys would be a noalias argument, of which LLVM leaves marks that Oclgrind cannot run.)
static inline void LOCAL_NAME(scan)(struct clq_keys *keys, global const STORAGE(SRC) * x,
                                    global const uint *smooth, const struct dynamic_quantize_args *a,
                                    bool fits, long lane, long lanes)
{
    const long chunk = UNITS(DST, CHUNK(SRC)), chunks = fits ? a->inner / chunk : 0;

    for (long c = lane; c < chunks; c += lanes) {
        STORAGE(SRC) values[CHUNK(SRC)];
        CLQ_CAT(vstore, CHUNK(SRC))(((global const VECTOR(SRC, CHUNK(SRC)) *)x)[c], 0, values);
        for (uint k = 0; k < CHUNK(SRC); k++)
            clq_look(keys, VALUE(values, k, smooth, c * CHUNK(SRC) + k));
    }
    for (long u = chunks * chunk + lane; u < a->inner; u += lanes)
        for (uint e = 0; e < ELEMENTS(DST); e++)
            clq_look(keys, VALUE(x, u * a->x_stride + e * a->x_pair, smooth, ELEMENTS(DST) * u + e));
}

static inline void LOCAL_NAME(store)(global const STORAGE(SRC) * x, global const uint *smooth,
                                     global STORAGE(DST) * y, struct clq_row_scale row,
                                     const struct dynamic_quantize_args *a, bool fits, long lane, long lanes)
{
    const long chunk = UNITS(DST, CHUNK(SRC)), chunks = fits ? a->inner / chunk : 0;

    for (long c = lane; c < chunks; c += lanes) {
        STORAGE(SRC) values[CHUNK(SRC)];
        STORAGE(DST) packed[UNITS(DST, CHUNK(SRC))];

        CLQ_CAT(vstore, CHUNK(SRC))(((global const VECTOR(SRC, CHUNK(SRC)) *)x)[c], 0, values);
        for (uint k = 0; k < UNITS(DST, CHUNK(SRC)); k++)
            packed[k] = DENSE_UNIT(PACK, values, smooth + c * CHUNK(SRC), k);
        ((global VECTOR(DST, UNITS(DST, CHUNK(SRC))) *)y)[c] = CLQ_CAT(vload, UNITS(DST, CHUNK(SRC)))(0, packed);
    }
    for (long u = chunks * chunk + lane; u < a->inner; u += lanes) {
        const long part = a->y_part == a->inner ? 0 : u / a->y_part, at = u * a->x_stride;

        y[part * a->y_part_stride + (u - part * a->y_part) * a->y_stride] =
            UNIT(PACK, x, at, at + a->x_pair, smooth, ELEMENTS(DST) * u);
    }
}

// The same for a CPU's work-item and a row whose elements follow one another: bits as integers, of which LLVM
// makes vectors. As signed ones the maximum is the largest value, unless all are below 0; as unsigned ones it
// is the least, if one is below 0. What is missing of the two is the unsigned minimum. False where a value is
// infinite or NaN. The last STEP may look again at what others did.
static inline bool LOCAL_NAME(quick_scan)(global const STORAGE(SRC) * x, global const uint *smooth, long n,
                                          struct clq_extent *extent)
{
    SIGNED(KEY) high = (SIGNED(KEY))SIGN(KEY);
    STORAGE(KEY) low = 0, least = (STORAGE(KEY))0xffffffffu;

    for (long from = 0, to = n < STEP ? n : n / STEP * STEP; from < n; from = to == n ? n : n - STEP, to = n) {
        WIDE_LOOP_16(PREFETCH)
        for (long i = from; i < to; i++) {
            const STORAGE(KEY) bits = BITS(x, i, smooth, i);

            high = (SIGNED(KEY))bits > high ? (SIGNED(KEY))bits : high;
            low = bits > low ? bits : low;
        }
    }
    if (high < 0 || low < SIGN(KEY))
        for (long i = 0; i < n; i++) {
            const STORAGE(KEY) bits = BITS(x, i, smooth, i);

            least = bits < least ? bits : least;
        }

    const STORAGE(KEY) ends[2] = {high < 0 ? least : (STORAGE(KEY))high, low < SIGN(KEY) ? least : low};
    *extent = (struct clq_extent){LOAD(KEY, ends, 0), LOAD(KEY, ends, 1)};
    return (high < 0 || (uint)high < INFINITE(KEY)) && low < (SIGN(KEY) | INFINITE(KEY));
}

// No value is so large beside the scale that rounding could lead out of the range (docs/numerics.md). `ahead`
// is a row that comes later.
static inline void LOCAL_NAME(quick_store)(global const STORAGE(SRC) * x, global const uint *smooth,
                                           global STORAGE(DST) * y, struct clq_row_scale row, long units,
                                           global const STORAGE(SRC) * ahead, bool stream)
{
    if (units < STEP) {
        PREFETCH_LINE(PREFETCH, ahead);
        WIDE_LOOP(PREFETCH)
        for (long u = 0; u < units; u++)
            y[u] = DENSE_UNIT(PACK_INSIDE, x, smooth, u);
        return;
    }
    for (long done = 0; done < units; done += STEP) {
        const long at = min(done, units - STEP);
        STORAGE(DST) step[STEP] __attribute__((aligned(64)));

        for (uint line = 0; line < STEP * ELEMENTS(DST) * sizeof(*x); line += 64)
            PREFETCH_LINE(PREFETCH, (global const uchar *)(ahead + at * ELEMENTS(DST)) + line);
        WIDE_STEP(PREFETCH)
        for (uint k = 0; k < STEP; k++)
            step[k] = DENSE_UNIT(PACK_INSIDE, x + at * ELEMENTS(DST), smooth + at * ELEMENTS(DST), k);
        for (uint k = 0; k < sizeof(step) / 64; k++)
            if (stream)
                STREAM_STORE(PREFETCH, (global ulong8 *)(y + at) + k, ((const ulong8 *)step)[k]);
            else
                vstore8(((const ulong8 *)step)[k], k, (global ulong *)(y + at));
    }
}

kernel void KERNEL_NAME(global const STORAGE(SRC) *restrict x, global const uint *restrict smooth,
                        global STORAGE(DST) *restrict y, global uint *restrict scales,
                        global uint *restrict offsets, global const uchar *restrict indices,
                        global const uint *restrict owners, global uint *restrict report,
                        const struct dynamic_quantize_args a)
{
    local int highs[IS_GROUP(FORM) ? MOST_LOCAL : 1], lows[IS_GROUP(FORM) ? MOST_LOCAL : 1];
    // A build rehearses with arguments of zeros; nothing below may divide by them.
    if (a.rows == 0)
        return;
    const bool group = IS_GROUP(FORM), symmetric = a.symmetric != 0;
    const bool dense = a.y_stride == 1 && a.y_part == a.inner && a.x_stride == ELEMENTS(DST) &&
                       a.x_pair == ELEMENTS(DST) - 1;
    const bool quick = !group && STREAMS(PREFETCH) && dense;
    const bool streams = a.inner % STEP == 0 && a.rows > STREAM_BYTES / a.inner;
    const uint item = (uint)get_local_id(0), lanes = group ? a.lanes : 1, lane = item & (lanes - 1);
    const long rows = group ? 1 : a.rows_per_item;
    const long begin = group ? (long)get_group_id(0) * ((uint)get_local_size(0) / lanes) + item / lanes
                             : (long)get_global_id(0) * rows;
    const long end = min(begin + rows, a.rows);
    const long row_bytes = a.inner * ELEMENTS(DST) * (long)sizeof(*x);
    const long reach = row_bytes >= AHEAD_BYTES ? 1 : AHEAD_BYTES / row_bytes;

    // Where the entry of these rows puts them; the next one's begin at placed_end.
    struct clq_place placed = {0, 0, 0, 0};
    long placed_end = 0;
    bool kept = true;

    for (long number = begin; number < begin + rows; number++) {
        const long at = min(number, a.rows - 1); // a group's work-items all meet its barriers
        struct clq_place place = clq_place_of(at, a.dim, a.outer);
        bool mine = number < end;

        if (a.entries.kind != CLQ_ENTRY_NONE && mine && at >= placed_end) {
            const long together = clq_quotient(a.entries.rows, a.entries.positions);

            placed = (struct clq_place){0, 0, 0, 0};
            kept = clq_place_entry(&placed, indices, owners, report, &a.entries, at, lane == 0);
            placed_end = (clq_quotient(at, together) + 1) * together;
        }
        mine = mine && kept;
        if (!group && !mine)
            continue;

        global const STORAGE(SRC) *row_x = x + a.x_offset + place.x;
        global const uint *row_smooth = smooth + a.smooth_offset;
        global STORAGE(DST) *row_y = y + a.y_offset + place.y + placed.y;
        const bool fits = group && dense && (size_t)row_x % 16 == 0 && (size_t)row_smooth % (SMOOTH ? 16 : 1) == 0 &&
                          (size_t)row_y % (UNITS(DST, CHUNK(SRC)) * sizeof(*y)) == 0;
        struct clq_extent extent = {0.0f, 0.0f};
        bool inside = quick && LOCAL_NAME(quick_scan)(row_x, row_smooth, a.inner * ELEMENTS(DST), &extent);

        if (!inside) {
            struct clq_keys keys = {INT_MIN, INT_MAX};
            LOCAL_NAME(scan)(&keys, row_x, row_smooth, &a, fits, lane, lanes);

            for (uint apart = lanes / 2; group && apart > 0; apart /= 2) {
                highs[item] = keys.high, lows[item] = keys.low;
                barrier(CLK_LOCAL_MEM_FENCE);
                keys.high = max(keys.high, highs[item ^ apart]);
                keys.low = min(keys.low, lows[item ^ apart]);
                barrier(CLK_LOCAL_MEM_FENCE);
            }
            extent = clq_extent_of(keys);
        }

        const struct clq_row_scale row = ROW_SCALE(ARITHMETIC, extent, TOP(DST), symmetric);

        inside = inside && clq_magnitude(extent) * row.back <= 0x1p18f;
        if (inside) {
            global const STORAGE(SRC) *ahead = row_x + (a.outer > 0 ? reach * a.dim[0].x : 0);

            LOCAL_NAME(quick_store)
            (row_x, row_smooth, row_y, row, a.inner, ahead, streams && (size_t)row_y % 64 == 0);
        } else if (mine) {
            LOCAL_NAME(store)(row_x, row_smooth, row_y, row, &a, fits, lane, lanes);
        }
        if (mine && lane == 0) {
            scales[a.scale_offset + place.scale + placed.scale] = as_uint(row.scale);
            if (!symmetric)
                offsets[a.offset_offset + place.zero_point + placed.zero_point] = clq_negated(row.off);
        }
    }
    if (quick && streams)
        STREAM_FENCE(PREFETCH);
}

#undef LOCAL_NAME
#undef VALUE
#undef KEY
#undef BITS
#undef SCALED
#undef UNIT
#undef FIRST
#undef DENSE_UNIT
#undef STEP
#undef AHEAD_BYTES
#undef STREAM_BYTES
#undef MOST_LOCAL

// SPDX-License-Identifier: Apache-2.0
// find_scales.cl's meaning, as PoCL's CPUs stream it: in the form of an item,
// with the device's own arithmetic.
//
//   KERNEL_NAME   the kernel's name
//   SRC           f32, f16 or bf16, of base/types.clh
//   REDUCE        runs or columns, of base/parameters.clh
//   RANGE         finite or numbers, of find/range.clh and find/scales.clh
#define ARITHMETIC  native
#define RANGE_WIDTH 16 // a vector of a CPU's
#include "args/find_scales.h"
#include "base/parameters.clh"
#include "find/range.clh"
#include "find/scales.clh"
#include "cpu/tuning.h"
#include "cpu/x86.clh"
#include "index/place.clh"

#if !defined(KERNEL_NAME) || !defined(SRC) || !defined(REDUCE) || !defined(RANGE)
#error "cpu/find_scales.cl: KERNEL_NAME, SRC, REDUCE and RANGE are required"
#endif

#define LOAD_UNITS(p)     CLQ_CAT(vload, RANGE_WIDTH)(0, p)
#define STORE_UNITS(v, p) CLQ_CAT(vstore, RANGE_WIDTH)(v, 0, p)

// Places that are read at once, and vectors between two of them: pages apart keep more of a CPU's memory
// busy. Measured on PoCL with AVX-512, 256 MiB of float16: 0.78 of a loop that only reads from one place,
// 0.94 from four.
#define AT_ONCE CLQ_CPU_STREAMS
#define STRETCH (4096 / (int)sizeof(STORAGE(SRC)) / RANGE_WIDTH)
// In elements: a cache line, and how far ahead of their use lines are fetched at least.
#define LINE  (64 / (int)sizeof(STORAGE(SRC)))
#define AHEAD (8192 / (int)sizeof(STORAGE(SRC)))

// Vectors whose ranges a work-item holds where each column has its own.
#define HELD (CLQ_CPU_FIND_COLUMN_BYTES / (int)sizeof(STORAGE(SRC)) / RANGE_WIDTH)

// As many units as there are, and nothing else.
static inline clq_units gather(global const STORAGE(SRC) * p, long stride, long count)
{
    STORAGE(SRC) units[RANGE_WIDTH];

    for (uint k = 0; k < RANGE_WIDTH; k++)
        units[k] = k < count ? p[k * stride] : CLQ_NOTHING;
    return LOAD_UNITS(units);
}

// Elements of one index that follow one another, a vector after the other from AT_ONCE places a stretch
// apart. `next` is what is read after these.
static inline void take_run(struct clq_ranges *held, global const STORAGE(SRC) * x, long stride, long count,
                            global const STORAGE(SRC) * next)
{
    const long whole = stride == 1 ? count / RANGE_WIDTH : 0;
    const long stretch = min(whole / AT_ONCE, (long)STRETCH);
    long v = 0;

    for (; stretch > 0 && v + AT_ONCE * stretch <= whole; v += AT_ONCE * stretch) {
        const long after = v + AT_ONCE * stretch;
        global const STORAGE(SRC) *here = x + v * RANGE_WIDTH;
        global const STORAGE(SRC) *ahead = after < whole ? x + after * RANGE_WIDTH : next;

        for (long s = 0; s < stretch; s++) {
            UNROLL_LOOP
            for (uint k = 0; k < AT_ONCE; k++) {
                const long at = (s + k * stretch) * RANGE_WIDTH;

                if (s * RANGE_WIDTH % LINE == 0)
                    PREFETCH(ahead + at);
                CLQ_WIDEN(held[k], LOAD_UNITS(here + at));
            }
        }
    }
    for (; v < whole; v++)
        CLQ_WIDEN(held[0], LOAD_UNITS(x + v * RANGE_WIDTH));
    for (; v * RANGE_WIDTH < count; v++)
        CLQ_WIDEN(held[0], gather(x + v * RANGE_WIDTH * stride, stride, count - v * RANGE_WIDTH));
}

// The first column of the v-th vector. The last one is moved back to be whole: what it shares with the
// one before is found twice.
static inline long column(long v, long columns)
{
    return max(min(v * RANGE_WIDTH, columns - RANGE_WIDTH), 0L);
}

// Elements of a row that have an index each: the v-th vector of them widens held[v]. The row has fewer than
// the others where count is below columns.
static inline void take_row(struct clq_ranges *held, global const STORAGE(SRC) *x, long stride, long columns,
                            long count)
{
    for (long v = 0; v * RANGE_WIDTH < columns; v++) {
        const long at = column(v, columns);

        CLQ_WIDEN(held[v], stride == 1 && at + RANGE_WIDTH <= count
                               ? LOAD_UNITS(x + at)
                               : gather(x + at * stride, stride, count - at));
    }
}

// Several rows at once, so that the ranges are read and written once for all of them.
static inline void take_rows(struct clq_ranges *held, global const STORAGE(SRC) *const *rows,
                             global const STORAGE(SRC) *const *next, long columns)
{
    for (long v = 0; v * RANGE_WIDTH < columns; v++) {
        const long at = column(v, columns);
        struct clq_ranges ranges = held[v];

        UNROLL_LOOP
        for (uint r = 0; r < AT_ONCE; r++) {
            if (v * RANGE_WIDTH % LINE == 0)
                PREFETCH(next[r] + at);
            CLQ_WIDEN(ranges, LOAD_UNITS(rows[r] + at));
        }
        held[v] = ranges;
    }
}

// The range of an index, of these steps. x is where the index begins.
NO_INLINE uint2 run(global const STORAGE(SRC) * x, const struct find_scales_args *a, long first, long last)
{
    // How many rows, or indices of one row, further on `next` is.
    const long rows_ahead = max(AHEAD / max((long)a->tile, 1L), 1L);
    struct clq_ranges held[AT_ONCE];
    long row = a->tiles_per_row > 1 ? first / a->tiles_per_row : first, tile = first - row * a->tiles_per_row;

    UNROLL_LOOP
    for (uint k = 0; k < AT_ONCE; k++)
        held[k] = clq_no_ranges();
    for (long step = first; step < last; step++) {
        global const STORAGE(SRC) *at =
            x + clq_place_of(row, a->dim, a->outer).x + tile * a->tile * a->x_stride;
        global const STORAGE(SRC) *next =
            a->tiles_per_row > 1 ? at + a->tile : at + rows_ahead * a->index_stride;

        if (a->tiles_per_row == 1 && step + rows_ahead < last)
            next = x + clq_place_of(row + rows_ahead, a->dim, a->outer).x;
        take_run(held, at, a->x_stride, min((long)a->tile, a->inner - tile * a->tile), next);
        tile = tile + 1 < a->tiles_per_row ? tile + 1 : 0;
        row += tile == 0;
    }
    UNROLL_LOOP
    for (uint k = 1; k < AT_ONCE; k++)
        held[0] = clq_joined(held[0], held[k]);
    return clq_closed(held[0]);
}

// The ranges of a tile of columns, of these rows. x is where the tile begins.
NO_INLINE void take_columns(struct clq_ranges *held, global const STORAGE(SRC) * x,
                            const struct find_scales_args *a, long columns, long left, long first, long last)
{
    // The last row may have fewer columns: those that are left.
    const long whole = min(last, a->steps - 1);
    global const STORAGE(SRC) * rows[AT_ONCE], *next[AT_ONCE];
    long row = first;

    if (a->x_stride == 1 && columns >= RANGE_WIDTH && first + AT_ONCE <= whole) {
        for (uint r = 0; r < AT_ONCE; r++)
            next[r] = x + clq_place_of(row + r, a->dim, a->outer).x;
        for (; row + AT_ONCE <= whole; row += AT_ONCE) {
            for (uint r = 0; r < AT_ONCE; r++) {
                rows[r] = next[r];
                next[r] = x + clq_place_of(row + AT_ONCE + r, a->dim, a->outer).x;
            }
            take_rows(held, rows, next, columns);
        }
    }
    for (; row < last; row++)
        take_row(held, x + clq_place_of(row, a->dim, a->outer).x, a->x_stride, columns,
                 row < a->steps - 1 ? columns : left);
}

// The ranges of a tile of columns, or, where they are all of the columns, the scales.
NO_INLINE void put_columns(global uint2 *ranges, global uchar *scales, global uchar *zero_points,
                                     const struct find_scales_args *a, long first_range, long first,
                                     long columns, const struct clq_ranges *held)
{
    const bool direct = !OF_NUMBERS && a->direct != 0;

    for (long v = 0; v * RANGE_WIDTH < columns; v++) {
        const long at = column(v, columns);
        const uint count = (uint)min(columns - at, (long)RANGE_WIDTH);
        STORAGE(SRC) up[RANGE_WIDTH], down[RANGE_WIDTH];

        STORE_UNITS(CLQ_AS_UNITS(held[v].up), up);
        STORE_UNITS(held[v].down, down);
        for (uint k = 0; k < count; k++) {
            const uint2 range = (uint2)(CLQ_END(up[k]), CLQ_END(down[k]));

            if (direct)
                CLQ_WRITE_SCALE(scales, zero_points, &a->output,
                                clq_scale_places(&a->output, 0, 0, first + at + k), range);
            else
                ranges[a->ranges_offset + first_range + first + at + k] = range;
        }
    }
}

kernel void KERNEL_NAME(global const STORAGE(SRC) *restrict x, global uint2 *restrict ranges,
                        global uchar *restrict scales, global uchar *restrict zero_points,
                        const struct find_scales_args a)
{
    const long begin = (long)get_global_id(0) * a.units_per_item;
    const long end = min(begin + a.units_per_item, a.units * a.batches * a.slices);
    // A build rehearses with arguments of zeros, which nothing may divide by.
    long of_all = begin / max(a.units, 1L), unit = begin - of_all * a.units;

    for (long n = begin; n < end; n++) {
        const long slice = of_all / a.batches;
        global const STORAGE(SRC) *from =
            x + a.x_offset + clq_place_from_end(of_all - slice * a.batches, a.dim, a.batch_dims).x;
        const long first = slice * a.steps_per_slice, last = min(first + a.steps_per_slice, a.steps);

        if (REDUCES_RUNS) {
            const uint2 range = run(from + unit * a.index_stride, &a, first, last);

            if (!OF_NUMBERS && a.direct)
                CLQ_WRITE_SCALE(scales, zero_points, &a.output, clq_scale_places(&a.output, 0, 0, unit),
                                range);
            else
                ranges[a.ranges_offset + n] = range;
        } else {
            const long before = unit * a.tile, columns = min((long)a.tile, a.inner - before);
            struct clq_ranges held[HELD];

            for (uint v = 0; v < HELD; v++)
                held[v] = clq_no_ranges();
            take_columns(held, from + before * a.x_stride, &a, columns, clamp(a.last - before, 0L, columns),
                         first, last);
            put_columns(ranges, scales, zero_points, &a, of_all * a.inner, before, columns, held);
        }
        unit = unit + 1 < a.units ? unit + 1 : 0;
        of_all += unit == 0;
    }
}

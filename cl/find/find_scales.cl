// SPDX-License-Identifier: Apache-2.0
// find_scales: the range of the values of every index of an axis, or of all of x, for finish_scales.cl; of
// finite ones, where one work-item or its group sees all values of an index, its scale and zero point
//
//   KERNEL_NAME   the kernel's name
//   SRC           f32, f16 or bf16, of base/types.clh
//   REDUCE        runs: the elements of a row have one index; columns: each has its own
//   RANGE         finite or numbers, of find/range.clh and find/scales.clh
//   ARITHMETIC    native or exact, of base/arithmetic.clh
//   FORM          item or group, of base/parameters.clh
#include "args/find_scales.h"
#include "base/chunk.clh"
#include "base/parameters.clh"
#include "find/range.clh"
#include "find/scales.clh"
#include "find/join.clh"
#include "index/place.clh"

#if !defined(KERNEL_NAME) || !defined(SRC) || !defined(REDUCE) || !defined(RANGE) || !defined(ARITHMETIC) || \
    !defined(FORM)
#error "find_scales.cl: KERNEL_NAME, SRC, REDUCE, RANGE, ARITHMETIC and FORM are required"
#endif

// A single element and nothing else.
static inline clq_units single(STORAGE(SRC) element)
{
    clq_units v = CLQ_NOTHING;

    v.s0 = element;
    return v;
}

// Each place's range one place further down, and the first one's last.
static inline struct clq_ranges turned(struct clq_ranges ranges)
{
    return (struct clq_ranges){CHUNK_TURNED(SRC, ranges.up), CHUNK_TURNED(SRC, ranges.down)};
}

static inline clq_units chunk_if(bool there, global const STORAGE(SRC) *p)
{
    return there ? *(global const clq_units *)p : (clq_units)(CLQ_NOTHING);
}

// Every `step`-th chunk from `first` to `end`; from one chunk to the next it is `apart` elements. Two are on
// their way while two are looked at.
static inline struct clq_ranges take_chunks(struct clq_ranges ranges, global const STORAGE(SRC) *x,
                                            long row_stride, uint first, uint end, uint step)
{
    const long jump = clq_times(step, row_stride);
    clq_units next, later;

    x += clq_times(first, row_stride);
    next = chunk_if(first < end, x);
    later = chunk_if(first + step < end, x + jump);
    for (uint c = first; c < end; c += 2 * step) {
        const clq_units now = next, then = later;

        x += 2 * jump;
        next = chunk_if(c + 2 * step < end, x);
        later = chunk_if(c + 3 * step < end, x + jump);
        CLQ_WIDEN(ranges, now);
        CLQ_WIDEN(ranges, then);
    }
    return ranges;
}

// Loads `count` elements, and nothing else. Each is reached from the one before: multiples of the stride
// would cost registers.
static inline clq_units elements_of(global const STORAGE(SRC) *x, long stride, uint count)
{
    clq_units v = CLQ_NOTHING;

#define TAKE(k)       \
    if ((k) < count) { \
        v.s##k = *x;   \
        x += stride;   \
    }
    TAKE(0) TAKE(1) TAKE(2) TAKE(3)
#if CHUNK(SRC) == 8
    TAKE(4) TAKE(5) TAKE(6) TAKE(7)
#endif
    return v;
}

// Elements of one index, in chunks where they are dense; elements ahead of the first aligned one and
// behind the last one are processed one by one.
static inline struct clq_ranges take_run(struct clq_ranges ranges, global const STORAGE(SRC) *x, long stride,
                                         uint count, uint lane, uint lanes)
{
    const uint skew = (uint)((size_t)x % 16 / sizeof(*x));
    const uint head = stride != 1 ? count : min((CHUNK(SRC) - skew) % CHUNK(SRC), count);
    const uint chunks = (count - head) / CHUNK(SRC), in_chunks = chunks * CHUNK(SRC);

    for (uint i = lane; i < count - in_chunks; i += lanes)
        CLQ_WIDEN(ranges, single(x[clq_times(i < head ? i : i + in_chunks, stride)]));
    return take_chunks(ranges, x + head, CHUNK(SRC), lane, chunks, lanes);
}

// The range of an index, of these steps. x is where the index begins.
static inline uint2 range_of_run(global const STORAGE(SRC) *x, const struct find_scales_args *a, uint first,
                                 uint last, uint lane, uint lanes)
{
    struct clq_ranges ranges = clq_no_ranges();

    for (uint step = first; step < last; step++) {
        const uint row = clq_divided_32(step, a->by_tiles_per_row);
        const long before = clq_times(step - row * (uint)a->tiles_per_row, a->tile);

        ranges = take_run(ranges, x + clq_place_of_32(row, a->dim, a->outer).x + before * a->x_stride,
                          a->x_stride, (uint)min(a->tile, a->inner - before), lane, lanes);
    }
    return clq_closed(ranges);
}

// The ranges of up to a chunk of columns, of these rows; the last row of all has `left` of them.
// x is where they begin.
static inline struct clq_ranges ranges_of_columns(global const STORAGE(SRC) *x,
                                                  const struct find_scales_args *a, uint columns, uint left,
                                                  uint first, uint last)
{
    const long row_stride = a->dim[0].x, stride = a->x_stride;
    const uint steps = (uint)a->steps, size = a->outer > 1 ? (uint)a->dim[0].size : steps;
    struct clq_ranges ranges = clq_no_ranges();

    // In turn all rows of the innermost dimension, for they lie evenly.
    for (uint row = first, rows; row < last; row += rows) {
        const bool shorter = left < columns && row == steps - 1;
        const uint index = a->outer > 1 ? row - clq_divided_32(row, a->dim[0].by_size) * size : row;
        const uint count = shorter ? left : columns;
        global const STORAGE(SRC) *at = x + clq_place_of_32(row, a->dim, a->outer).x;

        rows = shorter ? 1 : min(size - index, (left < columns ? min(last, steps - 1) : last) - row);
        if (stride == 1 && count == CHUNK(SRC) &&
            (((size_t)at | (size_t)row_stride * sizeof(*x)) & 15) == 0) {
            ranges = take_chunks(ranges, at, row_stride, 0, rows, 1);
            continue;
        }
        for (uint r = 0; r < rows; r++)
            CLQ_WIDEN(ranges, elements_of(at + clq_times(r, row_stride), stride, count));
    }
    return ranges;
}

// The data that all work-items share.
struct find_scales_call {
    global const STORAGE(SRC) *x;
    global uint2 *ranges;
    global uchar *scales, *zero_points;
    local uint2 *shared; // in a group whose work-items share what they find
};

// Stores a found range, number n; a direct one, of all of this index, as a scale.
static inline void put(const struct find_scales_call *call, const struct find_scales_args *a, long n,
                       long index, uint2 range)
{
    if (!OF_NUMBERS && a->direct)
        CLQ_WRITE_SCALE(call->scales, call->zero_points, &a->output,
                        clq_scale_places(&a->output, 0, 0, index), range);
    else
        call->ranges[a->ranges_offset + n] = range;
}

// Whether a group's work-items share what they find.
// At an array for it that nothing uses PoCL 6 ends the process.
#define SHARES (IS_GROUP && REDUCES_RUNS)

// Processes `count` columns, a chunk at most, from this one on.
static inline void take_columns(const struct find_scales_call *call, const struct find_scales_args *a,
                                global const STORAGE(SRC) *x, long ranges, long column, uint count,
                                uint first, uint last)
{
    struct clq_ranges range = ranges_of_columns(x + column * a->x_stride, a, count,
                                                (uint)clamp(a->last - column, 0L, (long)count), first, last);

    for (uint k = 0; k < count; k++) {
        put(call, a, ranges + column + k, column + k, clq_range(range, 0));
        range = turned(range);
    }
}

// Unit n. If a group shares, all of it meets at a barrier, also those for whom there is no unit.
CLQ_HAS_BARRIER void take_unit(const struct find_scales_call *call, const struct find_scales_args *a, long n,
                               uint lane, uint lanes)
{
    const bool is_there = n < a->units * a->batches * a->slices;
    const long of_all = clq_divided_64(n, a->by_units), unit = n - of_all * a->units;
    const uint slice = (uint)clq_divided_64(of_all, a->by_batches),
               batch = (uint)(of_all - clq_times(slice, a->batches));
    const uint first = slice * (uint)a->steps_per_slice,
               last = is_there ? min(first + (uint)a->steps_per_slice, (uint)a->steps) : first;
    const long ranges = clq_times(slice, a->slice_ranges) + clq_times(batch, a->batch_ranges);
    // A work-item of a group has a chunk.
    const long columns =
        REDUCES_RUNS ? 0 : min(IS_GROUP ? (long)CHUNK(SRC) : a->tile, a->inner - unit * a->tile);
    global const STORAGE(SRC) *x =
        call->x + a->x_offset +
        (a->batch_dims == 0 ? 0 : clq_place_from_end_32(batch, a->dim, a->batch_dims).x);

    if (REDUCES_RUNS) {
        uint2 range = range_of_run(x + unit * a->index_stride, a, first, last, lane, lanes);

#if SHARES
        range = clq_joined_range(call->shared, range, lane, lanes, 1);
#endif
        if (lane == 0 && is_there)
            put(call, a, ranges + unit, unit, range);
    }
#if IS_GROUP
    if (columns > 0)
        take_columns(call, a, x, ranges, unit * a->tile, (uint)columns, first, last);
#else
    for (long c = 0; c < columns; c += CHUNK(SRC))
        take_columns(call, a, x, ranges, unit * a->tile + c, (uint)min(columns - c, (long)CHUNK(SRC)), first,
                     last);
#endif
}

// A build rehearses with arguments of zeros; no return stands ahead of a barrier. A group's work-item has one
// unit, not as a loop of one round, which takes registers.
kernel void KERNEL_NAME(global const STORAGE(SRC) *restrict x, global uint2 *restrict ranges,
                        global uchar *restrict scales, global uchar *restrict zero_points,
                        const struct find_scales_args a)
{
#if SHARES
    local uint2 shared[CLQ_FIND_LANES];
    const struct find_scales_call call = {x, ranges, scales, zero_points, shared};
    const uint local_id = (uint)get_local_id(0), lanes = max(a.lanes, 1u);

    take_unit(&call, &a, (long)get_group_id(0) * a.sets + local_id / lanes, local_id & (lanes - 1), lanes);
#else
    const struct find_scales_call call = {x, ranges, scales, zero_points, 0};
    const long units = a.units * a.batches * a.slices;

#if IS_GROUP
    if ((long)get_global_id(0) < units)
        take_unit(&call, &a, (long)get_global_id(0), 0, 1);
#else
    const long begin = (long)get_global_id(0) * a.units_per_item, end = min(begin + a.units_per_item, units);

    for (long n = begin; n < end; n++)
        take_unit(&call, &a, n, 0, 1);
#endif
#endif
}

// SPDX-License-Identifier: Apache-2.0
// dynamic_quantize.cl's meaning, as PoCL's CPUs stream it: with the device's own arithmetic.
//
//   KERNEL_NAME   the kernel's name
//   SRC           f32, f16 or bf16, of base/types.clh
//   DST           a type of args/type_rows.h that caches hold
//   SMOOTH        0: smooth is never read. 1: x is multiplied by it
//   ROTATE        0: nothing is turned. 1: each `rotate` neighbours of a row are, and rows are done one by
//                 one
#define ARITHMETIC native
#include "args/dynamic_quantize.h"
#include "base/row_scale.clh"
#include "base/types.clh"
#include "cpu/pack.clh"
#include "cpu/row_layout.clh"
#include "cpu/walk.clh"

#define STEP    CLQ_CPU_STEP
#define X_BYTES (ELEMENTS(DST) * (long)sizeof(STORAGE(SRC))) // of a unit
#define PIECE   (CLQ_CPU_COMBINED_MOST / ELEMENTS(DST))     // units of a row that are combined at once
#define AHEAD   CLQ_CPU_AHEAD_DYNAMIC

// Element `at` of x, whose smooth scale is number i; and its bits.
#define VALUE(x, at, smooth, i)                                                                              \
    (SMOOTH ? APPLY(multiply, LOAD(SRC, x, at), as_float((smooth)[i])) : LOAD(SRC, x, at))
#define BITS(x, at, smooth, i)  ((STORAGE(KEY))(SMOOTH ? as_uint(VALUE(x, at, smooth, i)) : (x)[at]))

#define COMBINED_VALUE      float
#define COMBINED_LINE       (64 * ELEMENTS(DST))
#define COMBINED_LINE_OF(v) LINE_INSIDE(DST, v)
#include "cpu/combine.clh"
#include "dynamic/cpu/dynamic_quantize_range.clh"

// The data that all rows share.
struct call {
    global const STORAGE(SRC) *x;
    global const uint *smooth;
    global STORAGE(DST) *y;
    global uchar *scales, *offsets;
    long found_bytes; // of a scale, and of an offset
    const struct dynamic_quantize_args *args;
    clq_spot jump; // from a row of a block to the next
    bool past;     // whether results are stored past the caches
};

// Of the row at this spot.
static inline void store_found(const struct call *call, clq_spot spot, struct clq_row_scale row)
{
    const struct dynamic_quantize_args *a = call->args;

    clq_store_found(call->scales, a->scale_offset + SCALE_OF(spot), a->scale_type, row.scale);
    if (a->symmetric == 0)
        clq_store_found(call->offsets, a->offset_offset + ZERO_POINT_OF(spot), a->scale_type,
                        clq_offset(row.off, a->offset_sign));
}

#if ROTATE
#include "dynamic/cpu/dynamic_quantize_rotated.clh"
#else
// Units of any values, wherever they lie.
#define ANY_ELEMENT(n) (VALUE(x, at + BESIDE(n, a->x_pair), call->smooth, i + n) * row.back + row.off)
NO_INLINE void store_any(const struct call *call, global const STORAGE(SRC) *x, global STORAGE(DST) *y,
                         struct clq_row_scale row)
{
    const struct dynamic_quantize_args *a = call->args;

    for (long u = 0; u < a->inner; u++) {
        const long part = a->y_part == a->inner ? 0 : u / a->y_part, at = u * a->x_stride;
        const long i = ELEMENTS(DST) * u;

        y[part * a->y_part_stride + (u - part * a->y_part) * a->y_stride] =
            UNIT(DST, ANY_ELEMENT);
    }
}

// A whole row of any values, wherever its units lie.
NO_INLINE struct clq_row_scale row_of_any(const struct call *call, global const STORAGE(SRC) *x,
                                          global STORAGE(DST) *y)
{
    const struct dynamic_quantize_args *a = call->args;
    struct clq_extent extent = CLQ_NO_EXTENT;

    for (long u = 0; u < a->inner; u++)
        for (uint e = 0; e < ELEMENTS(DST); e++) {
            const float v = VALUE(x, u * a->x_stride + e * a->x_pair, call->smooth, ELEMENTS(DST) * u + e);

            extent = clq_extent_join(extent, v, v);
        }
    const struct clq_row_scale row =
        clq_row_scale_of(clq_extent_end(extent), TOP(DST), STEPS(DST), a->symmetric != 0, a->scale_type);

    store_any(call, x, y, row);
    return row;
}

#include "dynamic/cpu/dynamic_quantize_block.clh"

// Rows `begin` to `end`, whose elements follow one another; `lines`: all begin and end where lines do.
NO_INLINE void stream(const struct call *call, const struct clq_layout *layout, long begin, long end,
                      bool lines)
{
    const long bytes = call->args->inner * X_BYTES;
    const long most = bytes > CLQ_CPU_BLOCK_ROW_BYTES       ? 1
                      : bytes > CLQ_CPU_BLOCK_ROW_BYTES / 2 ? CLQ_CPU_BLOCK_ROWS / 2
                                                            : CLQ_CPU_BLOCK_ROWS;
    // Equal parts of the rows that are one as far from the next as any other.
    const long size = layout->dims > 0 ? layout->dim[0].size : 1;
    const long run = layout->entries->kind == CLQ_ENTRY_NONE ? size : min(size, layout->position_rows);
    const uint rows = (uint)clq_divide_up(run, clq_divide_up(run, most));
    const long further = (clq_divide_up(AHEAD, rows * bytes) - 1) * rows * call->jump.x;
    struct clq_walk walks[CLQ_CPU_STREAMS];
    struct next_rows next[CLQ_CPU_STREAMS] = {{.rows = 0}};
    struct combined combined[CLQ_CPU_STREAMS];
    struct words waiting[2 * CLQ_CPU_STREAMS] = {{.count = 0}}; // of scales, and of offsets
    struct block blocks[2] = {{.looks = 0}, {.looks = 0}};
    struct groups groups;
    const bool joined = !lines && find_groups(&groups, call, rows);
    uint now = 0;

    for (uint k = 0; k < CLQ_CPU_STREAMS; k++) {
        if (clq_walk_stream(&walks[k], layout, begin, end, k, bytes))
            find_next(&next[k], &walks[k], layout, rows);
        combined_begin(&combined[k]);
    }
    do { // a block is looked at, and meanwhile the one before it stored
        struct block *block = &blocks[now], *before = &blocks[now ^ 1];

        block_take(call, block, next, walks, layout, rows, further);
        if (joined && are_joined(block, before, rows))
            block_joined(call, block, before, rows, waiting, &groups);
        else if (!lines)
            block_any(call, block, before, rows, waiting, combined);
        else if (rows > 1)
            block_short(call, block, before, rows, waiting);
        else
            block_long(call, block, before, waiting);
        now ^= 1;
    } while (blocks[now ^ 1].looks != 0);
    for (uint k = 0; k < CLQ_CPU_STREAMS; k++) {
        combined_end(&combined[k], call->past);
        end_words(&waiting[k]);
        end_words(&waiting[CLQ_CPU_STREAMS + k]);
    }
}

// Rows `begin` to `end`, wherever their units lie.
NO_INLINE void strided(const struct call *call, const struct clq_layout *layout, long begin, long end)
{
    struct clq_walk walk;
    struct clq_run run;

    clq_walk_begin(&walk, layout, begin, end);
    while (clq_walk_next(&run, &walk, layout, 1)) {
        const struct clq_row_scale row = row_of_any(call, call->x + run.spot.x, call->y + run.spot.y);

        store_found(call, run.spot, row);
    }
}

#endif

kernel void KERNEL_NAME(global const STORAGE(SRC) *restrict x, global const uint *restrict smooth,
                        global STORAGE(DST) *restrict y, global uchar *restrict scales,
                        global uchar *restrict offsets, global const uchar *restrict indices,
                        global const uint *restrict owners, global uint *restrict report,
                        const struct dynamic_quantize_args a)
{
    const struct clq_layout layout = clq_row_layout(&a, indices, owners, report);
    const struct call call = {
        .x = x + a.x_offset,
        .smooth = smooth + a.smooth_offset,
        .y = y + a.y_offset,
        .scales = scales,
        // Where there are none, another address is prefetched: to look for the page of none takes long.
        .offsets = a.symmetric ? scales : offsets,
        .found_bytes = a.scale_type == CLQ_SCALAR_F32 ? 4 : 2,
        .args = &a,
        .jump = clq_step_of(&layout),
        .past = a.rows * a.inner > CLQ_CPU_STORE_PAST,
    };
    const long begin = (long)get_global_id(0) * a.rows_per_item, end = min(begin + a.rows_per_item, a.rows);
    const bool dense = a.y_stride == 1 && a.y_part == a.inner && a.x_stride == ELEMENTS(DST) &&
                       a.x_pair == (ELEMENTS(DST) > 1);

    // A build rehearses with arguments of zeros; nothing below may divide by them.
    if (a.rows == 0)
        return;
    const bool lines = dense && clq_all_in_lines((size_t)call.y | (size_t)a.inner, &layout, 1, true);

#if ROTATE
    const struct rows rows = {dense, lines};

    turned_rows(&call, &layout, &rows, begin, end);
#else
    if (dense)
        stream(&call, &layout, begin, end, lines);
    else
        strided(&call, &layout, begin, end);
#endif
    if (call.past)
        STORE_FENCE();
}

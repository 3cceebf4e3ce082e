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
#include "cpu/row_layout.clh"
#include "cpu/walk.clh"
#include "dynamic/cpu/dynamic_quantize_call.clh"
#include "dynamic/cpu/dynamic_quantize_range.clh"

#if ROTATE
#include "dynamic/cpu/dynamic_quantize_rotated.clh"
#else
#include "dynamic/cpu/dynamic_quantize_any.clh"
#include "dynamic/cpu/dynamic_quantize_block.clh"

// Rows `begin` to `end`, whose elements follow one another; `lines`: all begin and end where lines do.
NO_INLINE void stream(const struct dynamic_quantize_call *call, const struct clq_layout *layout, long begin,
                      long end, bool lines)
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
    struct clq_placed placed[CLQ_CPU_STREAMS];
    struct combined combined[CLQ_CPU_STREAMS];
    struct words waiting[2 * CLQ_CPU_STREAMS] = {{.count = 0}}; // of scales, and of offsets
    struct block blocks[2] = {{.scans = 0}, {.scans = 0}};
    struct groups groups;
    const bool joined = !lines && find_groups(&groups, call, rows);
    uint now = 0;

    for (uint k = 0; k < CLQ_CPU_STREAMS; k++) {
        if (clq_walk_stream(&walks[k], layout, begin, end, k, bytes)) {
            clq_walk_together(&walks[k], &placed[k], layout);
            find_next(&next[k], &walks[k], layout, rows);
        }
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
    } while (blocks[now ^ 1].scans != 0);
    for (uint k = 0; k < CLQ_CPU_STREAMS; k++) {
        combined_end(&combined[k], call->past);
        end_words(&waiting[k]);
        end_words(&waiting[CLQ_CPU_STREAMS + k]);
    }
}

// Rows `begin` to `end`, wherever their units lie.
NO_INLINE void strided(const struct dynamic_quantize_call *call, const struct clq_layout *layout, long begin,
                       long end)
{
    struct clq_walk walk;
    struct clq_run run;

    clq_walk_begin(&walk, layout, begin, end);
    while (clq_walk_next(&run, &walk, layout, 1)) {
        const struct clq_row_scale row = row_of_any(call, call->x + run.spot.x, call->y + run.spot.y);

        store_scale(call, run.spot, row);
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
    const struct dynamic_quantize_call call = {
        .x = x + a.x_offset,
        .smooth = smooth + a.smooth_offset,
        .y = y + a.y_offset,
        .scales = scales,
        // If there are none, another address is prefetched: to look for the page of none takes long.
        .offsets = a.symmetric ? scales : offsets,
        .scale_bytes = a.scale_type == CLQ_SCALAR_F32 ? 4 : 2,
        .args = &a,
        .jump = clq_step_of(&layout),
        .past = a.rows * a.inner > CLQ_CPU_STORE_PAST,
    };
    const long begin = (long)get_global_id(0) * a.rows_per_item, end = min(begin + a.rows_per_item, a.rows);
    const bool dense = CLQ_Y_IS_DENSE(&a) && CLQ_X_IS_DENSE(&a, ELEMENTS(DST));

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

// SPDX-License-Identifier: Apache-2.0
// dequantize_blocks.cl's meaning, for PoCL's CPUs: with the device's own arithmetic.
//
//   KERNEL_NAME   the kernel's name
//   SRC           a block type of args/type_rows.h
//   DST           f32, f16 or bf16, of base/types.clh
//   MODE          multiply: nothing is divided
#define ARITHMETIC native
#include "args/dynamic_quantize.h"
#include "base/blocks.clh"
#include "base/narrow.clh"
#include "cpu/row_layout.clh"
#include "cpu/walk.clh"

#define BYTES      (2 * BLOCK_WORDS(SRC))
#define LINE_UNITS (64 / (uint)sizeof(STORAGE(DST))) // of x

// The data that all blocks share.
struct dequantize_blocks_call {
    global STORAGE(DST) *x;
    global const ushort *y;
    long stride;
    bool lines; // blocks of x begin where lines do
    bool past;  // whether results are stored past the caches
};

ALWAYS_INLINE void take_block(const struct dequantize_blocks_call *call, global STORAGE(DST) *x,
                              global const ushort *y)
{
    STORAGE(DST) units[CLQ_BLOCK_VALUES] __attribute__((aligned(64)));
    float8 v[CLQ_BLOCK_VALUES / 8] __attribute__((aligned(64)));
    const float *const values = (const float *)v;

    UNROLL_LOOP
    for (uint s = 0; s < CLQ_BLOCK_VALUES / 8; s++)
        v[s] = BLOCK_EIGHT(SRC, y, s);
    WIDE_LOOP(16, 2)
    for (uint i = 0; i < CLQ_BLOCK_VALUES; i++)
        units[i] = NARROW(DST, values[i]);
    if (call->stride == 1) {
        UNROLL_LOOP
        for (uint i = 0; i < CLQ_BLOCK_VALUES; i += LINE_UNITS)
            clq_store_line((global ulong8 *)(x + i), *(const ulong8 *)(units + i), call->lines && call->past);
    } else {
        for (uint i = 0; i < CLQ_BLOCK_VALUES; i++)
            x[i * call->stride] = units[i];
    }
}

// Blocks `begin` to `end`.
NO_INLINE void stream(const struct dequantize_blocks_call *call, const struct clq_layout *layout, long begin,
                      long end)
{
    const clq_spot jump = clq_step_of(layout);
    struct clq_walk walk;
    struct clq_run run;

    clq_walk_begin(&walk, layout, begin, end);
    while (clq_walk_next(&run, &walk, layout, CLQ_CPU_BATCH))
        for (uint r = 0; r < run.rows; r++, run.spot += jump) {
            PREFETCH((global const uchar *)(call->y + run.spot.y) + CLQ_CPU_AHEAD_DEQUANTIZE);
            take_block(call, call->x + run.spot.x, call->y + run.spot.y);
        }
}

kernel void KERNEL_NAME(global STORAGE(DST) *restrict x, global const ushort *restrict y,
                        global const uchar *restrict scales, global const uchar *restrict offsets,
                        global const uchar *restrict indices, global const uint *restrict owners,
                        global uint *restrict report, const struct dynamic_quantize_args a)
{
    const struct clq_layout layout = clq_row_layout(&a, indices, owners, report);
    const long block_bytes = CLQ_BLOCK_VALUES * (long)sizeof(STORAGE(DST));
    const struct dequantize_blocks_call call = {
        .x = x + a.x_offset,
        .y = y + a.y_offset,
        .stride = a.x_stride,
        .lines = clq_all_in_lines((size_t)(x + a.x_offset), &layout, sizeof(STORAGE(DST)), false),
        .past = a.rows * block_bytes > CLQ_CPU_STORE_PAST,
    };
    const long begin = (long)get_global_id(0) * a.rows_per_item, end = min(begin + a.rows_per_item, a.rows);

    // A build rehearses with arguments of zeros; nothing below may divide by them.
    if (a.rows == 0)
        return;
    stream(&call, &layout, begin, end);
    if (call.past)
        STORE_FENCE();
    (void)scales, (void)offsets; // blocks carry them
}

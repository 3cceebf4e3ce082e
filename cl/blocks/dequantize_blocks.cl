// SPDX-License-Identifier: Apache-2.0
// dequantize_blocks: the values of blocks that carry their scales (base/blocks.clh), each product and sum
// rounded to binary32, then to DST
//
// A row is one block. Names, arguments and buffers are those of dequantize_rotated.cl, its mirror in
// dynamic_quantize.cl: y holds the blocks and is read, x the floats and is written.
//   KERNEL_NAME   the kernel's name
//   SRC           a block type of args/type_rows.h
//   DST           f32, f16 or bf16, of base/types.clh
//   MODE          multiply: nothing is divided
//   ARITHMETIC    native or exact, of base/narrow.clh
//   FORM          item or group, of base/parameters.clh
#include "args/dynamic_quantize.h"
#include "base/blocks.clh"
#include "base/chunk.clh"
#include "base/narrow.clh"
#include "base/parameters.clh"
#include "index/entry.clh"
#include "index/place.clh"

// The data that all blocks share.
struct dequantize_blocks_call {
    global STORAGE(DST) *x;
    global const ushort *y;
    global const uchar *indices;
    global uint *report;
};

#define BITS(k)      NARROW(DST, v.s##k)
#define HIGH_BITS(k) NARROW(DST, v.hi.s##k)
#define STORE(k)     x[k * stride] = NARROW(DST, v.s##k);
static inline void store_eight(global STORAGE(DST) *x, long stride, float8 v)
{
    if (stride == 1 && ((size_t)x & 15) == 0) {
        ((global uint4 *)x)[0] = CHUNK_FROM(DST, BITS);
        if (CHUNK(DST) == 4)
            ((global uint4 *)x)[1] = CHUNK_FROM(f32, HIGH_BITS);
    } else {
        clq_chunk_each_8(STORE)
    }
}

// One of those that share a block reports its entry.
static inline void take_block(const struct dequantize_blocks_call *call,
                              const struct dynamic_quantize_args *a, uint number, uint lane, uint lanes)
{
    struct clq_place place = clq_place_of_32(number, a->dim, a->outer);

    if (a->entries.kind != CLQ_ENTRY_NONE) {
        const struct clq_entry_place at =
            clq_entry_source_of(call->indices, call->report, &a->entries, number, lane == 0);

        if (!at.kept)
            return;
        place.y += at.y;
    }
    for (uint s = lane; s < CLQ_BLOCK_VALUES / 8; s += lanes)
        store_eight(call->x + a->x_offset + place.x + clq_times(8 * s, a->x_stride), a->x_stride,
                    BLOCK_EIGHT(SRC, call->y + a->y_offset + place.y, s));
}

kernel void KERNEL_NAME(global STORAGE(DST) *restrict x, global const ushort *restrict y,
                        global const uchar *restrict scales, global const uchar *restrict offsets,
                        global const uchar *restrict indices, global const uint *restrict owners,
                        global uint *restrict report, const struct dynamic_quantize_args a)
{
    const struct dequantize_blocks_call call = {x, y, indices, report};

    if (IS_GROUP) {
        const uint local_id = (uint)get_local_id(0), lanes = 1u << a.lane_bits;
        const uint number = (uint)get_group_id(0) * a.sets + (local_id >> a.lane_bits);

        if (number < (uint)a.rows)
            take_block(&call, &a, number, local_id & (lanes - 1), lanes);
    } else {
        const long begin = (long)get_global_id(0) * a.rows_per_item,
                   end = min(begin + a.rows_per_item, a.rows);

        for (long number = begin; number < end; number++)
            take_block(&call, &a, (uint)number, 0, 1);
    }
    (void)scales, (void)offsets, (void)owners; // blocks carry them, and several may be read from one place
}

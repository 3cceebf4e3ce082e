// SPDX-License-Identifier: Apache-2.0
// copy: dst[row][byte] = src[row][byte], for tensors that are not dense
//
//   KERNEL_NAME   the kernel's name
//   FORM          item or group, of base/parameters.clh
#include "args/copy.h"
#include "base/parameters.clh"
#include "index/place.clh"

#if !defined(KERNEL_NAME) || !defined(FORM)
#error "copy.cl: KERNEL_NAME and FORM are required"
#endif

// Bytes that several lanes copy, of which `done` are.
struct piece {
    global const uchar *from;
    global uchar *to;
    uint bytes, done;
};

static inline bool is_aligned(struct piece p, uint to)
{
    return (((size_t)(p.from + p.done) | (size_t)(p.to + p.done)) & (to - 1)) == 0;
}

// In units of 16 bytes, of which the next one is on its way while this one is stored.
static inline struct piece copy_chunks(struct piece p, uint lane, uint lanes)
{
    global const uint4 *from = (global const uint4 *)p.from;
    global uint4 *to = (global uint4 *)p.to;
    const uint chunks = is_aligned(p, 16) ? p.bytes / 16 : 0;
    uint4 next = lane < chunks ? from[lane] : (uint4)(0);

    for (uint c = lane; c < chunks; c += lanes) {
        const uint4 now = next;

        if (c + lanes < chunks)
            next = from[c + lanes];
        to[c] = now;
    }
    p.done = chunks * 16;
    return p;
}

static inline struct piece copy_words(struct piece p, uint lane, uint lanes)
{
    global const uint *from = (global const uint *)p.from;
    global uint *to = (global uint *)p.to;
    const uint words = is_aligned(p, 4) ? p.bytes / 4 : p.done / 4;

    for (uint w = p.done / 4 + lane; w < words; w += lanes)
        to[w] = from[w];
    p.done = words * 4;
    return p;
}

// In the form of an item all of them: compilers for CPUs make vectors of it.
static inline void copy_bytes(struct piece p, uint lane, uint lanes)
{
    for (uint i = p.done + lane; i < p.bytes; i += lanes)
        p.to[i] = p.from[i];
}

kernel void KERNEL_NAME(global const uchar *restrict src, global uchar *restrict dst,
                        const struct copy_args a)
{
    const uint local_id = (uint)get_local_id(0), lanes = IS_GROUP ? max(a.lanes, 1u) : 1,
               lane = local_id & (lanes - 1);
    const long worker =
        IS_GROUP ? (long)get_group_id(0) * a.sets + local_id / lanes : (long)get_global_id(0);
    const long in_row = clq_divided_64(worker, a.by_pieces), first = in_row * a.rows_per_item;
    const long begin = (worker - in_row * a.pieces) * a.piece_bytes;
    const long end = min(first + (IS_GROUP ? 1 : a.rows_per_item), a.rows);

    for (long row = first; row < end; row++) {
        const struct clq_place place = clq_place_of(row, a.dim, a.outer);
        struct piece piece = {src + a.src_offset + place.x + begin, dst + a.dst_offset + place.y + begin,
                              (uint)min(a.piece_bytes, a.row_bytes - begin), 0};

        if (IS_GROUP)
            piece = copy_words(copy_chunks(piece, lane, lanes), lane, lanes);
        copy_bytes(piece, lane, lanes);
    }
}

// SPDX-License-Identifier: Apache-2.0
// copy: dst[row][byte] = src[row][byte], for tensors that are not dense
//
//   KERNEL_NAME   the kernel's name
#include "args/copy.h"
#include "base/rows.clh"

#if !defined(KERNEL_NAME)
#error "copy.cl: KERNEL_NAME is required"
#endif

kernel void KERNEL_NAME(global const uchar *restrict src, global uchar *restrict dst, const struct copy_args a)
{
    // A build rehearses with arguments of zeros; nothing below may divide by them.
    if (a.rows == 0)
        return;

    const long item = (long)get_global_id(0), piece = item % a.pieces * a.piece_bytes;
    const long first = item / a.pieces * a.rows_per_item, end = min(first + a.rows_per_item, a.rows);
    const long bytes = min(a.piece_bytes, a.row_bytes - piece);

    for (long row = first; row < end; row++) {
        const struct clq_place place = clq_place_of(row, a.dim, a.outer);
        global const uchar *from = src + a.src_offset + place.x + piece;
        global uchar *to = dst + a.dst_offset + place.y + piece;

        for (long i = 0; i < bytes; i++)
            to[i] = from[i];
    }
}

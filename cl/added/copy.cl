// SPDX-License-Identifier: Apache-2.0
// copy: dst[row][byte] = src[row][byte], for tensors that are not dense
//
//   KERNEL_NAME   the kernel's name
//   FORM          item or group, of base/parameters.clh
#include "args/copy.h"
#include "base/move_lines.clh"
#include "index/pieces.clh"
#include "index/place.clh"

#if !defined(KERNEL_NAME) || !defined(FORM)
#error "copy.cl: KERNEL_NAME and FORM are required"
#endif

kernel void KERNEL_NAME(global const uchar *restrict src, global uchar *restrict dst,
                        const struct copy_args a)
{
    const struct clq_own_pieces own = clq_own_pieces_of(&a.pieces);
    const bool past = clq_moves_past(a.pieces.rows * a.pieces.row_units);

    for (long row = own.first; row < own.end; row++) {
        const struct clq_place place = clq_place_of(row, a.dim, a.outer);

        const struct clq_piece piece = {src + a.src_offset + place.x + own.begin,
                                        dst + a.dst_offset + place.y + own.begin, own.units, 0};

        clq_move_bytes(clq_move_lines(piece, past), own.lane, own.lanes, IS_GROUP);
    }
    clq_moves_end(past);
}

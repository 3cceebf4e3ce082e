// SPDX-License-Identifier: Apache-2.0
// move_rows: dst[to(row)][byte] = src[from(row)][byte], where entries of indices say on either side
//
//   KERNEL_NAME   the kernel's name
//   FORM          item or group, of base/parameters.clh
#include "args/move_rows.h"
#include "base/move_lines.clh"
#include "moves/moved.clh"
#include "index/pieces.clh"

#if !defined(KERNEL_NAME) || !defined(FORM)
#error "move_rows.cl: KERNEL_NAME and FORM are required"
#endif

kernel void KERNEL_NAME(global const uchar *restrict src, global uchar *restrict dst,
                        global const uchar *restrict src_indices, global const uchar *restrict dst_indices,
                        global const uint *restrict owners, global uint *restrict report,
                        const struct move_rows_args a)
{
    const struct clq_own_pieces own = clq_own_pieces_of(&a.pieces);
    const bool past = clq_moves_past(a.pieces.rows * a.pieces.row_units);

    for (long row = own.first; row < own.end; row++) {
        const struct clq_moved moved = clq_moved_of(src_indices, dst_indices, owners, report, &a, row,
                                                    own.lane == 0 && own.begin == 0);

        const struct clq_piece piece = {src + a.src_offset + moved.x + own.begin,
                                        dst + a.dst_offset + moved.y + own.begin, own.units, 0};

        if (moved.kept)
            clq_move_bytes(clq_move_lines(piece, past), own.lane, own.lanes, IS_GROUP);
    }
    clq_moves_end(past);
}

// SPDX-License-Identifier: Apache-2.0
// move_rows: dst[to(row)][byte] = src[from(row)][byte], where entries of indices say on either side
//
//   KERNEL_NAME   the kernel's name
//   FORM          item or group, of base/parameters.clh
#include "args/move_rows.h"
#include "base/move_bytes.clh"
#include "index/moved.clh"
#include "index/pieces.clh"

#if !defined(KERNEL_NAME) || !defined(FORM)
#error "move_rows.cl: KERNEL_NAME and FORM are required"
#endif

kernel void KERNEL_NAME(global const uchar *restrict src, global uchar *restrict dst,
                        global const uchar *restrict src_indices, global const uchar *restrict dst_indices,
                        global const uint *restrict owners, global uint *restrict report,
                        const struct move_rows_args a)
{
    const struct clq_share share = clq_share_of(&a.pieces);

    for (long row = share.first; row < share.end; row++) {
        const struct clq_moved moved = clq_moved_of(src_indices, dst_indices, owners, report, &a, row,
                                                    share.lane == 0 && share.begin == 0);

        if (moved.kept)
            clq_move_bytes((struct clq_piece){src + a.src_offset + moved.x + share.begin,
                                              dst + a.dst_offset + moved.y + share.begin, share.units, 0},
                           share.lane, share.lanes, IS_GROUP);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* How work-items share rows that are moved. */
#ifndef CLQ_ARGS_PIECES_H
#define CLQ_ARGS_PIECES_H

#include "args/types.h"

/* Units are bytes, or elements where these are converted. Piece i of row r is number r * pieces + i. FORM
 * item: a work-item moves one piece, or, where a row is one piece, some rows. */
struct clq_pieces {
    clq_i64 row_units, piece_units, pieces; /* of a row; a piece is below 2^31 units */
    struct clq_divisor by_pieces;
    clq_i64 rows, rows_per_item;
    clq_u32 lanes; /* FORM group: work-items that share a piece, a power of two */
    clq_u32 sets;  /* of lanes in a group */
};
CLQ_SAME_SIZE(clq_pieces, 64);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that move from places to places, from what was checked to what is launched. In struct
 * clq__checked_call x is src and y is dst; each has a placement, of kind NONE where it has no indices. */
#ifndef CLQ_PLAN_MOVES_MOVES_H
#define CLQ_PLAN_MOVES_MOVES_H

#include "args/move_rows.h"
#include "args/places.h"
#include "plan/belongs/checked_call.h"
#include "runtime/launch.h"

#include <clquant/move_rows.h>

struct clq__plan;

struct clq__moves {
    struct move_rows_args args;   /* into dst: from src, or from what is in between */
    struct move_rows_args gather; /* from src into what is in between */
    struct places_args places;    /* of CLQ_ND */
    bool converts, between;       /* between: rows are gathered before the first is written */
    int64_t unit_bytes;           /* of src */
};

/* Every rule of clq_move_rows but those of buffers. (moves/check.c) */
clq_status clq__moves_check(struct clq__checked_call *checked, const struct clq_move_rows_desc *desc);

/* (moves/describe.c, moves/cut.c) */
bool clq__moves_describe(struct clq__plan *plan);
void clq__moves_cut(struct clq__plan *plan, const struct clq__traits *traits);

/* The dimensions that a view of CLQ_ND leaves to a row: its dimensions from this one on. For other kinds
 * 1, for the first is the entry's. */
static inline int clq__moves_row_from(const struct clq__placement *placement)
{
    return placement->kind == CLQ_ENTRY_ND ? (int)placement->indices.shape[1] : 1;
}

#endif

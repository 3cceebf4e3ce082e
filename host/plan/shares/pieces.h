/* SPDX-License-Identifier: Apache-2.0 */
/* Cutting rows that are moved into pieces for work-items. */
#ifndef CLQ_PLAN_SHARES_PIECES_H
#define CLQ_PLAN_SHARES_PIECES_H

#include "args/pieces.h"
#include "runtime/launch.h"

/* For pieces whose rows and row_units are set, with so many dimensions outside of a row, each of which takes
 * so many rounds of loops to find its place. */
void clq__pieces_cut(struct clq_pieces *pieces, uint32_t outer, int64_t rounds,
                     const struct clq__traits *traits, struct clq__launch *launch);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/pieces.h"

#include "base/ceil_div.h"
#include "plan/divisor.h"
#include "plan/rounds.h"
#include "plan/tuning.h"

static void cut_items(struct clq_pieces *p, uint32_t outer, int64_t rounds, const struct clq__traits *traits,
                      struct clq__launch *launch)
{
    p->lanes = p->sets = 1;
    p->piece_units = p->row_units < CLQ__COPY_ITEM_ROUNDS ? p->row_units : CLQ__COPY_ITEM_ROUNDS;
    p->pieces = clq__ceil_div(p->row_units, p->piece_units);
    p->rows_per_item = p->pieces > 1 ? 1 : CLQ__COPY_ITEM_ROUNDS / (p->row_units + outer + 1) + 1;
    if (traits->ends_loops) {
        const int64_t most = clq__times_within(clq__rounds_of_row(p->piece_units, outer) + rounds);

        p->rows_per_item = p->rows_per_item < most ? p->rows_per_item : most;
    }
    launch->local = 1;
    launch->groups = (size_t)(clq__ceil_div(p->rows, p->rows_per_item) * p->pieces);
}

static void cut_groups(struct clq_pieces *p, const struct clq__traits *traits, struct clq__launch *launch)
{
    const int64_t local = clq__group_items(traits, CLQ__GROUP_ITEMS);
    int64_t lanes = 1;

    while (lanes < local && lanes * CLQ__COPY_LANE_BYTES < p->row_units)
        lanes *= 2;
    p->lanes = (uint32_t)lanes;
    p->sets = (uint32_t)(local / lanes);
    p->piece_units = lanes * CLQ__COPY_LANE_BYTES;
    p->pieces = clq__ceil_div(p->row_units, p->piece_units);
    p->rows_per_item = 1;
    launch->local = (size_t)local;
    launch->groups = (size_t)clq__ceil_div(p->rows * p->pieces, p->sets);
}

void clq__pieces_cut(struct clq_pieces *pieces, uint32_t outer, int64_t rounds,
                     const struct clq__traits *traits, struct clq__launch *launch)
{
    if (traits->group_form)
        cut_groups(pieces, traits, launch);
    else
        cut_items(pieces, outer, rounds, traits, launch);
    pieces->by_pieces = clq__divisor(pieces->pieces);
}

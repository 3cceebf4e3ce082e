/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/shares/pieces.h"

#include "base/ceil_div.h"
#include "plan/shares/divisor.h"
#include "plan/shares/rounds.h"
#include "plan/shares/tuning.h"

/* Less where that would leave a core without work. */
static int64_t rounds_of_item(const struct clq_pieces *p, const struct clq__traits *traits)
{
    const int64_t items = CLQ__ITEMS_OF_UNIT * (int64_t)traits->compute_units,
                  share = traits->long_runs ? p->rows * p->row_units / items : 0;

    return share > CLQ__COPY_ITEM_MOST     ? CLQ__COPY_ITEM_MOST
           : share > CLQ__COPY_ITEM_ROUNDS ? share
                                           : CLQ__COPY_ITEM_ROUNDS;
}

static void cut_items(struct clq_pieces *p, uint32_t outer, int64_t rounds, const struct clq__traits *traits,
                      struct clq__launch *launch)
{
    const int64_t enough = rounds_of_item(p, traits);

    p->lanes = p->sets = 1;
    p->piece_units = p->row_units < enough ? p->row_units : enough;
    p->pieces = clq__ceil_div(p->row_units, p->piece_units);
    p->rows_per_item = p->pieces > 1 ? 1 : enough / (p->row_units + outer + 1) + 1;
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

/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of tiles, as they were measured. */
#include "plan/shares/tiles.h"

#include "base/ceil_div.h"
#include "cpu/tuning.h"
#include "plan/shares/divisor.h"
#include "plan/shares/tuning.h"

#include <assert.h>

/* Units of a row's part, of `whole` that a work-item has. */
static int64_t part_of(const struct quantize_args *args, int64_t whole)
{
    const int64_t tile = args->inner < whole ? args->inner : whole, parts = tile / CLQ_CPU_SLICE;

    if (args->period > 0 && args->period < args->inner) { /* parts begin where scales do */
        const int64_t periods =
            args->period * (CLQ_CPU_SLICE > args->period ? CLQ_CPU_SLICE / args->period : 1);

        return periods < args->inner ? periods : args->inner;
    }
    if (whole < CLQ_CPU_STREAMS * CLQ_CPU_SLICE || parts <= 1)
        return tile;
    return clq__ceil_div(clq__ceil_div(tile, parts), CLQ_CPU_STEP) * CLQ_CPU_STEP;
}

int64_t clq__item_elements(int64_t elements, const struct clq__traits *traits)
{
    const int64_t share = clq__ceil_div(elements, CLQ__ITEMS_OF_UNIT * (int64_t)traits->compute_units);

    return share < CLQ__ITEM_LEAST ? CLQ__ITEM_LEAST : share > CLQ__ITEM_MOST ? CLQ__ITEM_MOST : share;
}

int64_t clq__for_streams(int64_t n)
{
    const int64_t many = CLQ_CPU_STREAMS * CLQ_CPU_BLOCK_ROWS, unit = n >= 2 * many ? many : CLQ_CPU_STREAMS;
    const int64_t units = n / unit;

    return units == 0 ? n : (units - (units > 8 && units % 2 == 0)) * unit;
}

/* A CPU's work-item does a long run, less where that would leave a core without work. */
void clq__tiles_cut(struct quantize_args *args, int64_t rows, const struct clq__traits *traits,
                    struct clq__launch *launch)
{
    const int64_t whole = clq__ceil_div(clq__item_elements(rows * args->inner, traits), CLQ__ITEM_MULTIPLE) *
                          CLQ__ITEM_MULTIPLE;

    assert(args->inner > 0 && rows > 0);
    args->tile = part_of(args, whole);
    args->tiles_per_row = clq__ceil_div(args->inner, args->tile);
    args->by_tiles_per_row = clq__divisor(args->tiles_per_row);
    args->tiles = rows * args->tiles_per_row;
    args->tiles_per_item = clq__for_streams(whole > args->tile ? whole / args->tile : 1);
    launch->local = 1;
    launch->groups = (size_t)clq__ceil_div(args->tiles, args->tiles_per_item);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* How the rows of a call are cut into tiles for the kernels that a CPU has of its own. */
#ifndef CLQ_PLAN_SHARES_TILES_H
#define CLQ_PLAN_SHARES_TILES_H

#include "args/quantize.h"
#include "runtime/launch.h"

/* Elements of a CPU's work-item: a long run, less where that would leave a core without work. */
int64_t clq__item_elements(int64_t elements, const struct clq__traits *traits);

/* Tiles, or rows, of a work-item of a CPU's that does them in streams: no more than n, as many for each
 * stream, and in whole blocks. If these are many, the streams are an odd number of them apart: at a power
 * of two they would meet in the same sets of the caches and the same banks of memory (dynamic rows of 128
 * took up to 1.14 times as long). */
int64_t clq__for_streams(int64_t n);

/* Tiles of so many rows of `inner` units, whose scales begin again after `period`; 0: not within a row. Sets
 * the launch's groups and local size too. */
void clq__tiles_cut(struct quantize_args *args, int64_t rows, const struct clq__traits *traits,
                    struct clq__launch *launch);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* How the rows of a call are cut into work-items, for every kernel that does tiles of rows. */
#ifndef CLQ_PLAN_TILES_H
#define CLQ_PLAN_TILES_H

#include "runtime/launch.h"

#include <stdbool.h>
#include <stdint.h>

/* Rows of `inner` units each. */
struct clq__rows {
    int64_t rows, inner;
    int64_t period;        /* units after which scales begin again; 0: none within a row */
    int64_t rounds_beside; /* of loops, in each tile: all but those over its units */
};

/* As the kernels' arguments have them. */
struct clq__tiles {
    int64_t tile, tiles_per_row, tiles, tiles_per_item;
    uint32_t lanes;
};

/* Tiles, or rows, of a work-item of a CPU's that does them in streams: no more than n, as many for each stream, and in whole
 * blocks. Where these are many, the streams are an odd number of them apart: at a power of two they would meet in the same sets
 * of the caches and the same banks of memory (dynamic rows of 128 took up to 1.14 times as long). */
int64_t clq__for_streams(int64_t n);

/* Sets the launch's groups and local size too. */
struct clq__tiles clq__tiles_of(const struct clq__rows *rows, struct clq__traits traits,
                                struct clq__launch *launch);

#endif

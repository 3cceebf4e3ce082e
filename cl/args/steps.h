/* SPDX-License-Identifier: Apache-2.0 */
/* How the work-items of the portable kernels share rows. */
#ifndef CLQ_ARGS_STEPS_H
#define CLQ_ARGS_STEPS_H

#include "args/types.h"

/* A run is a row, or rows that follow one another in one dimension. Some lanes, work-items next to one
 * another, go through it in steps. In each step a lane processes `at_once` units, and its neighbour the next
 * ones: in a long row the units of a step lie side by side, and the steps too; of short rows a step is a row.
 * A tile is the lanes' share of a run. */
struct clq_steps {
    clq_i64 count;                   /* steps of a run */
    clq_i64 x, y, scale, zero_point; /* from a step to the next: elements, units of y */
    clq_i64 tile_step;               /* from the first step of a tile to that of the next tile */
    clq_i64 tiles;                   /* of a run; they and its steps are below 2^31 in a slice */
    struct clq_divisor by_tiles;
    clq_i64 longer;  /* so many tiles have one step more than `each` */
    clq_u32 each;    /* steps of a tile; the last one may have less */
    clq_u32 stride;  /* from a step of a tile to its next one: 1, or as many as there are tiles */
    clq_u32 units;   /* of a row from a step to the next; 0: the next one is another row's */
    clq_u32 at_once; /* units */
    clq_u32
        by_chunks; /* 1: that is a chunk (base/chunk.clh), and all begin where chunks may if the buffers do */
    clq_u32 lanes, by_lanes; /* that share a tile; floor(2^16 / lanes) + 1 */
    clq_u32 sets;            /* of lanes in a group */
};
CLQ_SAME_SIZE(clq_steps, 112);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The scalar arguments of places.cl. */
#ifndef CLQ_ARGS_PLACES_H
#define CLQ_ARGS_PLACES_H

#include "args/types.h"

#define CLQ_MOST_COORDINATES 8

struct clq_coordinate {
    clq_i64 size, step; /* units from one index to the next */
};

/* An index for each of the first dimensions of a tensor: k of them, or no entries of this side where k is 0.
 */
struct clq_coordinates {
    clq_i64 index_offset, index_stride,
        index_inner;                /* elements; index_inner from one coordinate to the next */
    clq_i64 place_offset;           /* of int64 in what is written */
    clq_u32 k, range, wide, unused; /* range: enum clq_entry_range */
    struct clq_coordinate at[CLQ_MOST_COORDINATES];
};
CLQ_SAME_SIZE(clq_coordinates, 176);

/* A work-item makes the places of one entry. All zeros: nothing to do. */
struct places_args {
    clq_i64 count;
    clq_i64 report_offset; /* words of the report's buffer; -1: there is none */
    struct clq_coordinates to, from;
};
CLQ_SAME_SIZE(places_args, 368);

#endif

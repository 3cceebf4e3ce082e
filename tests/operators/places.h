/* SPDX-License-Identifier: Apache-2.0 */
/* Random entries of an index tensor, and the shapes that they place. */
#ifndef CLQUANT_OPERATORS_PLACES_H
#define CLQUANT_OPERATORS_PLACES_H

#include "call.h"

struct places {
    struct shape cache, pieces; /* [D0, .., A, ..] and [N, .., U, ..] */
    int d;                      /* the dimension of A and U */
    uint32_t range, unique, index_kind;
};

/* Shapes, of rows that are stored as the type, and indices, as tensor number t, some of them out of range.
 * Where the last dimension has to be whole, that is never d; `writes`: entries that promise to be unique
 * are. */
struct places places_random(struct call *call, int t, bool last_is_whole, enum reference_type type,
                            bool writes);
/* Indices, as tensor number t, of the same pieces in another cache, of other D0 and A, that is read. */
struct places places_other(struct call *call, int t, const struct places *p);
/* Indices [N, k] into the first k dimensions of this shape; `unique`: places are apart, and N may shrink. */
void places_nd(struct call *call, int t, const struct shape *shape, int k, int64_t *count, bool unique);
/* call_rotate, for the rows of the pieces and the cache. */
uint32_t places_draw_rotate(struct call *call, struct places *p, enum reference_type type);
/* The end rows of so many groups of rows. */
void places_ends(struct call *call, int t, int64_t count, int64_t rows);
/* A row of scales for each group of rows of so many columns: scales, ends and one zero point, or none.
 * Returns the shape of the rows, which are stored as the type. */
struct shape places_groups(struct call *call, int scales, int ends, int zero_points,
                           enum reference_type type);
/* Leaves the one position of each slot out of tensor t's shape, every other time;
 * for the reference it is there. */
void places_leave_out(struct call *call, int t, const struct places *p);
const struct reference_tensor *places_reference(const struct call *call, int t, int cache, int axis,
                                                struct reference_tensor *as);
enum reference_range places_range(uint32_t out_of_range);

#endif

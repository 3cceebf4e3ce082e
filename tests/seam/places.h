/* SPDX-License-Identifier: Apache-2.0 */
/* Random entries of an index tensor, and the shapes that they place. */
#ifndef CLQUANT_SEAM_PLACES_H
#define CLQUANT_SEAM_PLACES_H

#include "call.h"

struct places {
    struct shape cache, pieces; /* [D0, .., A, ..] and [N, .., U, ..] */
    int d;                      /* the dimension of A and U */
    uint32_t range, unique;
    struct tensor *indices;
};

/* Shapes and indices, some of them out of range. Of rows whose last dimension has to be whole, that is never d; `writes`:
 * entries that promise to be unique are. */
struct places places_random(struct call *call, bool last_is_whole, bool even, bool writes);
/* One scale or zero point, or one for each index of the last dimension of the pieces, in any shape. */
struct tensor *places_parameter(struct call *call, const struct places *places, const char *name,
                                unsigned types);
enum reference_range places_range(const struct places *places);

#endif

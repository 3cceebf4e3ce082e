/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that move: all that go anywhere are read first, and then written one entry after the other. */
#ifndef CLQUANT_REFERENCE_MOVE_ROWS_H
#define CLQUANT_REFERENCE_MOVE_ROWS_H

#include "reference.h"

/* src or dst. Without indices entry i is row i of its tensor, whose rank is that of a cache. */
struct reference_move_side {
    const struct reference_tensor *tensor, *indices;
    enum reference_range range;
    bool slots, nd; /* nd: indices (N, k), an index for each of the tensor's first k dimensions */
};

/* Entries have so many positions on axis, but for those of nd. Both tensors have one type, or each a float.
 */
struct reference_move_rows_desc {
    struct reference_move_side src, dst;
    int axis;
    int64_t positions;
};
struct reference_report reference_move_rows(const struct reference_move_rows_desc *desc);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Which scale, or zero point, an element has. */
#include "reference.h"

/* Which of a dimension's own values: the only one, a block's, or an index's. */
static int64_t along(const struct reference_tensor *tensor, const struct reference_tensor *x, int d, int axis,
                     int64_t block, int64_t index)
{
    const int64_t own = tensor->shape[d], size = reference_extent(x, d);

    if (own == 1)
        return 0;
    if (d == axis && block > 0 && own == (size + block - 1) / block)
        return index / block;
    return index;
}

float reference_parameter(const struct reference_tensor *tensor, const struct reference_tensor *x,
                          const int64_t *index, int axis, int64_t block)
{
    int64_t at[REFERENCE_MAX_RANK] = {0};

    if (tensor->rank == x->rank)
        for (int d = 0; d < x->rank; d++)
            at[d] = along(tensor, x, d, axis, block, index[d]);
    else if (reference_count(tensor) > 1)
        at[0] = index[axis];
    return reference_load(tensor, at);
}

float reference_parameter_placed(const struct reference_tensor *tensor, const struct reference_tensor *x,
                                 const int64_t *index, int64_t block)
{
    const int last = x->rank - 1;

    /* of any other shape it has as many as the last dimension, or one */
    if (tensor->rank == x->rank)
        for (int d = 0; d < x->rank; d++)
            if (block > 0 || (d < last && tensor->shape[d] > 1))
                return reference_parameter(tensor, x, index, last, block);
    return reference_load_nth(tensor, reference_count(tensor) > 1 ? index[last] : 0);
}

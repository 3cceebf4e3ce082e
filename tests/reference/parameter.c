/* SPDX-License-Identifier: Apache-2.0 */
/* Which scale, or zero point, an element has. */
#include "reference.h"

/* Which of a dimension's own values: the only one, a block's, or an index's. */
static int64_t along(const struct reference_tensor *tensor, int d, const struct reference_cut *cut,
                     int64_t index)
{
    return tensor->shape[d] == 1 ? 0 : index / reference_block_along(cut, d);
}

/* By blocks along all dimensions that are cut, or by none. */
static bool by_blocks(const struct reference_tensor *tensor, const struct reference_tensor *x,
                      const struct reference_cut *cut)
{
    for (int d = 0; d < x->rank; d++) {
        const int64_t block = reference_block_along(cut, d), size = reference_extent(x, d);

        if (block > 1 && tensor->shape[d] != (size + block - 1) / block)
            return false;
    }
    return true;
}

int64_t reference_block_along(const struct reference_cut *cut, int d)
{
    const int64_t block = d == cut->axis ? cut->block : d == cut->axis - 1 ? cut->before : 0;

    return block > 0 ? block : 1;
}

float reference_parameter(const struct reference_tensor *tensor, const struct reference_tensor *x,
                          const int64_t *index, const struct reference_cut *cut)
{
    const struct reference_cut whole = {.axis = cut->axis};
    int64_t at[REFERENCE_MAX_RANK] = {0};

    if (tensor->rank == x->rank)
        for (int d = 0; d < x->rank; d++)
            at[d] = along(tensor, d, by_blocks(tensor, x, cut) ? cut : &whole, index[d]);
    else if (reference_count(tensor) > 1)
        at[0] = index[cut->axis];
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
                return reference_parameter(tensor, x, index,
                                           &(struct reference_cut){.axis = last, .block = block});
    return reference_load_nth(tensor, reference_count(tensor) > 1 ? index[last] : 0);
}

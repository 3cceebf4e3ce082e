/* SPDX-License-Identifier: Apache-2.0 */
/* Folding of dimensions. Sizes and strides were checked (base/view.c), so nothing here can overflow. */
#include "base/fold.h"

void clq__fold_sort(struct clq__fold *fold, int first, int key)
{
    for (int d = first + 1; d < fold->dims; d++) {
        const struct clq__fold_dim dim = fold->dim[d];
        int at = d;

        for (; at > first && fold->dim[at - 1].stride[key] > dim.stride[key]; at--)
            fold->dim[at] = fold->dim[at - 1];
        fold->dim[at] = dim;
    }
}

static bool continues(const struct clq__fold_dim *outer, const struct clq__fold_dim *inner)
{
    for (int t = 0; t < CLQ__FOLD_TENSORS; t++) {
        int64_t step;

        /* an inner span that overflows belongs to a tensor with one element there: it cannot equal a checked
         * stride */
        if (__builtin_mul_overflow(inner->stride[t], inner->size, &step) || outer->stride[t] != step)
            return false;
    }
    return true;
}

void clq__fold_merge(struct clq__fold *fold)
{
    int last = 0;

    if (fold->dims == 0)
        return;
    for (int d = 1; d < fold->dims; d++) {
        if (continues(&fold->dim[d], &fold->dim[last]))
            fold->dim[last].size *= fold->dim[d].size;
        else
            fold->dim[++last] = fold->dim[d];
    }
    fold->dims = last + 1;
}

int64_t clq__fold_count(const struct clq__fold *fold, int first)
{
    int64_t count = 1;

    for (int d = first; d < fold->dims; d++)
        count *= fold->dim[d].size;
    return count;
}

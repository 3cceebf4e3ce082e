/* SPDX-License-Identifier: Apache-2.0 */
/* Folding: the dimensions of several tensors that walk together, merged to the fewest that say the same.
 * Layout becomes a handful of numbers here, and the kernels never see a rank. */
#ifndef CLQ_BASE_FOLD_H
#define CLQ_BASE_FOLD_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#define CLQ__FOLD_TENSORS 4
#define CLQ__FOLD_DIMS    12

/* Dimension 0 is the innermost. A stride of zero repeats. */
struct clq__fold {
    int dims;
    struct clq__fold_dim {
        int64_t size;
        int64_t stride[CLQ__FOLD_TENSORS];
    } dim[CLQ__FOLD_DIMS];
};

/* Adds a dimension outside of all that are there. One of size 1 says nothing and is left out, unless it is
 * kept: bytes that elements share stay the innermost dimension even where a row has one. */
static inline void clq__fold_add(struct clq__fold *fold, bool keep, int64_t size,
                                 const int64_t stride[CLQ__FOLD_TENSORS])
{
    struct clq__fold_dim *dim = &fold->dim[fold->dims];

    if (size == 1 && !keep)
        return;
    assert(fold->dims < CLQ__FOLD_DIMS);
    dim->size = size;
    for (int t = 0; t < CLQ__FOLD_TENSORS; t++)
        dim->stride[t] = stride[t];
    fold->dims++;
}

/* Orders the dimensions from `first` on by tensor `key`'s stride, smallest inside, so that tensors permuted
 * alike are walked in memory's order. */
void clq__fold_sort(struct clq__fold *fold, int first, int key);

/* Merges neighbours where every tensor steps from one into the other without a gap. */
void clq__fold_merge(struct clq__fold *fold);

/* The product of the sizes from `first` on. */
int64_t clq__fold_count(const struct clq__fold *fold, int first);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A tensor as an operator sees it: its logical elements, checked once. */
#ifndef CLQ_BASE_VIEW_H
#define CLQ_BASE_VIEW_H

#include "base/dtype.h"

#include <clquant/status.h>
#include <stdbool.h>

#define CLQ__MAX_RANK 8

struct clq__view {
    const char *name; /* the argument's name, for sentences */
    const DLTensor *tensor;
    enum clq__type type;
    /* Elements of the last dimension in a storage element. If elements share bytes: 1 packed, else those
     * of a byte or of a word of 32 bits; of blocks the values of one; 1 for every other type. */
    int lanes;
    int share_bits; /* log2 of the elements that share a byte; 0: each has bytes of its own */
    int rank;
    int64_t shape[CLQ__MAX_RANK];  /* logical: the last dimension in elements, whatever the view */
    int64_t stride[CLQ__MAX_RANK]; /* in storage elements: where bytes are shared, elements, bytes or words */
    int64_t elements;
    int64_t extent_bytes; /* from byte_offset to the end of the last element; 0 where there are none */
};

/* Several elements share a byte; the view is packed where shape and strides count them one by one. */
static inline bool clq__view_shares_bytes(const struct clq__view *view)
{
    return view->share_bits > 0;
}

static inline bool clq__view_is_packed(const struct clq__view *view)
{
    return clq__view_shares_bytes(view) && view->lanes == 1;
}

#define CLQ__WORD_UNITS 4 /* bytes of a word of 32 bits */

static inline bool clq__view_is_words(const struct clq__view *view)
{
    return clq__view_shares_bytes(view) && view->lanes == CLQ__WORD_UNITS << view->share_bits;
}

/* For blocks, which kernels load and store in words of 16 bits. */
static inline bool clq__view_has_blocks(const struct clq__view *view)
{
    return clq__type_is(view->type, CLQ__BLOCKS);
}

/* In words that do not follow one another; one word alone steps nowhere. */
static inline bool clq__view_has_gaps(const struct clq__view *view)
{
    const int last = view->rank - 1;

    return clq__view_is_words(view) && view->shape[last] > view->lanes && view->stride[last] != 1;
}

/* Checks what can be known of one tensor alone, without its buffer: present, an OpenCL tensor, type, rank,
 * shape, strides, offset, sizes. */
clq_status clq__view_init(struct clq__view *view, const char *name, const DLTensor *tensor, unsigned types);

/* Stands for an optional tensor that was not given: no tensor, type CLQ__NONE, one element. */
void clq__view_init_absent(struct clq__view *view, const char *name);
/* One of both. */
clq_status clq__view_init_optional(struct clq__view *view, const char *name, const DLTensor *tensor,
                                   unsigned types);

/* Refuses a view that has two elements in one place, or may have: dimensions ordered by stride, each stride
 * must be at least the span of the smaller ones. */
clq_status clq__view_check_output(const struct clq__view *view);

/* Refuse y where its rank, its dimension d, or any of both is not x's (base/alike.c). */
clq_status clq__view_check_rank(const struct clq__view *y, const struct clq__view *x);
clq_status clq__view_check_alike(const struct clq__view *y, const struct clq__view *x);

/* Reports a size that is another one. It is a function of its own, so that the check is inline. */
clq_status clq__view_refuse_size(const struct clq__view *y, const struct clq__view *x, int d);
static inline clq_status clq__view_check_size(const struct clq__view *y, const struct clq__view *x, int d)
{
    return y->shape[d] == x->shape[d] ? CLQ_OK : clq__view_refuse_size(y, x, d);
}

/* A unit is what kernels load and store at once: an element, or the byte that elements share, or of a block a
 * word of 16 bits. A view begins at any unit. Only these functions know how many elements share a byte, and
 * how packed elements, bytes and words are stepped over. */
static inline size_t clq__view_unit_bytes(const struct clq__view *view)
{
    return clq__view_shares_bytes(view) ? 1
           : clq__view_has_blocks(view) ? 2
                                        : clq__storage_bytes(view->tensor->dtype);
}

/* Elements that a unit holds along the last dimension; 1 of a block, whose elements kernels count. */
static inline int64_t clq__view_in_unit(const struct clq__view *view)
{
    return INT64_C(1) << view->share_bits;
}

/* The begin of a view, and how far a stride of it reaches. A dimension of one element steps nowhere, nor does
 * a view without elements: their strides may be anything, and multiples of these overflow. */
static inline int64_t clq__view_offset_units(const struct clq__view *view)
{
    if (view->tensor == NULL)
        return 0;
    /* a shift, for a division would be felt in every call */
    return (int64_t)(view->tensor->byte_offset >> __builtin_ctzll(clq__view_unit_bytes(view)));
}

static inline int64_t clq__view_units(const struct clq__view *view, int64_t stride)
{
    if (view->elements == 0)
        return 0;
    if (clq__view_has_blocks(view))
        return (int64_t)(clq__storage_bytes(view->tensor->dtype) / 2) * stride;
    if (clq__view_is_packed(view))
        return stride >> view->share_bits;
    return clq__view_is_words(view) ? CLQ__WORD_UNITS * stride : stride;
}

static inline int64_t clq__view_step_units(const struct clq__view *view, int64_t size, int64_t stride)
{
    return size > 1 ? clq__view_units(view, stride) : 0;
}

/* From one unit to the next along the last dimension, within a word where words have gaps. */
static inline int64_t clq__view_unit_step(const struct clq__view *view)
{
    return clq__view_is_packed(view) || clq__view_is_words(view) ? 1 : view->stride[view->rank - 1];
}

/* Units that so many indices of dimension d reach over: on the last one whole units, whole words where these
 * have gaps, and whole blocks. */
int64_t clq__view_reach(const struct clq__view *view, int d, int64_t indices);

/* A cell is what whole bytes are copied by: a storage element, or the byte of packed elements. How many
 * dimension d has, and how many cells its stride reaches over. */
static inline int64_t clq__view_cells(const struct clq__view *view, int d)
{
    if (d != view->rank - 1)
        return view->shape[d];
    return clq__view_is_packed(view) ? view->shape[d] >> view->share_bits : view->shape[d] / view->lanes;
}

static inline int64_t clq__view_cell_stride(const struct clq__view *view, int d)
{
    return clq__view_is_packed(view) && d != view->rank - 1 ? view->stride[d] >> view->share_bits
                                                            : view->stride[d];
}

/* Its buffer; NULL where it has no elements, and kernels do not touch it. */
static inline void *clq__view_buffer(const struct clq__view *view)
{
    return view->tensor != NULL && view->elements > 0 ? view->tensor->data : NULL;
}

/* Dense and row-major, the way a host array is. */
bool clq__view_is_dense(const struct clq__view *view);

#endif

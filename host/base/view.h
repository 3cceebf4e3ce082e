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
    /* Elements of the last dimension in a storage element. Of nibbles: 1 packed, 2 a byte, 8 a word; of
     * blocks the values of one; 1 for every other type. */
    int lanes;
    int rank;
    int64_t shape[CLQ__MAX_RANK];  /* logical: the last dimension in elements, whatever the view */
    int64_t stride[CLQ__MAX_RANK]; /* in storage elements: nibbles, bytes or words where a byte holds two */
    int64_t elements;
    int64_t extent_bytes; /* from byte_offset to the end of the last element; 0 where there are none */
};

/* Of four bits, two in a byte; packed where shape and strides count them. */
static inline bool clq__view_has_nibbles(const struct clq__view *view)
{
    return clq__type_is(view->type, CLQ__NIBBLES);
}

static inline bool clq__view_is_packed(const struct clq__view *view)
{
    return clq__view_has_nibbles(view) && view->lanes == 1;
}

/* Of blocks, which kernels load and store in words of 16 bits. */
static inline bool clq__view_has_blocks(const struct clq__view *view)
{
    return clq__type_is(view->type, CLQ__BLOCKS);
}

/* In words that do not follow one another; one word alone steps nowhere. */
static inline bool clq__view_has_gaps(const struct clq__view *view)
{
    const int last = view->rank - 1;

    return view->lanes == 8 && view->shape[last] > 8 && view->stride[last] != 1;
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

/* The bytes of a unit, which kernels load and store at once: an element, or of nibbles the byte of two, or of
 * a block a word of 16 bits. A view begins at any of them. */
static inline size_t clq__view_unit_bytes(const struct clq__view *view)
{
    return clq__view_has_nibbles(view)  ? 1
           : clq__view_has_blocks(view) ? 2
                                        : clq__storage_bytes(view->tensor->dtype);
}

/* Where a view begins, and how far a stride of it reaches. A dimension of one element steps nowhere, nor does
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
    if (!clq__view_has_nibbles(view))
        return stride;
    return view->lanes == 1 ? stride / 2 : view->lanes == 2 ? stride : 4 * stride;
}

static inline int64_t clq__view_step_units(const struct clq__view *view, int64_t size, int64_t stride)
{
    return size > 1 ? clq__view_units(view, stride) : 0;
}

/* Its buffer; NULL where it has no elements, and kernels do not touch it. */
static inline void *clq__view_buffer(const struct clq__view *view)
{
    return view->tensor != NULL && view->elements > 0 ? view->tensor->data : NULL;
}

/* Dense and row-major, the way a host array is. */
bool clq__view_is_dense(const struct clq__view *view);

#endif

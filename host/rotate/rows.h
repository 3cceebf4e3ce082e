/* SPDX-License-Identifier: Apache-2.0 */
/* A tensor of rows as clq_rotate_rows wants it, checked. */
#ifndef CLQ_ROTATE_ROWS_H
#define CLQ_ROTATE_ROWS_H

#include <clquant/tensor.h>

struct clq__rows {
    const char *name;
    cl_mem buffer;
    size_t first;       /* the first element, counted from the buffer's start */
    size_t elements;    /* a multiple of the rotation's size */
    cl_mem root;        /* the buffer, or its parent where it is a sub-buffer */
    size_t begin_bytes; /* where the elements lie in the root */
};

clq_status clq__rows_init(struct clq__rows *rows, const char *name, const DLTensor *tensor, int64_t n);
clq_status clq__rows_check_apart(const struct clq__rows *x, const struct clq__rows *y);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors of the documented calls in other shapes: the same elements, none of them moved. */
#ifndef CLQ_OPS_NPU_SHAPE_H
#define CLQ_OPS_NPU_SHAPE_H

#include <clquant/status.h>
#include <clquant/tensor.h>

/* A tensor that is seen otherwise, and points into itself. */
struct clq__seen {
    DLTensor tensor;
    int64_t shape[CLQ_MAX_RANK + 1], strides[CLQ_MAX_RANK + 1];
};

/* As it is, with strides written out. The tensor was checked by itself. */
void clq__see(struct clq__seen *seen, const DLTensor *tensor);

/* Dimensions from number `first` on, so many of them, become one; of none one of size 1 is put in. Refuses
 * strides that do not lead through them as through one. */
clq_status clq__see_merged(struct clq__seen *seen, const char *name, int first, int count);

/* Dimension `at`, of count * size indices, becomes two. */
void clq__see_split(struct clq__seen *seen, int at, int64_t count, int64_t size);

/* Dimensions a and b change places. */
void clq__see_swapped(struct clq__seen *seen, int a, int b);

#endif

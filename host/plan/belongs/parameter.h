/* SPDX-License-Identifier: Apache-2.0 */
/* Scales and zero points: the rules of each of the ways in which they belong to
 * a tensor, and their strides. */
#ifndef CLQ_PLAN_BELONGS_PARAMETER_H
#define CLQ_PLAN_BELONGS_PARAMETER_H

#include "plan/belongs/checked_call.h"

/* How a descriptor cuts an axis, and the dimension in front of it. */
struct clq__blocks {
    int32_t axis;
    uint32_t block;  /* indices that share; 0: all of them */
    uint32_t before; /* of the dimension in front of axis; 0: it is not cut */
    uint32_t all;    /* 1 where the whole tensor shares one */
};

/* The tensors of scales and zero points alone; the latter may be NULL. */
clq_status clq__parameters_init(struct clq__checked_call *checked, const DLTensor *scales,
                                const DLTensor *zero_points);

/* The types that kernels read scales of: on the way back of floats also those of a byte, which rules find. */
static inline unsigned clq__scales_read(const struct clq__checked_call *checked)
{
    if (!checked->back || clq__type_is(checked->y.type, CLQ__WHOLE))
        return CLQ__FLOATS;
    return clq__view_shares_bytes(&checked->y) ? CLQ__SCALES : CLQ__FLOATS | CLQ__SET(CLQ__E8M0);
}

/* The shapes of both, and their strides: by an axis of x, by their shape, or by blocks; with
 * indices, by the last dimension, by their shape, or by blocks of the last dimension; a row of scales per
 * group of rows; and what dynamic quantization leaves beside y. (parameter.c) */
clq_status clq__parameters_check_dense(struct clq__checked_call *checked, const struct clq__blocks *blocks);
clq_status clq__parameters_check_placed(struct clq__checked_call *checked, uint32_t block);
/* Both alike: what is found. */
clq_status clq__parameters_check_found(struct clq__checked_call *checked, const struct clq__blocks *blocks);
clq_status clq__parameters_check_groups(struct clq__checked_call *checked, const DLTensor *group_index);
clq_status clq__parameters_check_dynamic(struct clq__checked_call *checked, const struct clq__blocks *blocks);

/* Groups of rows, and what has a row for each of them. (parameter.c) */
clq_status clq__groups_check(struct clq__checked_call *checked, const DLTensor *group_index,
                             const struct clq__view *of_group);

/* The shape of one of them, and its strides. (parameter_shapes.c) */

/* One element or one per index of the axis; 0-D, 1-D, or of x's rank with all else 1. */
clq_status clq__parameter_check_axis(struct clq__parameter *parameter, const struct clq__view *x, int axis);
/* The shape with which so many elements would belong to one of x's dimensions that indices do not place
 * along, where there is one alone; "" else. */
enum { CLQ__SHAPE_HINT_TEXT = 128 };
const char *clq__parameter_shape_hint(char text[CLQ__SHAPE_HINT_TEXT], const struct clq__view *view,
                                      const struct clq__view *x, int place);
/* The rank alone, of one element for all of x. */
clq_status clq__parameter_check_rank(const struct clq__view *view, const struct clq__view *x);
/* For x's rank, and every size 1 or x's. */
clq_status clq__parameter_check_broadcast(struct clq__parameter *parameter, const struct clq__view *x);
/* For x's rank, as many along the axis and the dimension in front of it as there are blocks of the work, and
 * every other size 1 or x's. */
clq_status clq__parameter_check_blocks(struct clq__parameter *parameter, const struct clq__view *x,
                                       const struct clq__checked_call *checked);
/* One element per row of dynamic quantization: the shape is that of rows without the axis; or every size is
 * that of rows, and where the work has blocks there are as many as these. */
clq_status clq__parameter_check_rows(struct clq__parameter *parameter, const struct clq__view *rows,
                                     const struct clq__checked_call *checked);
/* The scales of blocks along the work's axis in pairs, as documented calls have them: rows' shape with a pair
 * for each two blocks, or one, on that axis, and a dimension of 2 behind the last one. */
clq_status clq__parameter_check_pairs(struct clq__parameter *parameter, const struct clq__view *rows,
                                      struct clq__checked_call *checked);

/* How many blocks of so many indices there are; the last one may be shorter. */
static inline int64_t clq__blocks_of(int64_t size, int64_t block)
{
    return size / block + (size % block != 0);
}

#endif

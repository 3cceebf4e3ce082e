/* SPDX-License-Identifier: Apache-2.0 */
/* Scales and zero points: the rules of each of the ways in which they belong to a tensor, and their strides. */
#ifndef CLQ_PLAN_PARAMETER_H
#define CLQ_PLAN_PARAMETER_H

#include "plan/work.h"

/* The tensors of scales and zero points alone; the latter may be NULL. */
clq_status clq__parameters_init(struct clq__work *work, const DLTensor *scales, const DLTensor *zero_points);

/* The shapes of both, and their strides: per index of axis of x; per index of its last dimension, in any shape; a row of
 * scales per group of rows; and as y's shape less the last dimension. */
clq_status clq__parameters_check_axis(struct clq__work *work, int axis);
clq_status clq__parameters_check_last(struct clq__work *work);
clq_status clq__parameters_check_groups(struct clq__work *work);
clq_status clq__parameters_check_rows(struct clq__work *work);

/* One of them: one element or one per index of the axis; 0-D, 1-D, or of x's rank with all else 1. Sets its stride. */
clq_status clq__parameter_check(struct clq__parameter *parameter, const struct clq__view *x, int axis);
/* The rank alone, of one element for all of x. */
clq_status clq__parameter_check_rank(const struct clq__view *view, const struct clq__view *x);
/* One element per row: the shape is that of rows less its last dimension. */
clq_status clq__parameter_check_rows(const struct clq__view *view, const struct clq__view *rows);

#endif

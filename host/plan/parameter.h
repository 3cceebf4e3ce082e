/* SPDX-License-Identifier: Apache-2.0 */
/* Scales and zero points: one for a tensor, one per index of an axis of it, or one per row. */
#ifndef CLQ_PLAN_PARAMETER_H
#define CLQ_PLAN_PARAMETER_H

#include "base/view.h"

/* One element or one per index of the axis; 0-D, 1-D, or of x's rank with all else 1. The stride is that in
 * memory along the axis, 0 for one element. */
clq_status clq__parameter_check(const struct clq__view *view, const struct clq__view *x, int axis,
                                int64_t *stride);

/* The rank alone, of one element for all of x. */
clq_status clq__parameter_check_rank(const struct clq__view *view, const struct clq__view *x);

/* One element per row: the shape is that of rows less its last dimension. */
clq_status clq__parameter_check_rows(const struct clq__view *view, const struct clq__view *rows);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The axis that a caller means: the one rule of all operators (CLQ_AXIS_FIRST of clquant/tensor.h). */
#ifndef CLQ_PLAN_BELONGS_AXIS_H
#define CLQ_PLAN_BELONGS_AXIS_H

#include "base/view.h"

/* The meaning of a descriptor that leaves axis out. */
enum clq__axis_default { CLQ__AXIS_LAST = -1, CLQ__AXIS_SECOND_TO_LAST = -2 };

/* The dimension of a tensor of that rank, from 0 on; below 0 or past the rank where there is none. */
int clq__axis_of(int axis, enum clq__axis_default left_out, int rank);

/* The given axis, for a sentence: "axis is 3", or the default by name. */
#define CLQ__AXIS_TEXT 64
const char *clq__axis_text(int axis, enum clq__axis_default left_out, char text[CLQ__AXIS_TEXT]);

/* The axis of scales that are not one for all of x; count and name are theirs. */
clq_status clq__axis_check(const struct clq__view *x, int axis, const char *name, int64_t count, int *at);

#endif

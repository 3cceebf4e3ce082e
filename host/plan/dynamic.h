/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic quantization, and the way back of rows that are turned, from their tensors to what is launched. */
#ifndef CLQ_PLAN_DYNAMIC_H
#define CLQ_PLAN_DYNAMIC_H

#include "args/dynamic_quantize.h"
#include "plan/work.h"
#include "runtime/launch.h"

struct clq__plan;

struct clq__dynamic_tensors {
    const DLTensor *x, *y, *scale, *offset, *smooth;
    uint32_t symmetric, rotate;
};

/* Every rule of the tensors alone and of x, y, scale and offset as rows; those between x and y are the
 * operator's. */
clq_status clq__dynamic_check(struct clq__work *work, const struct clq__dynamic_tensors *tensors);

/* Folds the layout, and fills the arguments but for what depends on the device. */
bool clq__dynamic_describe(struct clq__plan *plan);

/* Cuts the call into work-items, and fills its launches. */
void clq__dynamic_cut(struct clq__plan *plan, const struct clq__traits *traits);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A plan that its caller keeps: the call's own copy of a descriptor, its steps, and kernels whose arguments stay set. */
#ifndef CLQ_PLAN_KEPT_H
#define CLQ_PLAN_KEPT_H

#include "plan/plan.h"

#include <clquant/plan.h>

/* Of an operator's descriptor. */
clq_status clq__plan_keep(clq_context *context, const struct clq__operator *op,
                          const struct clq__names *names, const void *desc, clq_plan **out);

#endif

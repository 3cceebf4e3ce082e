/* SPDX-License-Identifier: Apache-2.0 */
/* Reading indices back to say in words what is wrong with them. */
#ifndef CLQ_PLAN_CHECK_INDICES_H
#define CLQ_PLAN_CHECK_INDICES_H

#include "plan/belongs/checked_call.h"
#include "runtime/launch.h"

/* Starts, or batches and starts, against the cache, or the end rows of groups against the rows of x:
 * CLQ_ERROR_INDEX names the lowest that is out of range. Blocks. */
clq_status clq__indices_check(cl_command_queue queue, const struct clq__checked_call *checked,
                              cl_uint num_wait, const cl_event *wait);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Reading indices back to say in words what is wrong with them. */
#ifndef CLQ_PLAN_CHECK_INDICES_H
#define CLQ_PLAN_CHECK_INDICES_H

#include "plan/placement.h"
#include "runtime/launch.h"

/* Starts, or batches and starts, against the cache: CLQ_ERROR_INDEX names the lowest that is out of range.
 * Blocks. */
clq_status clq__indices_check_entries(cl_command_queue queue, const struct clq__placement *placement,
                                      cl_uint num_wait, const cl_event *wait);

/* The end rows of groups, for that many rows. Blocks. */
clq_status clq__indices_check_groups(cl_command_queue queue, const struct clq__placement *placement,
                                     int64_t rows, cl_uint num_wait, const cl_event *wait);

#endif

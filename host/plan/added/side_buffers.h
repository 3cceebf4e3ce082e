/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers beside a call's tensors, which may be absent: its report, and its workspace. */
#ifndef CLQ_PLAN_ADDED_SIDE_BUFFERS_H
#define CLQ_PLAN_ADDED_SIDE_BUFFERS_H

#include "plan/belongs/placement.h"
#include "runtime/memory.h"

/* The words that the kernels write there: aligned, inside the buffer, and apart from all tensors and each
 * other. With no bytes of workspace only the report is looked at. */
clq_status clq__side_buffers_check(const clq_context *context, const struct clq__placement *placement,
                                   size_t workspace_bytes, const struct clq__view *const *tensors, int count);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers beside a call's tensors, which may be absent: its report, and its workspace. */
#ifndef CLQ_PLAN_SIDE_BUFFERS_H
#define CLQ_PLAN_SIDE_BUFFERS_H

#include "plan/work.h"
#include "runtime/memory.h"

/* The words that the kernels write there: aligned, inside the buffer, and apart from all tensors and each other. With no words
 * of workspace only the report is looked at. Of static quantization it is looked at before a workspace is. */
clq_status clq__side_buffers_check_static(const clq_context *context, const struct clq__work *work,
                                          int64_t workspace_words);
clq_status clq__side_buffers_check_dynamic(const clq_context *context, const struct clq__work *work,
                                           int64_t workspace_words);

#endif

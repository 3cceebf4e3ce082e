/* SPDX-License-Identifier: Apache-2.0 */
/* Copying a tensor into another of its type and shape, whatever the strides of both. */
#ifndef CLQ_OPS_COPY_H
#define CLQ_OPS_COPY_H

#include "base/view.h"
#include "runtime/launch.h"

/* The views were checked, are alike and not empty. With build_only nothing is enqueued and *done stays NULL.
 */
clq_status clq__copy(clq_context *context, cl_command_queue queue, const struct clq__view *dst,
                     const struct clq__view *src, bool build_only, cl_uint num_wait, const cl_event *wait,
                     cl_event *done);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Copying a tensor into another of its type and shape, whatever the strides of both. */
#ifndef CLQ_PLAN_COPY_H
#define CLQ_PLAN_COPY_H

#include "args/copy.h"
#include "base/view.h"
#include "runtime/launch.h"

struct clq__copy_call {
    int64_t bytes; /* above 0: both are dense, and so many bytes follow one another; else by the launch */
    struct copy_args args;
    struct clq__launch launch;
};
/* The views were checked, are alike and not empty. Points into itself: it may not move before it is enqueued. */
void clq__copy_describe(struct clq__copy_call *call, const struct clq__view *dst, const struct clq__view *src,
                        const struct clq__traits *traits);

/* The views were checked, are alike and not empty. With build_only nothing is enqueued and *done stays NULL.
 */
clq_status clq__copy(clq_context *context, cl_command_queue queue, const struct clq__view *dst,
                     const struct clq__view *src, bool build_only, cl_uint num_wait, const cl_event *wait,
                     cl_event *done);

#endif

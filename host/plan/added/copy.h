/* SPDX-License-Identifier: Apache-2.0 */
/* Copying a tensor into another of its type and shape, whatever the strides of both. */
#ifndef CLQ_PLAN_ADDED_COPY_H
#define CLQ_PLAN_ADDED_COPY_H

#include "args/copy.h"
#include "base/view.h"
#include "runtime/launch.h"

struct clq__copy {
    int64_t bytes; /* above 0: both are dense, and so many bytes follow one another; else by the launch */
    struct copy_args args;     /* of dense ones the offsets alone */
    struct clq__launch launch; /* of dense ones the buffers alone */
};

/* The views were checked, are alike and not empty. */
void clq__copy_describe(struct clq__copy *copy, const struct clq__view *dst, const struct clq__view *src,
                        const struct clq__traits *traits);

clq_status clq__copy_enqueue(const struct clq__copy *copy, clq_context *context, cl_command_queue queue,
                             cl_uint num_wait, const cl_event *wait, cl_event *done);
clq_status clq__copy_build(const struct clq__copy *copy, clq_context *context);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The public functions of every operator, but for its name and the type of its descriptor. `names` is what
 * the function calls its tensors. */
#ifndef CLQ_PLAN_OPERATOR_H
#define CLQ_PLAN_OPERATOR_H

#include "plan/plan.h"

clq_status clq__operator_run(clq_context *context, cl_command_queue queue, const struct clq__operator *op,
                             const struct clq__names *names, const void *desc, cl_uint num_wait,
                             const cl_event *wait, cl_event *done);

/* Two calls of an operator, the second behind the first. All that may be refused or fail to build does so
 * before the first command. */
struct clq__call {
    const struct clq__names *names;
    const void *desc;
};
clq_status clq__operator_run_both(clq_context *context, cl_command_queue queue,
                                  const struct clq__operator *op, const struct clq__call calls[2],
                                  cl_uint num_wait, const cl_event *wait, cl_event *done);

clq_status clq__operator_build(clq_context *context, const struct clq__operator *op,
                               const struct clq__names *names, const void *desc);

/* Every rule but those of buffers. */
clq_status clq__operator_check(const struct clq__operator *op, const struct clq__names *names,
                               const void *desc);

/* The bytes of workspace that the call needs, whatever workspace the descriptor names. */
clq_status clq__operator_workspace(clq_context *context, const struct clq__operator *op,
                                   const struct clq__names *names, const void *desc, size_t *size_bytes);

/* Reads the indices back. Blocks. */
clq_status clq__operator_check_indices(clq_context *context, cl_command_queue queue,
                                       const struct clq__operator *op, const struct clq__names *names,
                                       const void *desc, cl_uint num_wait, const cl_event *wait);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Variants and their kernels: built once a context, taken and given back for each call. */
#ifndef CLQ_RUNTIME_PROGRAM_H
#define CLQ_RUNTIME_PROGRAM_H

#include "base/variant.h"
#include "runtime/context.h"

struct clq__program;

/* A kernel of the variant that nobody else uses until it is given back: setting arguments is the one thing in
 * OpenCL that is not thread-safe. Builds the variant where this is its first use. */
clq_status clq__kernel_take(clq_context *context, const struct clq__variant *variant,
                            struct clq__program **program, cl_kernel *kernel);
void clq__kernel_give(clq_context *context, struct clq__program *program, cl_kernel kernel);

/* Refuses groups that its kernel does not take. */
clq_status clq__program_takes(const struct clq__program *program, size_t local);

/* Whether the binary is still to be kept. */
bool clq__program_is_new(struct clq__program *program);

/* Keeps the binary, once: called after a first run, when it holds the driver's specialization for the local
 * size as well. Does nothing the other times. */
void clq__program_keep(clq_context *context, struct clq__program *program);

/* Releases every program and kernel of the context. */
void clq__programs_clear(clq_context *context);

#endif

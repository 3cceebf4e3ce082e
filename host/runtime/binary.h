/* SPDX-License-Identifier: Apache-2.0 */
/* Binaries that the caller adds (clq_context_add_binary). */
#ifndef CLQ_RUNTIME_BINARY_H
#define CLQ_RUNTIME_BINARY_H

#include "runtime/context.h"
#include "runtime/export.h"

/* The program with this kernel, which the context holds; NULL where no binary has it.
 * The caller holds context->building. */
cl_program clq__binary_find(const clq_context *context, const char *kernel);

void clq__binaries_clear(clq_context *context);

#endif

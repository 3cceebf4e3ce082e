/* SPDX-License-Identifier: Apache-2.0 */
/* The file that variants are recorded in (CLQ_RECORD). */
#ifndef CLQ_RUNTIME_RECORDING_H
#define CLQ_RUNTIME_RECORDING_H

#include "runtime/context.h"

/* Opens what CLQ_RECORD names, for appending; nothing where it is unset or empty. */
clq_status clq__recording_open(clq_context *context);
/* Appends the variant, in a line of its own. The caller holds context->building. */
void clq__recording_add(clq_context *context, const struct clq__variant *variant);
void clq__recording_close(clq_context *context);

#endif

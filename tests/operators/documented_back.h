/* SPDX-License-Identifier: Apache-2.0 */
/* The documented call npu_anti_quant, as a row of documented_calls has it: of clq_dequantize's descriptor,
 * and without a context checked alone. */
#ifndef CLQUANT_OPERATORS_DOCUMENTED_BACK_H
#define CLQUANT_OPERATORS_DOCUMENTED_BACK_H

#include "call.h"

bool fit_anti(struct call *call);
clq_status npu_anti_quant(clq_context *context, cl_command_queue queue, const void *general, cl_uint num_wait,
                          const cl_event *wait, cl_event *done);
/* The offset is added, where the general operator's zero point is subtracted. */
struct reference_report reference_anti(const struct call *call);

#endif

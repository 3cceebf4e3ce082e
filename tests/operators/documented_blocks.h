/* SPDX-License-Identifier: Apache-2.0 */
/* The documented calls that find the scales of blocks, by clq_dynamic_quantize's descriptor. */
#ifndef CLQUANT_OPERATORS_DOCUMENTED_BLOCKS_H
#define CLQUANT_OPERATORS_DOCUMENTED_BLOCKS_H

#include "call.h"

bool fit_mx(struct call *call);
/* The call, or its check where there is no context. */
clq_status npu_dynamic_mx_quant(clq_context *context, cl_command_queue queue, const void *general,
                                cl_uint num_wait, const cl_event *wait, cl_event *done);

bool fit_block(struct call *call);
clq_status npu_dynamic_block_quant(clq_context *context, cl_command_queue queue, const void *general,
                                   cl_uint num_wait, const cl_event *wait, cl_event *done);
struct reference_report reference_block(const struct call *call);

#endif

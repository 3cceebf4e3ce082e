/* SPDX-License-Identifier: Apache-2.0 */
#include "documented_back.h"

#include <clquant/npu.h>

enum { Q, SCALES, ZERO_POINTS, OFFSETS, INDICES, GROUP_INDEX, GLOBAL_SCALE, Y };

static bool is_given(const struct call *call, int t)
{
    return call->tensors[t].name != NULL;
}

/* Of all q, by the last axis, from a type that the documents have. */
bool fit_anti(struct call *call)
{
    struct clq_dequantize_desc *desc = (void *)call->desc;
    const struct tensor *q = &call->tensors[Q], *scales = &call->tensors[SCALES],
                        *zero_points = &call->tensors[ZERO_POINTS];
    const unsigned whole = TYPE_SET(I8) | TYPE_SET(E4M3) | TYPE_SET(E5M2);
    const int last = q->dl.ndim - 1;

    desc->out_of_range = CLQ_DROP;
    return desc->mode == CLQ_DEQUANTIZE_DIVIDE && !is_given(call, INDICES) && !is_given(call, GROUP_INDEX) &&
           desc->block == 0 && scales->dl.ndim == 1 &&
           ((whole >> q->type & 1) || (q->type == REFERENCE_I4 && q->dl.dtype.lanes == 8)) &&
           (!is_given(call, ZERO_POINTS) || (zero_points->dl.ndim == 1 && zero_points->type == scales->type &&
                                             zero_points->shape[0] == scales->shape[0])) &&
           (scales->shape[0] == 1 || call_dimension(call, Q, desc->axis, -1) == last);
}

clq_status npu_anti_quant(clq_context *context, cl_command_queue queue, const void *general, cl_uint num_wait,
                          const cl_event *wait, cl_event *done)
{
    const struct clq_dequantize_desc *desc = general;
    const DLDataType dtype = desc->q->dtype;
    const enum clq_npu_dtype type = dtype.code == CLQ_CODE_FLOAT8_E5M2     ? CLQ_NPU_FLOAT8_E5M2
                                    : dtype.code == CLQ_CODE_FLOAT8_E4M3FN ? CLQ_NPU_FLOAT8_E4M3FN
                                    : dtype.bits == 4                      ? CLQ_NPU_QUINT4X2
                                                                           : (enum clq_npu_dtype)0;

    if (context == NULL)
        return clq_npu_anti_quant_check(desc->q, desc->scales, desc->zero_points, type, desc->y);
    return clq_npu_anti_quant(context, queue, desc->q, desc->scales, desc->zero_points, type, desc->y,
                              num_wait, wait, done);
}

struct reference_report reference_anti(const struct call *call)
{
    struct reference_tensor as[4];

    reference_npu_anti_quant(
        &(struct reference_npu_anti_quant_desc){.x = call_reference(call, Q, &as[0]),
                                                .scale = call_reference(call, SCALES, &as[1]),
                                                .offset = call_reference(call, ZERO_POINTS, &as[2]),
                                                .output = call_reference(call, Y, &as[3])});
    return (struct reference_report){0};
}

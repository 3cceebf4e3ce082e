/* The calls as Ascend's documents name them, argument for argument, over the general operators.
 *
 * Relaxed against the documents: every type of the general operator, on every device. Kept: names, order,
 * defaults, and the rules below. C has no default arguments: what the documents default to is in each
 * comment. */
#ifndef CLQUANT_NPU_H
#define CLQUANT_NPU_H

#include <clquant/tensor.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The documents' dtype names; qint32 is int32. */
enum clq_npu_dtype {
    CLQ_NPU_QINT8 = 1,
    CLQ_NPU_QUINT8 = 2,
    CLQ_NPU_INT32 = 3,
    CLQ_NPU_QUINT4X2 = 4,
};

/* npu_quantize(input, scales, zero_points, dtype, axis=1, div_mode=True) -> output
 *
 *   div_mode  output = sat(rint(input / scales + zero_points)), dtype qint8, quint8 or int32
 *   else      output = sat(rint(input * scales + zero_points)), dtype qint8 or quint4x2
 *
 * axis      div_mode: any axis of input, not used with one scale. Else: -2 is the second-to-last axis, and
 * anything from -1 up is the last (so the default 1 is the last); below -2, or at or past the rank, is an
 * error. scales    div_mode: 1-D. Else: 1-D, or of input's rank with every other dimension 1. One element or
 * one per index. zero_points  NULL for none. div_mode: 1-D with as many elements as scales, any type of
 * clq_quantize. Else: shape and type of scales. output    int8, uint8 or int32 of input's shape. quint4x2:
 * int32 words, (kDLInt, 32, 1) or (kDLInt, 4, 8), input's shape with an eighth of the last dimension, which 8
 * must divide. Formula, rounding, layouts, events and threads: clquant/quantize.h. */
CLQ_API clq_status clq_npu_quantize(clq_context *context, cl_command_queue queue, const DLTensor *input,
                                    const DLTensor *scales, const DLTensor *zero_points,
                                    enum clq_npu_dtype dtype, int axis, bool div_mode, const DLTensor *output,
                                    cl_uint num_wait, const cl_event *wait, cl_event *done);

#ifdef __cplusplus
}
#endif
#endif

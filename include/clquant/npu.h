/* SPDX-License-Identifier: Apache-2.0 */
/* The calls as Ascend's documents name them, argument for argument, over the general operators.
 *
 * Relaxed against the documents: every type of the general operator, on every device. Kept: names, order,
 * defaults, and the rules below. C has no default arguments: what they default to is in each comment.
 *
 * Each has a _check, which takes the call's tensors and options and checks them without a device: data may be
 * NULL. */
#ifndef CLQUANT_NPU_H
#define CLQUANT_NPU_H

#include <clquant/npu_dynamic.h>
#include <clquant/npu_moves.h>
#include <clquant/npu_types.h>
#include <clquant/tensor.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* npu_quantize(input, scales, zero_points, dtype, axis=1, div_mode=True) -> output
 *
 *   div_mode  output = sat(rint(input / scales + zero_points)), dtype qint8, quint8, int32 or float8
 *   else      output = sat(rint(input * scales + zero_points)), dtype qint8, quint4x2 or float8
 *
 * axis         div_mode: any axis of input, not used with one scale. Else: -2 is the second-to-last axis,
 *              and anything from -1 up is the last (so the default 1 is the last); below -2, at or past the
 *              rank, or -2 where input has one dimension, is an error.
 * scales       div_mode: 1-D. Else: 1-D, or of input's rank with every other dimension 1. One element or one
 *              per index.
 * zero_points  NULL for none. div_mode: 1-D with as many elements as scales, any type of clq_quantize. Else:
 *              shape and type of scales.
 * output       int8, uint8, int32 or float8 of input's shape. quint4x2: int32 words, (kDLInt, 32, 1) or
 *              (kDLInt, 4, 8), input's shape with an eighth of the last dimension, which 8 must divide.
 * Formula, rounding, layouts, events and threads: clquant/quantize.h. */
CLQ_API clq_status clq_npu_quantize(clq_context *context, cl_command_queue queue, const DLTensor *input,
                                    const DLTensor *scales, const DLTensor *zero_points,
                                    enum clq_npu_dtype dtype, int axis, bool div_mode, const DLTensor *output,
                                    cl_uint num_wait, const cl_event *wait, cl_event *done);
CLQ_API clq_status clq_npu_quantize_check(const DLTensor *input, const DLTensor *scales,
                                          const DLTensor *zero_points, enum clq_npu_dtype dtype, int axis,
                                          bool div_mode, const DLTensor *output);

/* npu_group_quant(x, scale, group_index, *, offset=None, dst_dtype=None) -> y
 *
 *   y[r, :] = sat(rint(x[r, :] * scale[g(r), :] + offset))
 *
 * x         [S, H]. scale [E, H], E at least 1. group_index [E], int32 or int64: the end row of each group.
 * offset    NULL for none: one number of scale's type.
 * dst_dtype CLQ_NPU_QINT8 (the documents' default, also written int8) or CLQ_NPU_QUINT4X2.
 * y         int8 of x's shape; quint4x2: int32 words as for npu_quantize.
 * The effect of a wrong group_index, layouts, events and threads: clquant/group_quantize.h. */
CLQ_API clq_status clq_npu_group_quant(clq_context *context, cl_command_queue queue, const DLTensor *x,
                                       const DLTensor *scale, const DLTensor *group_index,
                                       const DLTensor *offset, enum clq_npu_dtype dst_dtype,
                                       const DLTensor *y, cl_uint num_wait, const cl_event *wait,
                                       cl_event *done);
CLQ_API clq_status clq_npu_group_quant_check(const DLTensor *x, const DLTensor *scale,
                                             const DLTensor *group_index, const DLTensor *offset,
                                             enum clq_npu_dtype dst_dtype, const DLTensor *y);

/* npu_quant_scatter(input, indices, updates, quant_scales, quant_zero_points=None, axis=-2, quant_axis=-1,
 *                   reduce='update', dst_type=None, round_mode='rint') -> output
 * npu_quant_scatter_(self, ...)  the same, in place
 *
 *   output = input, and then for each i, with b, s = indices[i] or (i, indices[i])
 *   output[b, .., s : s+U on axis, .., :] = sat(rint(updates[i] / quant_scales + quant_zero_points)),
 *                                           for float8 the sum rounded to the type
 *
 * input       of dst_type, rank 3 to 8; output and self too. updates as input, its first dimension N at most
 *             input's.
 * indices     [N] or [N, 2], int32 or int64. One out of range drops its entry; where entries overlap the
 *             last wins. clq_quantize_scatter is the same call with a report of what was dropped, and with
 *             other policies.
 * axis        neither the first nor the last. (The shipped default; the documents' 0 was always an error.)
 * quant_axis  the last dimension. (The shipped default; the documents' 1 was always an error.)
 * quant_scales, quant_zero_points  one per index of the last axis, of any shape.
 * reduce      "update".
 * dst_type    0 (None) or CLQ_NPU_QINT8: int8; CLQ_NPU_FLOAT8_E5M2 or CLQ_NPU_FLOAT8_E4M3FN.
 * round_mode  "rint", or NULL for it.
 * Relaxed against the documents: every type of clq_quantize_scatter, and a last dimension of any size. */
CLQ_API clq_status clq_npu_quant_scatter(clq_context *context, cl_command_queue queue, const DLTensor *input,
                                         const DLTensor *indices, const DLTensor *updates,
                                         const DLTensor *quant_scales, const DLTensor *quant_zero_points,
                                         int axis, int quant_axis, const char *reduce,
                                         enum clq_npu_dtype dst_type, const char *round_mode,
                                         const DLTensor *output, cl_uint num_wait, const cl_event *wait,
                                         cl_event *done);
CLQ_API clq_status clq_npu_quant_scatter_(clq_context *context, cl_command_queue queue, const DLTensor *self,
                                          const DLTensor *indices, const DLTensor *updates,
                                          const DLTensor *quant_scales, const DLTensor *quant_zero_points,
                                          int axis, int quant_axis, const char *reduce,
                                          enum clq_npu_dtype dst_type, const char *round_mode,
                                          cl_uint num_wait, const cl_event *wait, cl_event *done);
/* output NULL: clq_npu_quant_scatter_, whose self is input. */
CLQ_API clq_status clq_npu_quant_scatter_check(const DLTensor *input, const DLTensor *indices,
                                               const DLTensor *updates, const DLTensor *quant_scales,
                                               const DLTensor *quant_zero_points, int axis, int quant_axis,
                                               const char *reduce, enum clq_npu_dtype dst_type,
                                               const char *round_mode, const DLTensor *output);

/* npu_anti_quant(x, scale, *, offset=None, dst_dtype=float16, src_dtype=None) -> output
 *
 *   output = (x + offset) * scale, rounded once more to output's type, which is dst_dtype
 *
 * x             int8; int4 in int32 words, (kDLInt, 32, 1) or (kDLInt, 4, 8); float8_e5m2 or float8_e4m3fn.
 * scale         1-D: one element or one per index of the last axis. offset: NULL for none, or of scale's
 *               shape and type.
 * src_dtype     0 (None), or what x is: CLQ_NPU_QINT8, CLQ_NPU_QUINT4X2, CLQ_NPU_FLOAT8_E5M2 or
 *               CLQ_NPU_FLOAT8_E4M3FN.
 * output        float16, bfloat16 or float32 of x's shape, of words eight times its last dimension.
 * Formula, rounding, layouts, events and threads: clquant/dequantize.h, CLQ_DEQUANTIZE_DIVIDE; but for the
 * offset, which is added. */
CLQ_API clq_status clq_npu_anti_quant(clq_context *context, cl_command_queue queue, const DLTensor *x,
                                      const DLTensor *scale, const DLTensor *offset,
                                      enum clq_npu_dtype src_dtype, const DLTensor *output, cl_uint num_wait,
                                      const cl_event *wait, cl_event *done);
CLQ_API clq_status clq_npu_anti_quant_check(const DLTensor *x, const DLTensor *scale, const DLTensor *offset,
                                            enum clq_npu_dtype src_dtype, const DLTensor *output);

#ifdef __cplusplus
}
#endif
#endif

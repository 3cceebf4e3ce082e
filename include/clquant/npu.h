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

#include <clquant/npu_moves.h>
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
    CLQ_NPU_FLOAT8_E5M2 = 5,
    CLQ_NPU_FLOAT8_E4M3FN = 6,
};

/* npu_quantize(input, scales, zero_points, dtype, axis=1, div_mode=True) -> output
 *
 *   div_mode  output = sat(rint(input / scales + zero_points)), dtype qint8, quint8 or int32
 *   else      output = sat(rint(input * scales + zero_points)), dtype qint8 or quint4x2
 *
 * axis         div_mode: any axis of input, not used with one scale. Else: -2 is the second-to-last axis,
 *              and anything from -1 up is the last (so the default 1 is the last); below -2, at or past the
 *              rank, or -2 where input has one dimension, is an error.
 * scales       div_mode: 1-D. Else: 1-D, or of input's rank with every other dimension 1. One element or one
 *              per index.
 * zero_points  NULL for none. div_mode: 1-D with as many elements as scales, any type of clq_quantize. Else:
 *              shape and type of scales.
 * output       int8, uint8 or int32 of input's shape. quint4x2: int32 words, (kDLInt, 32, 1) or (kDLInt, 4,
 *              8), input's shape with an eighth of the last dimension, which 8 must divide.
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
 * What a wrong group_index does, layouts, events and threads: clquant/group_quantize.h. */
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

/* npu_dynamic_quant(x, *, smooth_scales=None, group_index=None, dst_type=None, quant_mode="pertoken",
 *                   dst_type_max=0.0) -> (y, scale)
 *
 *   scale = max(amax / top, 1e-12)
 *   y = sat(rint(x * (1 / scale))), for float8 the product rounded to the type
 *
 * npu_dynamic_quant_asymmetric(x, *, smooth_scales=None, group_index=None, dst_type=None,
 *                              quant_mode="pertoken") -> (y, scale, offset)
 *
 *   scale = max((mx - mn) / (highest - lowest), 1e-12)    offset = highest - mx / scale
 *   y = sat(rint(x * (1 / scale) + offset))
 *
 * This offset is what is added to x / scale: that of clq_dynamic_quantize with its sign flipped. A row [0,
 * 15] in int4 has scale 1 and offset -8 here, and 8 there. So x = (y - offset) * scale: CLQ_DEQUANTIZE_DIVIDE
 * with offset as zero_points.
 *
 * x             float16, bfloat16 or float32, rank 1 to 8.
 * smooth_scales NULL for none: one per index of the last axis, "perchannel" of the second-to-last; multiply
 *               x first. With group_index [E, H].
 * group_index   NULL for none: [E], int32 or int64, the end row of each group. x is seen as [S, H], and row
 *               r has the smooth scales of its group; rows of no group keep their bytes. quant_mode is
 *               "pertoken" then. Tensors of more than two dimensions must be dense.
 * dst_type      0 (None) or CLQ_NPU_QINT8: int8; CLQ_NPU_QUINT4X2: int32 words, as for npu_quantize; and
 *               symmetric CLQ_NPU_FLOAT8_E5M2 or CLQ_NPU_FLOAT8_E4M3FN.
 * quant_mode    "pertoken" or NULL, "perchannel" or "pertensor": scale and offset, float32, have x's shape
 *               without its last dimension, x's shape without its second-to-last, or one element.
 * dst_type_max  above 0 it takes the place of top, the largest value of y's type; y saturates at the type's
 *               range.
 * Formula, rounding, layouts, events and threads: clquant/dynamic_quantize.h. */
CLQ_API clq_status clq_npu_dynamic_quant(clq_context *context, cl_command_queue queue, const DLTensor *x,
                                         const DLTensor *smooth_scales, const DLTensor *group_index,
                                         enum clq_npu_dtype dst_type, const char *quant_mode,
                                         float dst_type_max, const DLTensor *y, const DLTensor *scale,
                                         cl_uint num_wait, const cl_event *wait, cl_event *done);
CLQ_API clq_status clq_npu_dynamic_quant_check(const DLTensor *x, const DLTensor *smooth_scales,
                                               const DLTensor *group_index, enum clq_npu_dtype dst_type,
                                               const char *quant_mode, float dst_type_max, const DLTensor *y,
                                               const DLTensor *scale);
CLQ_API clq_status clq_npu_dynamic_quant_asymmetric(clq_context *context, cl_command_queue queue,
                                                    const DLTensor *x, const DLTensor *smooth_scales,
                                                    const DLTensor *group_index, enum clq_npu_dtype dst_type,
                                                    const char *quant_mode, const DLTensor *y,
                                                    const DLTensor *scale, const DLTensor *offset,
                                                    cl_uint num_wait, const cl_event *wait, cl_event *done);
CLQ_API clq_status clq_npu_dynamic_quant_asymmetric_check(const DLTensor *x, const DLTensor *smooth_scales,
                                                          const DLTensor *group_index,
                                                          enum clq_npu_dtype dst_type, const char *quant_mode,
                                                          const DLTensor *y, const DLTensor *scale,
                                                          const DLTensor *offset);

/* DynamicQuantUpdateScatterV2(x, indices, var, var_scale, var_offset), in place
 *
 *   of each row x[i, 0, :], in int4:
 *   scale = max((mx - mn) / 15, 1e-12)    off = 7 - mx / scale
 *   var[i, s, 0, :] = sat(rint(x[i, 0, :] * (1 / scale) + off)), var_scale[i, s] = scale,
 *   var_offset[i, s] = -off, with s = indices[i]
 *
 * x           [B, 1, H], H even: float16, bfloat16 or float32.
 * indices     [B], int32 or int64. One outside [0, S) drops its row; clq_dynamic_quantize_scatter does
 *             the same with a report of it, its tensors with all dimensions of the cache.
 * var         int4 [B, S, 1, H], in any view of tensor.h, int32 words, (kDLInt, 32, 1), or uint8 bytes.
 * var_scale, var_offset  float32 [B, S] or [B, S, 1].
 * Formula, layouts, events and threads: clquant/dynamic_quantize_scatter.h. */
CLQ_API clq_status clq_dynamic_quant_update_scatter_v2(clq_context *context, cl_command_queue queue,
                                                       const DLTensor *x, const DLTensor *indices,
                                                       const DLTensor *var, const DLTensor *var_scale,
                                                       const DLTensor *var_offset, cl_uint num_wait,
                                                       const cl_event *wait, cl_event *done);
CLQ_API clq_status clq_dynamic_quant_update_scatter_v2_check(const DLTensor *x, const DLTensor *indices,
                                                             const DLTensor *var, const DLTensor *var_scale,
                                                             const DLTensor *var_offset);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The documented calls that find their scales; clquant/npu.h has the others, and says what is kept and
 * relaxed. */
#ifndef CLQUANT_NPU_DYNAMIC_H
#define CLQUANT_NPU_DYNAMIC_H

#include <clquant/npu_types.h>
#include <clquant/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

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
 * 15] in int4 has scale 1 and offset -8 here, and 8 there. Thus x = (y - offset) * scale:
 * CLQ_DEQUANTIZE_DIVIDE with offset as zero_points.
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

/* npu_dynamic_mx_quant(input, *, axis=-1, round_mode="rint", dst_type, block_size=32, scale_alg=0,
 *                      dst_type_max=0.0, max_low_bound=0.0) -> (y, mxscale)
 *
 *   of each block of block_size indices of axis, by CLQ_MX_FLOOR or CLQ_MX_RCEIL:
 *   mxscale = a power of two from the largest magnitude    y = input / mxscale, rounded to the type
 *
 * input         float16, bfloat16 or float32, rank 1 to 7.
 * axis          any axis of input. block_size: from 1 on; of float4 along the last axis even.
 * round_mode    "rint", or NULL for it.
 * dst_type      CLQ_NPU_FLOAT8_E5M2, CLQ_NPU_FLOAT8_E4M3FN or CLQ_NPU_FLOAT4_E2M1FN.
 * scale_alg     0: CLQ_MX_FLOOR, the rule of OCP; 1: CLQ_MX_RCEIL.
 * dst_type_max, max_low_bound  0.
 * y             of dst_type and input's shape. float4: two in a byte, also a tensor of uint8, (kDLUInt, 8,
 *               1), with half the last dimension.
 * mxscale       float8_e8m0fnu, also as uint8: input's shape with ceil(n / 2) on axis, of n blocks, and a
 *               dimension of 2 behind the last one. Block b has its scale at [.., b / 2, .., b mod 2]; where
 *               n is odd the last pair is filled with a byte 0.
 * Formula, rounding, layouts, events and threads: clquant/dynamic_quantize.h. */
CLQ_API clq_status clq_npu_dynamic_mx_quant(clq_context *context, cl_command_queue queue,
                                            const DLTensor *input, int axis, const char *round_mode,
                                            enum clq_npu_dtype dst_type, int64_t block_size, int scale_alg,
                                            float dst_type_max, float max_low_bound, const DLTensor *y,
                                            const DLTensor *mxscale, cl_uint num_wait, const cl_event *wait,
                                            cl_event *done);
CLQ_API clq_status clq_npu_dynamic_mx_quant_check(const DLTensor *input, int axis, const char *round_mode,
                                                  enum clq_npu_dtype dst_type, int64_t block_size,
                                                  int scale_alg, float dst_type_max, float max_low_bound,
                                                  const DLTensor *y, const DLTensor *mxscale);

/* npu_dynamic_block_quant(x, *, min_scale=0.0, round_mode="rint", dst_type=1, row_block_size=1,
 *                         col_block_size=128) -> (y, scale)
 *
 *   of each block of row_block_size by col_block_size, amax the largest finite magnitude in it, at least 0:
 *   scale = amax / top, and with min_scale above 0 at most 1 / min_scale
 *   y = sat(rint(x / scale)), for float8 the quotient rounded to the type; 0 / 0 is 0
 *
 * x, y        x float16, bfloat16 or float32, rank 1 to 8; y of dst_type and x's shape.
 * scale       float32: x's shape with ceil(size / col_block_size) on the last dimension, and ceil(size /
 *             row_block_size) on the one before it. Blocks at the ends may be smaller.
 * min_scale   0, or a finite number above 0. round_mode: "rint", or NULL for it.
 * dst_type    CLQ_NPU_QINT8 (top 127), CLQ_NPU_FLOAT8_E5M2 (57344) or CLQ_NPU_FLOAT8_E4M3FN (448).
 * If scale is 0, infinities go to the ends of the range; of float8 a block whose scale rounds to 0 is
 * divided by 2^-149. Layouts, events and threads: clquant/dynamic_quantize.h. */
CLQ_API clq_status clq_npu_dynamic_block_quant(clq_context *context, cl_command_queue queue,
                                               const DLTensor *x, float min_scale, const char *round_mode,
                                               enum clq_npu_dtype dst_type, int64_t row_block_size,
                                               int64_t col_block_size, const DLTensor *y,
                                               const DLTensor *scale, cl_uint num_wait, const cl_event *wait,
                                               cl_event *done);
CLQ_API clq_status clq_npu_dynamic_block_quant_check(const DLTensor *x, float min_scale,
                                                     const char *round_mode, enum clq_npu_dtype dst_type,
                                                     int64_t row_block_size, int64_t col_block_size,
                                                     const DLTensor *y, const DLTensor *scale);

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

/* SPDX-License-Identifier: Apache-2.0 */
#include "documented_blocks.h"

#include "rows.h"

#include <clquant/npu.h>

enum { X, SMOOTH_SCALES, Y, SCALES, OFFSETS, GROUP_INDEX };

/* By one of its two rules, of types and strides that it takes. Blocks are an even number: the byte that fills
 * a pair is none of the general operator's (ops.npu_dynamic_blocks, and Python's tests). */
bool fit_mx(struct call *call)
{
    struct clq_dynamic_quantize_desc *desc = (void *)call->desc;
    const struct tensor *y = &call->tensors[Y];
    const int at = call_dimension(call, X, desc->axis, -1);
    const int64_t size = call->tensors[X].shape[at];

    if (desc->scale_rule != CLQ_MX_FLOOR && desc->scale_rule != CLQ_MX_RCEIL)
        return false;
    desc->block = rows_block_of(desc->scale_rule, desc->block);
    return desc->rotate == 0 && y->dl.ndim < 8 && (y->dl.dtype.bits == 8 || y->dl.dtype.lanes <= 2) &&
           (size + desc->block - 1) / desc->block % 2 == 0;
}

static DLTensor as_bytes(const DLTensor *tensor, bool bytes)
{
    DLTensor as = *tensor;

    if (bytes)
        as.dtype = CLQ_UINT8;
    return as;
}

clq_status npu_dynamic_mx_quant(clq_context *context, cl_command_queue queue, const void *general,
                                cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    const struct clq_dynamic_quantize_desc *desc = general;
    const int rank = desc->x->ndim,
              axis = desc->axis == CLQ_AXIS_FIRST ? 0
                     : desc->axis == 0            ? -1
                                                  : desc->axis,
              at = axis < 0 ? axis + rank : axis, rule = desc->scale_rule == CLQ_MX_RCEIL;
    const enum clq_npu_dtype type = desc->y->dtype.code == CLQ_CODE_FLOAT8_E5M2     ? CLQ_NPU_FLOAT8_E5M2
                                    : desc->y->dtype.code == CLQ_CODE_FLOAT8_E4M3FN ? CLQ_NPU_FLOAT8_E4M3FN
                                                                                    : CLQ_NPU_FLOAT4_E2M1FN;
    const bool bytes = axis < 0;
    const DLTensor y = as_bytes(desc->y, bytes && desc->y->dtype.lanes == 2);
    DLTensor pairs = as_bytes(desc->scales, bytes);
    int64_t shape[9], strides[9], step = 1;

    /* the same bytes, two and two */
    for (int d = rank - 1; d >= 0; d--) {
        shape[d] = pairs.shape[d] / (d == at ? 2 : 1);
        strides[d] = (pairs.strides != NULL ? pairs.strides[d] : step) * (d == at ? 2 : 1);
        step *= pairs.shape[d];
    }
    shape[rank] = 2;
    strides[rank] = strides[at] / 2;
    pairs.ndim = rank + 1;
    pairs.shape = shape;
    pairs.strides = strides;
    if (context == NULL)
        return clq_npu_dynamic_mx_quant_check(desc->x, axis, NULL, type, desc->block, rule, 0.0f, 0.0f, &y,
                                              &pairs);
    return clq_npu_dynamic_mx_quant(context, queue, desc->x, axis, "rint", type, desc->block, rule, 0.0f,
                                    0.0f, &y, &pairs, num_wait, wait, done);
}

/* type_max stands for min_scale. */
bool fit_block(struct call *call)
{
    struct clq_dynamic_quantize_desc *desc = (void *)call->desc;
    const unsigned types = TYPE_SET(I8) | TYPE_SET(E4M3) | TYPE_SET(E5M2);
    const int last = call->tensors[X].dl.ndim - 1;

    return desc->symmetric && desc->rotate == 0 && desc->block > 0 && (types >> call->tensors[Y].type & 1) &&
           call_dimension(call, X, desc->axis, -1) == last && call->tensors[GROUP_INDEX].name == NULL &&
           call->tensors[SCALES].type == REFERENCE_F32;
}

clq_status npu_dynamic_block_quant(clq_context *context, cl_command_queue queue, const void *general,
                                   cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    const struct clq_dynamic_quantize_desc *desc = general;
    const int64_t rows = desc->block_before > 0 ? desc->block_before : 1;
    const enum clq_npu_dtype type = desc->y->dtype.code == CLQ_CODE_FLOAT8_E5M2     ? CLQ_NPU_FLOAT8_E5M2
                                    : desc->y->dtype.code == CLQ_CODE_FLOAT8_E4M3FN ? CLQ_NPU_FLOAT8_E4M3FN
                                                                                    : CLQ_NPU_QINT8;

    if (context == NULL)
        return clq_npu_dynamic_block_quant_check(desc->x, desc->type_max, "rint", type, rows, desc->block,
                                                 desc->y, desc->scales);
    return clq_npu_dynamic_block_quant(context, queue, desc->x, desc->type_max, NULL, type, rows, desc->block,
                                       desc->y, desc->scales, num_wait, wait, done);
}

struct reference_report reference_block(const struct call *call)
{
    const struct clq_dynamic_quantize_desc *desc = (const void *)call->desc;
    struct reference_tensor as[3];

    reference_npu_dynamic_block_quant(&(struct reference_npu_dynamic_block_quant_desc){
        .x = call_reference(call, X, &as[0]),
        .y = call_reference(call, Y, &as[1]),
        .scale = call_reference(call, SCALES, &as[2]),
        .rows = desc->block_before > 0 ? desc->block_before : 1,
        .columns = desc->block,
        .min_scale = desc->type_max,
    });
    return (struct reference_report){0};
}

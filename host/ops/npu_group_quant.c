/* SPDX-License-Identifier: Apache-2.0 */
/* clq_npu_group_quant: the documented call, its rules, over group quantization. */
#include <clquant/npu.h>

#include "base/dtype.h"
#include "base/error.h"
#include "ops/npu_words.h"
#include "ops/operators.h"

#include <clquant/group_quantize.h>

static const struct clq__names names = {"x", "y", "scale", "offset", false, false};

static clq_status check_output(const DLTensor *x, const DLTensor *y, bool words, DLTensor *as)
{
    clq_status status = CLQ_OK;
    char is[CLQ__DTYPE_TEXT];

    *as = words ? clq__npu_words(y) : *y;
    CLQ_REQUIRE(clq__same_dtype(as->dtype, words ? CLQ_INT4_WORDS : CLQ_INT8), CLQ_ERROR_TYPE,
                "y.dtype is %s: for dst_dtype %s it must be %s", clq__dtype_text(y->dtype, is, sizeof is),
                words ? "quint4x2" : "int8",
                words ? "int32 words, (kDLInt, 32, 1) or (kDLInt, 4, 8)" : "int8");
    CLQ_REQUIRE(!words || x->ndim != 2 || x->shape == NULL || x->shape[1] % 8 == 0, CLQ_ERROR_SHAPE,
                "x.shape[1] is %lld: for dst_dtype quint4x2 the last dimension must be divisible by 8",
                (long long)x->shape[1]);
end:
    return status;
}

/* as takes the place of y. */
static clq_status general_of(const DLTensor *x, const DLTensor *scale, const DLTensor *group_index,
                             const DLTensor *offset, enum clq_npu_dtype dst_dtype, const DLTensor *y,
                             DLTensor *as, struct clq_group_quantize_desc *general)
{
    clq_status status = CLQ_OK;
    char is[CLQ__DTYPE_TEXT], wanted[CLQ__DTYPE_TEXT];

    CLQ_REQUIRE(x != NULL, CLQ_ERROR_NULL, "x is NULL: it must be a tensor");
    CLQ_REQUIRE(scale != NULL, CLQ_ERROR_NULL, "scale is NULL: it must be a tensor");
    CLQ_REQUIRE(y != NULL, CLQ_ERROR_NULL, "y is NULL: it must be a tensor");
    CLQ_REQUIRE(dst_dtype == CLQ_NPU_QINT8 || dst_dtype == CLQ_NPU_QUINT4X2, CLQ_ERROR_VALUE,
                "dst_dtype is %d: it must be CLQ_NPU_QINT8 (1) or CLQ_NPU_QUINT4X2 (4)", (int)dst_dtype);
    CLQ_REQUIRE(offset == NULL || clq__same_dtype(offset->dtype, scale->dtype), CLQ_ERROR_TYPE,
                "offset.dtype is %s: it must be that of scale, %s",
                clq__dtype_text(offset->dtype, is, sizeof is),
                clq__dtype_text(scale->dtype, wanted, sizeof wanted));
    CLQ_TRY(check_output(x, y, dst_dtype == CLQ_NPU_QUINT4X2, as));
    *general = (struct clq_group_quantize_desc){
        .x = x, .scales = scale, .group_index = group_index, .zero_points = offset, .y = as};
end:
    return status;
}

clq_status clq_npu_group_quant(clq_context *context, cl_command_queue queue, const DLTensor *x,
                               const DLTensor *scale, const DLTensor *group_index, const DLTensor *offset,
                               enum clq_npu_dtype dst_dtype, const DLTensor *y, cl_uint num_wait,
                               const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    struct clq_group_quantize_desc general;
    DLTensor as;

    CLQ_TRY(general_of(x, scale, group_index, offset, dst_dtype, y, &as, &general));
    CLQ_TRY(clq__operator_run(context, queue, &clq__group_quantize, &names, &general, num_wait, wait, done));
end:
    return status;
}

clq_status clq_npu_group_quant_check(const DLTensor *x, const DLTensor *scale, const DLTensor *group_index,
                                     const DLTensor *offset, enum clq_npu_dtype dst_dtype, const DLTensor *y)
{
    clq_status status = CLQ_OK;
    struct clq_group_quantize_desc general;
    DLTensor as;

    CLQ_TRY(general_of(x, scale, group_index, offset, dst_dtype, y, &as, &general));
    CLQ_TRY(clq__operator_check(&clq__group_quantize, &names, &general));
end:
    return status;
}

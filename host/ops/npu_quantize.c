/* SPDX-License-Identifier: Apache-2.0 */
/* clq_npu_quantize: the documented call, its rules, over static quantization. */
#include <clquant/npu.h>

#include "base/dtype.h"
#include "base/error.h"
#include "ops/npu_words.h"
#include "ops/operators.h"

#include <clquant/quantize.h>

static const struct clq__names names = {"input", "output", "scales", "zero_points", true, false};

static const struct dtype {
    const char *name;
    enum clq__type type;
    bool divide, multiply; /* the modes that have it */
} dtypes[] = {
    [CLQ_NPU_QINT8] = {"qint8", CLQ__I8, true, true},
    [CLQ_NPU_QUINT8] = {"quint8", CLQ__U8, true, false},
    [CLQ_NPU_INT32] = {"int32", CLQ__I32, true, false},
    [CLQ_NPU_QUINT4X2] = {"quint4x2", CLQ__I4, false, true},
    [CLQ_NPU_FLOAT8_E5M2] = {"float8_e5m2", CLQ__E5M2, true, true},
    [CLQ_NPU_FLOAT8_E4M3FN] = {"float8_e4m3fn", CLQ__E4M3, true, true},
};

static clq_status check_output(const struct dtype *dtype, const DLTensor *input, const DLTensor *output,
                               DLTensor *as)
{
    clq_status status = CLQ_OK;
    const bool words = dtype->type == CLQ__I4;
    const int last = input->ndim - 1;
    char is[CLQ__DTYPE_TEXT];

    *as = words ? clq__npu_words(output) : *output;
    CLQ_REQUIRE(words ? clq__same_dtype(as->dtype, CLQ_INT4_WORDS)
                      : clq__type_of(output->dtype) == dtype->type,
                CLQ_ERROR_TYPE, "output.dtype is %s: for dtype %s it must be %s",
                clq__dtype_text(output->dtype, is, sizeof is), dtype->name,
                words ? "int32 words, (kDLInt, 32, 1) or (kDLInt, 4, 8)" : clq__type_name(dtype->type));
    CLQ_REQUIRE(!words || input->ndim > 0, CLQ_ERROR_RANK,
                "input.ndim is %d: for dtype quint4x2 it must have a last dimension", input->ndim);
    CLQ_REQUIRE(!words || last >= CLQ_MAX_RANK || input->shape == NULL || input->shape[last] % 8 == 0,
                CLQ_ERROR_SHAPE,
                "input.shape[%d] is %lld: for dtype quint4x2 the last dimension must be divisible by 8", last,
                (long long)input->shape[last]);
end:
    return status;
}

/* The axis that the general operator is told. */
static clq_status check_axis(int axis, bool div_mode, const DLTensor *input, int *general)
{
    clq_status status = CLQ_OK;

    *general = axis == 0 ? CLQ_AXIS_FIRST : axis;
    if (div_mode)
        goto end;
    CLQ_REQUIRE(axis >= -2, CLQ_ERROR_AXIS, "axis is %d: with div_mode false it must be -2 or above", axis);
    CLQ_REQUIRE(axis < input->ndim, CLQ_ERROR_AXIS,
                "axis is %d: with div_mode false it must be below the rank of input, %d", axis, input->ndim);
    CLQ_REQUIRE(axis != -2 || input->ndim >= 2, CLQ_ERROR_AXIS,
                "axis is -2: the rank of input is %d, which has no second-to-last axis", input->ndim);
    *general = axis == -2 ? -2 : -1;
end:
    return status;
}

static int64_t count_of(const DLTensor *tensor)
{
    return tensor->ndim == 1 && tensor->shape != NULL ? tensor->shape[0] : -1;
}

static clq_status check_parameters(const DLTensor *scales, const DLTensor *zero_points, bool div_mode)
{
    clq_status status = CLQ_OK;
    const int rank =
        scales->ndim <= CLQ_MAX_RANK ? scales->ndim : 0; /* refused with the rest if it is more */
    char is[CLQ__DTYPE_TEXT], wanted[CLQ__DTYPE_TEXT];

    CLQ_REQUIRE(!div_mode || scales->ndim == 1, CLQ_ERROR_RANK,
                "scales.ndim is %d: with div_mode true it must be 1", scales->ndim);
    if (zero_points == NULL)
        goto end;
    CLQ_REQUIRE(zero_points->ndim == scales->ndim, CLQ_ERROR_RANK,
                "zero_points.ndim is %d: it must be that of scales, %d", zero_points->ndim, scales->ndim);
    CLQ_REQUIRE(!div_mode || count_of(zero_points) == count_of(scales), CLQ_ERROR_SHAPE,
                "zero_points.shape[0] is %lld: it must be that of scales, %lld",
                (long long)count_of(zero_points), (long long)count_of(scales));
    CLQ_REQUIRE(div_mode || clq__same_dtype(zero_points->dtype, scales->dtype), CLQ_ERROR_TYPE,
                "zero_points.dtype is %s: with div_mode false it must be that of scales, %s",
                clq__dtype_text(zero_points->dtype, is, sizeof is),
                clq__dtype_text(scales->dtype, wanted, sizeof wanted));
    for (int d = 0; d < rank && !div_mode && scales->shape != NULL && zero_points->shape != NULL; d++)
        CLQ_REQUIRE(zero_points->shape[d] == scales->shape[d], CLQ_ERROR_SHAPE,
                    "zero_points.shape[%d] is %lld: it must be that of scales, %lld", d,
                    (long long)zero_points->shape[d], (long long)scales->shape[d]);
end:
    return status;
}

/* as takes the place of output. */
static clq_status general_of(const DLTensor *input, const DLTensor *scales, const DLTensor *zero_points,
                             enum clq_npu_dtype dtype, int axis, bool div_mode, const DLTensor *output,
                             DLTensor *as, struct clq_quantize_desc *general)
{
    clq_status status = CLQ_OK;
    const unsigned number = (unsigned)dtype;
    int general_axis;

    CLQ_REQUIRE(input != NULL, CLQ_ERROR_NULL, "input is NULL: it must be a tensor");
    CLQ_REQUIRE(scales != NULL, CLQ_ERROR_NULL, "scales is NULL: it must be a tensor");
    CLQ_REQUIRE(output != NULL, CLQ_ERROR_NULL, "output is NULL: it must be a tensor");
    CLQ_REQUIRE(number >= CLQ_NPU_QINT8 && number < CLQ_COUNT(dtypes), CLQ_ERROR_VALUE,
                "dtype is %u: it must be one of enum clq_npu_dtype", number);
    CLQ_REQUIRE(div_mode ? dtypes[number].divide : dtypes[number].multiply, CLQ_ERROR_VALUE,
                "dtype is %s: with div_mode %s it must be %s, float8_e5m2 or float8_e4m3fn",
                dtypes[number].name, div_mode ? "true" : "false",
                div_mode ? "qint8, quint8, int32" : "qint8, quint4x2");
    CLQ_TRY(check_output(&dtypes[number], input, output, as));
    CLQ_TRY(check_axis(axis, div_mode, input, &general_axis));
    CLQ_TRY(check_parameters(scales, zero_points, div_mode));
    *general = (struct clq_quantize_desc){.x = input,
                                          .scales = scales,
                                          .zero_points = zero_points,
                                          .y = as,
                                          .axis = general_axis,
                                          .mode = div_mode ? CLQ_DIVIDE : CLQ_MULTIPLY};
end:
    return status;
}

clq_status clq_npu_quantize(clq_context *context, cl_command_queue queue, const DLTensor *input,
                            const DLTensor *scales, const DLTensor *zero_points, enum clq_npu_dtype dtype,
                            int axis, bool div_mode, const DLTensor *output, cl_uint num_wait,
                            const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    struct clq_quantize_desc general;
    DLTensor as;

    CLQ_TRY(general_of(input, scales, zero_points, dtype, axis, div_mode, output, &as, &general));
    CLQ_TRY(clq__operator_run(context, queue, &clq__quantize, &names, &general, num_wait, wait, done));
end:
    return status;
}

clq_status clq_npu_quantize_check(const DLTensor *input, const DLTensor *scales, const DLTensor *zero_points,
                                  enum clq_npu_dtype dtype, int axis, bool div_mode, const DLTensor *output)
{
    clq_status status = CLQ_OK;
    struct clq_quantize_desc general;
    DLTensor as;

    CLQ_TRY(general_of(input, scales, zero_points, dtype, axis, div_mode, output, &as, &general));
    CLQ_TRY(clq__operator_check(&clq__quantize, &names, &general));
end:
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* clq_npu_dynamic_mx_quant and clq_npu_dynamic_block_quant: the documented calls, their rules, over dynamic
 * quantization of blocks, by a rule of MX, or with a quotient. */
#include <clquant/npu.h>

#include "base/dtype.h"
#include "base/error.h"
#include "ops/npu_words.h"
#include "ops/operators.h"

#include <clquant/dynamic_quantize.h>
#include <float.h>
#include <string.h>

static const struct clq__names mx_names = {"input", "y", "mxscale", "offset", true, false};

/* The general operator's descriptor, and the tensors that it sees in other types than they were given. */
struct mx_call {
    DLTensor bytes, scale_bytes;
    struct clq_dynamic_quantize_desc general;
};

static clq_status check_round_mode(const char *mode)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE(mode == NULL || strcmp(mode, "rint") == 0, CLQ_ERROR_VALUE,
                "round_mode is \"%s\": it must be \"rint\"", mode);
end:
    return status;
}

static clq_status check_block_size(const char *name, int64_t size)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE(size >= 1 && size <= UINT32_MAX, CLQ_ERROR_VALUE, "%s is %lld: it must be from 1 to %lld",
                name, (long long)size, (long long)UINT32_MAX);
end:
    return status;
}

static clq_status check_zero(const char *name, float value)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE(value == 0.0f, CLQ_ERROR_VALUE, "%s is %g: it must be 0", name, (double)value);
end:
    return status;
}

/* y as the elements of its type, also where it is bytes. */
static clq_status see_mx_bytes(enum clq_npu_dtype dst_type, const DLTensor *y, DLTensor *bytes)
{
    static const enum clq__type types[] = {[CLQ_NPU_FLOAT8_E5M2] = CLQ__E5M2,
                                           [CLQ_NPU_FLOAT8_E4M3FN] = CLQ__E4M3,
                                           [CLQ_NPU_FLOAT4_E2M1FN] = CLQ__E2M1};
    clq_status status = CLQ_OK;
    const unsigned number = (unsigned)dst_type;
    const enum clq__type type = number < CLQ_COUNT(types) ? types[number] : CLQ__NONE;
    char is[CLQ__DTYPE_TEXT];

    CLQ_REQUIRE(type != CLQ__NONE, CLQ_ERROR_VALUE,
                "dst_type is %u: it must be CLQ_NPU_FLOAT8_E5M2 (5), CLQ_NPU_FLOAT8_E4M3FN (6) or "
                "CLQ_NPU_FLOAT4_E2M1FN (7)",
                number);
    *bytes = type == CLQ__E2M1 ? clq__npu_bytes(y, CLQ_FLOAT4_E2M1FN_BYTES) : *y;
    CLQ_REQUIRE(clq__type_of(bytes->dtype) == type && bytes->dtype.lanes <= 2, CLQ_ERROR_TYPE,
                "y.dtype is %s: for dst_type %u it must be %s%s", clq__dtype_text(y->dtype, is, sizeof is),
                number, clq__type_name(type), type == CLQ__E2M1 ? ", two in a byte, or uint8" : "");
end:
    return status;
}

static clq_status make_mx(struct mx_call *call, const DLTensor *input, int axis, const char *round_mode,
                          enum clq_npu_dtype dst_type, int64_t block_size, int scale_alg, float dst_type_max,
                          float max_low_bound, const DLTensor *y, const DLTensor *mxscale)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE(input != NULL, CLQ_ERROR_NULL, "input is NULL: it must be a tensor");
    CLQ_REQUIRE(y != NULL, CLQ_ERROR_NULL, "y is NULL: it must be a tensor");
    CLQ_REQUIRE(mxscale != NULL, CLQ_ERROR_NULL, "mxscale is NULL: it must be a tensor");
    CLQ_REQUIRE(input->ndim >= 1 && input->ndim < CLQ__MAX_RANK, CLQ_ERROR_RANK,
                "input.ndim is %d: it must be from 1 to %d, for mxscale has one dimension more", input->ndim,
                CLQ__MAX_RANK - 1);
    CLQ_REQUIRE(axis >= -input->ndim && axis < input->ndim, CLQ_ERROR_AXIS,
                "axis is %d: it must be from %d to %d, for input has %d dimension%s", axis, -input->ndim,
                input->ndim - 1, input->ndim, input->ndim == 1 ? "" : "s");
    CLQ_TRY(check_round_mode(round_mode));
    CLQ_TRY(check_block_size("block_size", block_size));
    CLQ_REQUIRE(scale_alg == 0 || scale_alg == 1, CLQ_ERROR_VALUE, "scale_alg is %d: it must be 0 or 1",
                scale_alg);
    CLQ_TRY(check_zero("dst_type_max", dst_type_max));
    CLQ_TRY(check_zero("max_low_bound", max_low_bound));
    CLQ_TRY(see_mx_bytes(dst_type, y, &call->bytes));
    CLQ_REQUIRE(
        dst_type != CLQ_NPU_FLOAT4_E2M1FN || (axis != -1 && axis != input->ndim - 1) || block_size % 2 == 0,
        CLQ_ERROR_VALUE, "block_size is %lld: along the last dimension of %s it must be a multiple of 2",
        (long long)block_size, clq__type_name(CLQ__E2M1));
    call->scale_bytes = clq__npu_bytes(mxscale, CLQ_FLOAT8_E8M0FNU);
    call->general = (struct clq_dynamic_quantize_desc){
        .x = input,
        .y = &call->bytes,
        .scales = &call->scale_bytes,
        .symmetric = 1,
        .axis = axis == 0 ? CLQ_AXIS_FIRST : axis,
        .block = (uint32_t)block_size,
        .scale_rule = scale_alg == 0 ? CLQ_MX_FLOOR : CLQ_MX_RCEIL,
    };
end:
    return status;
}

clq_status clq_npu_dynamic_mx_quant(clq_context *context, cl_command_queue queue, const DLTensor *input,
                                    int axis, const char *round_mode, enum clq_npu_dtype dst_type,
                                    int64_t block_size, int scale_alg, float dst_type_max,
                                    float max_low_bound, const DLTensor *y, const DLTensor *mxscale,
                                    cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    struct mx_call call;

    CLQ_TRY(make_mx(&call, input, axis, round_mode, dst_type, block_size, scale_alg, dst_type_max,
                    max_low_bound, y, mxscale));
    CLQ_TRY(clq__operator_run(context, queue, &clq__dynamic_quantize, &mx_names, &call.general, num_wait,
                              wait, done));
end:
    return status;
}

clq_status clq_npu_dynamic_mx_quant_check(const DLTensor *input, int axis, const char *round_mode,
                                          enum clq_npu_dtype dst_type, int64_t block_size, int scale_alg,
                                          float dst_type_max, float max_low_bound, const DLTensor *y,
                                          const DLTensor *mxscale)
{
    clq_status status = CLQ_OK;
    struct mx_call call;

    CLQ_TRY(make_mx(&call, input, axis, round_mode, dst_type, block_size, scale_alg, dst_type_max,
                    max_low_bound, y, mxscale));
    CLQ_TRY(clq__operator_check(&clq__dynamic_quantize, &mx_names, &call.general));
end:
    return status;
}

static const struct clq__names block_names = {"x", "y", "scale", "offset", true, false};

/* The arguments, and the general operator's descriptor, which is what its functions are given. */
struct block_call {
    struct clq_dynamic_quantize_desc general;
    enum clq_npu_dtype dst_type;
    float min_scale;
};

/* The general operator's rules, and a formula that it has no field for. */
static clq_status check_quotient(struct clq__checked_call *checked, const void *of)
{
    clq_status status = CLQ_OK;
    const struct block_call *call = of;

    CLQ_TRY(clq__dynamic_quantize.check(checked, of));
    checked->by_quotient = checked->scales_first = true;
    if (call->min_scale > 0.0f)
        checked->most_scale = 1.0f / call->min_scale;
end:
    return status;
}

static clq_status check_block_type(const struct block_call *call)
{
    static const enum clq__type types[] = {
        [CLQ_NPU_QINT8] = CLQ__I8, [CLQ_NPU_FLOAT8_E5M2] = CLQ__E5M2, [CLQ_NPU_FLOAT8_E4M3FN] = CLQ__E4M3};
    clq_status status = CLQ_OK;
    const unsigned number = (unsigned)call->dst_type;
    const enum clq__type type = number < CLQ_COUNT(types) ? types[number] : CLQ__NONE;
    const DLDataType dtype = call->general.y->dtype;
    char is[CLQ__DTYPE_TEXT];

    CLQ_REQUIRE(type != CLQ__NONE, CLQ_ERROR_VALUE,
                "dst_type is %u: it must be CLQ_NPU_QINT8 (1), CLQ_NPU_FLOAT8_E5M2 (5) or "
                "CLQ_NPU_FLOAT8_E4M3FN (6)",
                number);
    CLQ_REQUIRE(clq__type_of(dtype) == type, CLQ_ERROR_TYPE, "y.dtype is %s: for dst_type %u it must be %s",
                clq__dtype_text(dtype, is, sizeof is), number, clq__type_name(type));
end:
    return status;
}

static clq_status make_block(struct block_call *call, const DLTensor *x, float min_scale,
                             const char *round_mode, enum clq_npu_dtype dst_type, int64_t row_block_size,
                             int64_t col_block_size, const DLTensor *y, const DLTensor *scale)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE(x != NULL, CLQ_ERROR_NULL, "x is NULL: it must be a tensor");
    CLQ_REQUIRE(y != NULL, CLQ_ERROR_NULL, "y is NULL: it must be a tensor");
    CLQ_REQUIRE(min_scale >= 0.0f && min_scale <= FLT_MAX, CLQ_ERROR_VALUE,
                "min_scale is %g: it must be 0, or a finite number above 0", (double)min_scale);
    CLQ_TRY(check_round_mode(round_mode));
    CLQ_TRY(check_block_size("row_block_size", row_block_size));
    CLQ_TRY(check_block_size("col_block_size", col_block_size));
    CLQ_REQUIRE(row_block_size == 1 || x->ndim >= 2, CLQ_ERROR_VALUE,
                "row_block_size is %lld: it must be 1 where x.ndim is %d", (long long)row_block_size,
                x->ndim);
    *call = (struct block_call){
        .general = {.x = x,
                    .y = y,
                    .scales = scale,
                    .symmetric = 1,
                    .block = (uint32_t)col_block_size,
                    .block_before = row_block_size > 1 ? (uint32_t)row_block_size : 0},
        .dst_type = dst_type,
        .min_scale = min_scale,
    };
    CLQ_TRY(check_block_type(call));
end:
    return status;
}

static struct clq__operator block_operator(void)
{
    struct clq__operator op = clq__dynamic_quantize;

    op.check = check_quotient;
    return op;
}

clq_status clq_npu_dynamic_block_quant(clq_context *context, cl_command_queue queue, const DLTensor *x,
                                       float min_scale, const char *round_mode, enum clq_npu_dtype dst_type,
                                       int64_t row_block_size, int64_t col_block_size, const DLTensor *y,
                                       const DLTensor *scale, cl_uint num_wait, const cl_event *wait,
                                       cl_event *done)
{
    clq_status status = CLQ_OK;
    const struct clq__operator op = block_operator();
    struct block_call call;

    CLQ_TRY(make_block(&call, x, min_scale, round_mode, dst_type, row_block_size, col_block_size, y, scale));
    CLQ_TRY(clq__operator_run(context, queue, &op, &block_names, &call, num_wait, wait, done));
end:
    return status;
}

clq_status clq_npu_dynamic_block_quant_check(const DLTensor *x, float min_scale, const char *round_mode,
                                             enum clq_npu_dtype dst_type, int64_t row_block_size,
                                             int64_t col_block_size, const DLTensor *y, const DLTensor *scale)
{
    clq_status status = CLQ_OK;
    const struct clq__operator op = block_operator();
    struct block_call call;

    CLQ_TRY(make_block(&call, x, min_scale, round_mode, dst_type, row_block_size, col_block_size, y, scale));
    CLQ_TRY(clq__operator_check(&op, &block_names, &call));
end:
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* clq_npu_dynamic_quant and clq_npu_dynamic_quant_asymmetric: the documented calls, their rules,
 * over dynamic quantization. */
#include <clquant/npu.h>

#include "base/dtype.h"
#include "base/error.h"
#include "ops/npu_words.h"
#include "ops/operators.h"

#include <clquant/dynamic_quantize.h>
#include <string.h>

static const struct clq__names names = {"x", "y", "scale", "offset", true, false},
                               asymmetric_names = {"x", "y", "scale", "offset", true, true};

/* The arguments, and the general operator's descriptor, whose tensors may be others that are seen here. */
struct documented {
    const DLTensor *x, *smooth_scales, *group_index, *y, *scale, *offset;
    enum clq_npu_dtype dst_type;
    const char *quant_mode;
    float dst_type_max;
    bool asymmetric;
    struct clq_dynamic_quantize_desc general;
    DLTensor words;
    struct seen {
        DLTensor tensor;
        int64_t shape[2];
    } seen[4];
};

static clq_status check_type(struct documented *call)
{
    static const enum clq__type types[] = {[0] = CLQ__I8,
                                           [CLQ_NPU_QINT8] = CLQ__I8,
                                           [CLQ_NPU_QUINT4X2] = CLQ__I4,
                                           [CLQ_NPU_FLOAT8_E5M2] = CLQ__E5M2,
                                           [CLQ_NPU_FLOAT8_E4M3FN] = CLQ__E4M3};
    clq_status status = CLQ_OK;
    const unsigned number = (unsigned)call->dst_type;
    const enum clq__type type = number < CLQ_COUNT(types) ? types[number] : CLQ__NONE;
    char is[CLQ__DTYPE_TEXT];

    CLQ_REQUIRE(type != CLQ__NONE && !(call->asymmetric && !clq__type_is(type, CLQ__WHOLE)), CLQ_ERROR_VALUE,
                "dst_type is %u: it must be 0, CLQ_NPU_QINT8 (1)%s", number,
                call->asymmetric
                    ? " or CLQ_NPU_QUINT4X2 (4)"
                    : ", CLQ_NPU_QUINT4X2 (4), CLQ_NPU_FLOAT8_E5M2 (5) or CLQ_NPU_FLOAT8_E4M3FN (6)");
    call->words = type == CLQ__I4 ? clq__npu_words(call->y) : *call->y;
    CLQ_REQUIRE(type == CLQ__I4 ? clq__same_dtype(call->words.dtype, CLQ_INT4_WORDS)
                                : clq__type_of(call->y->dtype) == type,
                CLQ_ERROR_TYPE, "y.dtype is %s: for dst_type %u it must be %s",
                clq__dtype_text(call->y->dtype, is, sizeof is), number,
                type == CLQ__I4 ? "int32 words, (kDLInt, 32, 1) or (kDLInt, 4, 8)" : clq__type_name(type));
    call->general.y = &call->words;
end:
    return status;
}

static clq_status check_mode(struct documented *call)
{
    clq_status status = CLQ_OK;
    const char *mode = call->quant_mode != NULL ? call->quant_mode : "pertoken";
    const bool token = strcmp(mode, "pertoken") == 0, channel = strcmp(mode, "perchannel") == 0;

    CLQ_REQUIRE(token || channel || strcmp(mode, "pertensor") == 0, CLQ_ERROR_VALUE,
                "quant_mode is \"%s\": it must be \"pertoken\", \"perchannel\" or \"pertensor\"", mode);
    CLQ_REQUIRE(!channel || call->x->ndim >= 2, CLQ_ERROR_RANK,
                "x.ndim is %d: with quant_mode \"perchannel\" it must be at least 2", call->x->ndim);
    CLQ_REQUIRE(token || call->group_index == NULL, CLQ_ERROR_VALUE,
                "quant_mode is \"%s\": with group_index it must be \"pertoken\"", mode);
    call->general.axis = channel ? -2 : -1;
    call->general.block_all = !token && !channel;
end:
    return status;
}

/* A dense tensor with all but its last `kept` dimensions as one. */
static clq_status flatten(struct seen *seen, const char *name, const DLTensor **tensor, int kept)
{
    clq_status status = CLQ_OK;
    const DLTensor *of = *tensor;
    int64_t rows = 1;

    if (of == NULL || of->ndim <= 1 + kept || of->ndim > CLQ_MAX_RANK || of->shape == NULL)
        goto end; /* what is wrong with it the general operator says */
    CLQ_REQUIRE(of->strides == NULL, CLQ_ERROR_LAYOUT,
                "%s.strides is given: with group_index and more than %d dimensions it must be NULL, dense",
                name, 1 + kept);
    for (int d = 0; d < of->ndim - kept; d++)
        CLQ_REQUIRE(of->shape[d] >= 0 && !__builtin_mul_overflow(rows, of->shape[d], &rows),
                    CLQ_ERROR_OVERFLOW, "%s.shape[%d] is %lld: the rows must be some that int64 can count",
                    name, d, (long long)of->shape[d]);
    seen->tensor = *of;
    seen->shape[0] = rows;
    seen->shape[1] = of->shape[of->ndim - 1];
    seen->tensor.shape = seen->shape;
    seen->tensor.ndim = 1 + kept;
    *tensor = &seen->tensor;
end:
    return status;
}

static clq_status make_general(struct documented *call)
{
    clq_status status = CLQ_OK;
    struct clq_dynamic_quantize_desc *general = &call->general;

    CLQ_REQUIRE(call->x != NULL, CLQ_ERROR_NULL, "x is NULL: it must be a tensor");
    CLQ_REQUIRE(call->y != NULL, CLQ_ERROR_NULL, "y is NULL: it must be a tensor");
    *general = (struct clq_dynamic_quantize_desc){.x = call->x,
                                                  .smooth_scales = call->smooth_scales,
                                                  .scales = call->scale,
                                                  .offsets = call->offset,
                                                  .symmetric = !call->asymmetric,
                                                  .group_index = call->group_index,
                                                  .type_max = call->dst_type_max};
    CLQ_REQUIRE(call->dst_type_max >= 0.0f, CLQ_ERROR_VALUE,
                "dst_type_max is %g: it must be 0, or a finite number above 0", (double)call->dst_type_max);
    CLQ_TRY(check_type(call));
    CLQ_TRY(check_mode(call));
    if (call->group_index == NULL)
        goto end;
    CLQ_REQUIRE(call->x->ndim >= 2, CLQ_ERROR_RANK, "x.ndim is %d: with group_index it must be from 2 to %d",
                call->x->ndim, CLQ_MAX_RANK);
    CLQ_TRY(flatten(&call->seen[0], "x", &general->x, 1));
    CLQ_TRY(flatten(&call->seen[1], "y", &general->y, 1));
    CLQ_TRY(flatten(&call->seen[2], "scale", &general->scales, 0));
    CLQ_TRY(flatten(&call->seen[3], "offset", &general->offsets, 0));
end:
    return status;
}

static clq_status run(struct documented *call, clq_context *context, cl_command_queue queue, cl_uint num_wait,
                      const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(make_general(call));
    CLQ_TRY(clq__operator_run(context, queue, &clq__dynamic_quantize,
                              call->asymmetric ? &asymmetric_names : &names, &call->general, num_wait, wait,
                              done));
end:
    return status;
}

static clq_status check(struct documented *call)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(make_general(call));
    CLQ_TRY(clq__operator_check(&clq__dynamic_quantize, call->asymmetric ? &asymmetric_names : &names,
                                &call->general));
end:
    return status;
}

static struct documented symmetric(const DLTensor *x, const DLTensor *smooth_scales,
                                   const DLTensor *group_index, enum clq_npu_dtype dst_type,
                                   const char *quant_mode, float dst_type_max, const DLTensor *y,
                                   const DLTensor *scale)
{
    return (struct documented){.x = x,
                               .smooth_scales = smooth_scales,
                               .group_index = group_index,
                               .y = y,
                               .scale = scale,
                               .dst_type = dst_type,
                               .quant_mode = quant_mode,
                               .dst_type_max = dst_type_max};
}

static struct documented asymmetric(const DLTensor *x, const DLTensor *smooth_scales,
                                    const DLTensor *group_index, enum clq_npu_dtype dst_type,
                                    const char *quant_mode, const DLTensor *y, const DLTensor *scale,
                                    const DLTensor *offset)
{
    struct documented call = symmetric(x, smooth_scales, group_index, dst_type, quant_mode, 0.0f, y, scale);

    call.offset = offset;
    call.asymmetric = true;
    return call;
}

clq_status clq_npu_dynamic_quant(clq_context *context, cl_command_queue queue, const DLTensor *x,
                                 const DLTensor *smooth_scales, const DLTensor *group_index,
                                 enum clq_npu_dtype dst_type, const char *quant_mode, float dst_type_max,
                                 const DLTensor *y, const DLTensor *scale, cl_uint num_wait,
                                 const cl_event *wait, cl_event *done)
{
    struct documented call =
        symmetric(x, smooth_scales, group_index, dst_type, quant_mode, dst_type_max, y, scale);

    return run(&call, context, queue, num_wait, wait, done);
}

clq_status clq_npu_dynamic_quant_check(const DLTensor *x, const DLTensor *smooth_scales,
                                       const DLTensor *group_index, enum clq_npu_dtype dst_type,
                                       const char *quant_mode, float dst_type_max, const DLTensor *y,
                                       const DLTensor *scale)
{
    struct documented call =
        symmetric(x, smooth_scales, group_index, dst_type, quant_mode, dst_type_max, y, scale);

    return check(&call);
}

clq_status clq_npu_dynamic_quant_asymmetric(clq_context *context, cl_command_queue queue, const DLTensor *x,
                                            const DLTensor *smooth_scales, const DLTensor *group_index,
                                            enum clq_npu_dtype dst_type, const char *quant_mode,
                                            const DLTensor *y, const DLTensor *scale, const DLTensor *offset,
                                            cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    struct documented call =
        asymmetric(x, smooth_scales, group_index, dst_type, quant_mode, y, scale, offset);

    return run(&call, context, queue, num_wait, wait, done);
}

clq_status clq_npu_dynamic_quant_asymmetric_check(const DLTensor *x, const DLTensor *smooth_scales,
                                                  const DLTensor *group_index, enum clq_npu_dtype dst_type,
                                                  const char *quant_mode, const DLTensor *y,
                                                  const DLTensor *scale, const DLTensor *offset)
{
    struct documented call =
        asymmetric(x, smooth_scales, group_index, dst_type, quant_mode, y, scale, offset);

    return check(&call);
}

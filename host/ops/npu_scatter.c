/* SPDX-License-Identifier: Apache-2.0 */
/* clq_npu_quant_scatter and clq_npu_quant_scatter_: the documented calls, their rules, over
 * quantize-and-scatter. */
#include <clquant/npu.h>

#include "base/dtype.h"
#include "base/error.h"
#include "ops/operators.h"

#include <clquant/quantize_scatter.h>
#include <string.h>

static const struct clq__names copy_names = {"updates",           "output", "quant_scales",
                                             "quant_zero_points", true,     false};
static const struct clq__names place_names = {"updates",           "self", "quant_scales",
                                              "quant_zero_points", true,   false};

static clq_status check_axes(const DLTensor *updates, int axis, int quant_axis)
{
    clq_status status = CLQ_OK;
    const int rank = updates->ndim, at = axis < 0 ? axis + rank : axis;
    const int quant_at = quant_axis < 0 ? quant_axis + rank : quant_axis;

    CLQ_REQUIRE(rank >= 3 && rank <= CLQ_MAX_RANK, CLQ_ERROR_RANK,
                "updates.ndim is %d: it must be from 3 to %d", rank, CLQ_MAX_RANK);
    CLQ_REQUIRE(at >= 1 && at < rank - 1, CLQ_ERROR_AXIS,
                "axis is %d: it must be neither the first nor the last dimension of updates; pass -2 for the "
                "second-to-last",
                axis);
    CLQ_REQUIRE(quant_at == rank - 1, CLQ_ERROR_AXIS,
                "quant_axis is %d: it must be the last dimension of updates; pass -1", quant_axis);
end:
    return status;
}

/* One per index of the last axis: the documents do not know one for all. */
static clq_status check_count(const char *name, const DLTensor *tensor, const DLTensor *updates)
{
    clq_status status = CLQ_OK;
    int64_t count = 1;

    /* what is wrong with a tensor by itself, the general operator says */
    if (tensor == NULL || updates->shape == NULL || tensor->ndim > CLQ_MAX_RANK ||
        (tensor->ndim > 0 && tensor->shape == NULL))
        goto end;
    for (int d = 0; d < tensor->ndim; d++)
        if (tensor->shape[d] < 0 || __builtin_mul_overflow(count, tensor->shape[d], &count))
            goto end;
    CLQ_REQUIRE(count == updates->shape[updates->ndim - 1], CLQ_ERROR_SHAPE,
                "%s has %lld elements: it must have one per index of the last axis of updates, %lld", name,
                (long long)count, (long long)updates->shape[updates->ndim - 1]);
end:
    return status;
}

/* The rules of the documented calls, beside the general operator's. */
struct choices {
    int quant_axis;
    const char *reduce;
    enum clq_npu_dtype dst_type;
    const char *round_mode;
};

/* CLQ__NONE: none that the calls know. */
static enum clq__type type_of(enum clq_npu_dtype dst_type)
{
    switch ((int)dst_type) {
    case 0:
    case CLQ_NPU_QINT8:
        return CLQ__I8;
    case CLQ_NPU_FLOAT8_E5M2:
        return CLQ__E5M2;
    case CLQ_NPU_FLOAT8_E4M3FN:
        return CLQ__E4M3;
    default:
        return CLQ__NONE;
    }
}

static clq_status check(const struct clq_quantize_scatter_desc *general, const char *cache_name,
                        const struct choices *choices)
{
    clq_status status = CLQ_OK;
    const DLTensor *cache = general->cache, *updates = general->updates;
    const enum clq__type type = type_of(choices->dst_type);
    const char *reduce = choices->reduce, *round_mode = choices->round_mode;
    char is[CLQ__DTYPE_TEXT];

    CLQ_REQUIRE(cache != NULL, CLQ_ERROR_NULL, "%s is NULL: it must be a tensor", cache_name);
    CLQ_REQUIRE(updates != NULL, CLQ_ERROR_NULL, "updates is NULL: it must be a tensor");
    CLQ_REQUIRE(reduce != NULL, CLQ_ERROR_NULL, "reduce is NULL: it must be \"update\"");
    CLQ_REQUIRE(strcmp(reduce, "update") == 0, CLQ_ERROR_VALUE, "reduce is \"%s\": it must be \"update\"",
                reduce);
    CLQ_REQUIRE(round_mode == NULL || strcmp(round_mode, "rint") == 0, CLQ_ERROR_VALUE,
                "round_mode is \"%s\": it must be \"rint\"", round_mode);
    CLQ_REQUIRE(type != CLQ__NONE, CLQ_ERROR_VALUE,
                "dst_type is %d: it must be 0, CLQ_NPU_QINT8 (1), CLQ_NPU_FLOAT8_E5M2 (5) or "
                "CLQ_NPU_FLOAT8_E4M3FN (6)",
                (int)choices->dst_type);
    CLQ_REQUIRE(clq__type_of(cache->dtype) == type, CLQ_ERROR_TYPE,
                "%s.dtype is %s: for dst_type %s it must be %s", cache_name,
                clq__dtype_text(cache->dtype, is, sizeof is), clq__type_name(type), clq__type_name(type));
    CLQ_TRY(check_axes(updates, general->axis, choices->quant_axis));
    CLQ_TRY(check_count("quant_scales", general->scales, updates));
    CLQ_TRY(check_count("quant_zero_points", general->zero_points, updates));
    CLQ_REQUIRE(updates->shape == NULL || cache->shape == NULL || cache->ndim < 1 ||
                    updates->shape[0] <= cache->shape[0],
                CLQ_ERROR_SHAPE, "updates.shape[0] is %lld: it must be at most %s.shape[0], %lld",
                (long long)updates->shape[0], cache_name, (long long)cache->shape[0]);
end:
    return status;
}

/* output NULL: in place, of input. axis is checked: it is not the first. */
static struct clq_quantize_scatter_desc general_of(const DLTensor *input, const DLTensor *indices,
                                                   const DLTensor *updates, const DLTensor *quant_scales,
                                                   const DLTensor *quant_zero_points, int axis,
                                                   const DLTensor *output)
{
    return (struct clq_quantize_scatter_desc){.input = output != NULL ? input : NULL,
                                              .cache = output != NULL ? output : input,
                                              .indices = indices,
                                              .updates = updates,
                                              .scales = quant_scales,
                                              .zero_points = quant_zero_points,
                                              .axis = axis};
}

clq_status clq_npu_quant_scatter(clq_context *context, cl_command_queue queue, const DLTensor *input,
                                 const DLTensor *indices, const DLTensor *updates,
                                 const DLTensor *quant_scales, const DLTensor *quant_zero_points, int axis,
                                 int quant_axis, const char *reduce, enum clq_npu_dtype dst_type,
                                 const char *round_mode, const DLTensor *output, cl_uint num_wait,
                                 const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    const struct clq_quantize_scatter_desc general =
        general_of(input, indices, updates, quant_scales, quant_zero_points, axis, output);

    CLQ_REQUIRE(input != NULL, CLQ_ERROR_NULL, "input is NULL: it must be a tensor");
    CLQ_REQUIRE(output != NULL, CLQ_ERROR_NULL, "output is NULL: it must be a tensor");
    CLQ_TRY(check(&general, copy_names.y, &(struct choices){quant_axis, reduce, dst_type, round_mode}));
    CLQ_TRY(clq__operator_run(context, queue, &clq__quantize_scatter, &copy_names, &general, num_wait, wait,
                              done));
end:
    return status;
}

clq_status clq_npu_quant_scatter_(clq_context *context, cl_command_queue queue, const DLTensor *self,
                                  const DLTensor *indices, const DLTensor *updates,
                                  const DLTensor *quant_scales, const DLTensor *quant_zero_points, int axis,
                                  int quant_axis, const char *reduce, enum clq_npu_dtype dst_type,
                                  const char *round_mode, cl_uint num_wait, const cl_event *wait,
                                  cl_event *done)
{
    clq_status status = CLQ_OK;
    const struct clq_quantize_scatter_desc general =
        general_of(self, indices, updates, quant_scales, quant_zero_points, axis, NULL);

    CLQ_TRY(check(&general, place_names.y, &(struct choices){quant_axis, reduce, dst_type, round_mode}));
    CLQ_TRY(clq__operator_run(context, queue, &clq__quantize_scatter, &place_names, &general, num_wait, wait,
                              done));
end:
    return status;
}

clq_status clq_npu_quant_scatter_check(const DLTensor *input, const DLTensor *indices,
                                       const DLTensor *updates, const DLTensor *quant_scales,
                                       const DLTensor *quant_zero_points, int axis, int quant_axis,
                                       const char *reduce, enum clq_npu_dtype dst_type,
                                       const char *round_mode, const DLTensor *output)
{
    clq_status status = CLQ_OK;
    const struct clq_quantize_scatter_desc general =
        general_of(input, indices, updates, quant_scales, quant_zero_points, axis, output);
    const struct clq__names *names = output != NULL ? &copy_names : &place_names;

    CLQ_REQUIRE(input != NULL || output == NULL, CLQ_ERROR_NULL, "input is NULL: it must be a tensor");
    CLQ_TRY(check(&general, names->y, &(struct choices){quant_axis, reduce, dst_type, round_mode}));
    CLQ_TRY(clq__operator_check(&clq__quantize_scatter, names, &general));
end:
    return status;
}

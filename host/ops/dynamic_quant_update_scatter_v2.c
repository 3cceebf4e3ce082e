/* SPDX-License-Identifier: Apache-2.0 */
/* clq_dynamic_quant_update_scatter_v2: the documented call, its rules,
 * over dynamic quantization into a cache. */
#include <clquant/npu.h>

#include "base/dtype.h"
#include "base/error.h"
#include "ops/npu_words.h"
#include "ops/operators.h"

#include <clquant/dynamic_quantize_scatter.h>

static const struct clq__names names = {"x", "var", "var_scale", "var_offset", true, false};

/* A tensor with a dimension of one element put in at `at`. */
struct seen {
    DLTensor tensor;
    int64_t shape[CLQ_MAX_RANK], strides[CLQ_MAX_RANK];
};

static const DLTensor *see(struct seen *seen, const DLTensor *tensor, int at)
{
    seen->tensor = *tensor;
    for (int d = 0, from = 0; d <= tensor->ndim; d++) {
        seen->shape[d] = d == at ? 1 : tensor->shape[from];
        seen->strides[d] = d == at || tensor->strides == NULL ? 0 : tensor->strides[from];
        from += d != at;
    }
    seen->tensor.ndim = tensor->ndim + 1;
    seen->tensor.shape = seen->shape;
    seen->tensor.strides = tensor->strides != NULL ? seen->strides : NULL;
    return &seen->tensor;
}

static clq_status check_shape(const char *name, const DLTensor *tensor, int least_rank, int most_rank,
                              const char *shape, int one)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE(tensor != NULL, CLQ_ERROR_NULL, "%s is NULL: it must be a tensor", name);
    CLQ_REQUIRE(tensor->ndim >= least_rank && tensor->ndim <= most_rank, CLQ_ERROR_RANK,
                "%s.ndim is %d: it must be %d, %s", name, tensor->ndim, most_rank, shape);
    CLQ_REQUIRE(tensor->shape != NULL, CLQ_ERROR_NULL, "%s.shape is NULL: it must have %d dimensions", name,
                tensor->ndim);
    CLQ_REQUIRE(one >= tensor->ndim || tensor->shape[one] == 1, CLQ_ERROR_SHAPE,
                "%s.shape[%d] is %lld: it must be 1, as in %s", name, one, (long long)tensor->shape[one],
                shape);
end:
    return status;
}

/* The call as the general operator takes it. */
struct general {
    struct seen x, scale, offset;
    DLTensor words;
    struct clq_dynamic_quantize_scatter_desc desc;
};

static clq_status general_of(const DLTensor *x, const DLTensor *indices, const DLTensor *var,
                             const DLTensor *var_scale, const DLTensor *var_offset, struct general *general)
{
    clq_status status = CLQ_OK;
    char is[CLQ__DTYPE_TEXT];

    CLQ_TRY(check_shape("x", x, 3, 3, "[B, 1, H]", 1));
    CLQ_TRY(check_shape("indices", indices, 1, 1, "[B]", 1));
    CLQ_TRY(check_shape("var", var, 4, 4, "[B, S, 1, H]", 2));
    CLQ_TRY(check_shape("var_scale", var_scale, 2, 3, "[B, S, 1], or 2, [B, S]", 2));
    CLQ_TRY(check_shape("var_offset", var_offset, 2, 3, "[B, S, 1], or 2, [B, S]", 2));
    general->words = clq__npu_packed(var);
    CLQ_REQUIRE(clq__type_of(general->words.dtype) == CLQ__I4, CLQ_ERROR_TYPE,
                "var.dtype is %s: it must be int4, in int32 words or in uint8 bytes",
                clq__dtype_text(var->dtype, is, sizeof is));
    CLQ_REQUIRE(x->shape[0] == var->shape[0], CLQ_ERROR_SHAPE,
                "x.shape[0] is %lld: it must be var.shape[0], %lld", (long long)x->shape[0],
                (long long)var->shape[0]);
    general->desc = (struct clq_dynamic_quantize_scatter_desc){
        .cache = &general->words,
        .cache_scales = var_scale->ndim == 2 ? see(&general->scale, var_scale, 2) : var_scale,
        .cache_offsets = var_offset->ndim == 2 ? see(&general->offset, var_offset, 2) : var_offset,
        .indices = indices,
        .updates = see(&general->x, x, 1),
        .axis = 1};
end:
    return status;
}

clq_status clq_dynamic_quant_update_scatter_v2(clq_context *context, cl_command_queue queue,
                                               const DLTensor *x, const DLTensor *indices,
                                               const DLTensor *var, const DLTensor *var_scale,
                                               const DLTensor *var_offset, cl_uint num_wait,
                                               const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    struct general general;

    CLQ_TRY(general_of(x, indices, var, var_scale, var_offset, &general));
    CLQ_TRY(clq__operator_run(context, queue, &clq__dynamic_quantize_scatter, &names, &general.desc, num_wait,
                              wait, done));
end:
    return status;
}

clq_status clq_dynamic_quant_update_scatter_v2_check(const DLTensor *x, const DLTensor *indices,
                                                     const DLTensor *var, const DLTensor *var_scale,
                                                     const DLTensor *var_offset)
{
    clq_status status = CLQ_OK;
    struct general general;

    CLQ_TRY(general_of(x, indices, var, var_scale, var_offset, &general));
    CLQ_TRY(clq__operator_check(&clq__dynamic_quantize_scatter, &names, &general.desc));
end:
    return status;
}

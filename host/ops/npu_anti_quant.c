/* SPDX-License-Identifier: Apache-2.0 */
/* clq_npu_anti_quant: the documented call, its rules, over dequantization, which adds an offset where a
 * documented call asks. */
#include <clquant/npu.h>

#include "base/dtype.h"
#include "base/error.h"
#include "base/view.h"
#include "ops/npu_words.h"
#include "ops/operators.h"

#include <clquant/dequantize.h>

static const struct clq__names names = {"output", "x", "scale", "offset", true, false};

static const unsigned known =
    CLQ__SET(CLQ__I8) | CLQ__SET(CLQ__I4) | CLQ__SET(CLQ__E5M2) | CLQ__SET(CLQ__E4M3);

static clq_status check_type(const DLTensor *x, const DLTensor *words, enum clq_npu_dtype src_dtype)
{
    static const enum clq__type types[] = {[CLQ_NPU_QINT8] = CLQ__I8,
                                           [CLQ_NPU_QUINT4X2] = CLQ__I4,
                                           [CLQ_NPU_FLOAT8_E5M2] = CLQ__E5M2,
                                           [CLQ_NPU_FLOAT8_E4M3FN] = CLQ__E4M3};
    clq_status status = CLQ_OK;
    const unsigned number = (unsigned)src_dtype;
    const enum clq__type wanted = number < CLQ_COUNT(types) ? types[number] : CLQ__NONE,
                         type = clq__type_of(words->dtype);
    char is[CLQ__DTYPE_TEXT];

    CLQ_REQUIRE(number == 0 || wanted != CLQ__NONE, CLQ_ERROR_VALUE,
                "src_dtype is %u: it must be 0, CLQ_NPU_QINT8 (1), CLQ_NPU_QUINT4X2 (4), CLQ_NPU_FLOAT8_E5M2 "
                "(5) or CLQ_NPU_FLOAT8_E4M3FN (6)",
                number);
    CLQ_REQUIRE(
        clq__type_is(type, known) && (type != CLQ__I4 || clq__same_dtype(words->dtype, CLQ_INT4_WORDS)),
        CLQ_ERROR_TYPE, "x.dtype is %s: it must be int8, float8_e5m2, float8_e4m3fn, or int4 in int32 words",
        clq__dtype_text(x->dtype, is, sizeof is));
    CLQ_REQUIRE(number == 0 || type == wanted, CLQ_ERROR_TYPE,
                "x.dtype is %s: for src_dtype %u it must be %s", clq__dtype_text(x->dtype, is, sizeof is),
                number, wanted == CLQ__I4 ? "int32 words" : clq__type_name(wanted));
end:
    return status;
}

static clq_status check_parameters(const DLTensor *words, const DLTensor *scale, const DLTensor *offset)
{
    clq_status status = CLQ_OK;
    struct clq__view x, views[2];
    int64_t last;

    CLQ_TRY(clq__view_init(&x, names.y, words, known));
    last = x.rank > 0 ? x.shape[x.rank - 1] : 1;
    CLQ_TRY(clq__view_init(&views[0], names.scales, scale, CLQ__FLOATS));
    CLQ_REQUIRE(views[0].rank == 1, CLQ_ERROR_RANK, "scale.ndim is %d: it must be 1", views[0].rank);
    CLQ_REQUIRE(views[0].shape[0] == 1 || views[0].shape[0] == last, CLQ_ERROR_SHAPE,
                "scale.shape[0] is %lld: it must be 1, or one per index of the last axis of x, %lld",
                (long long)views[0].shape[0], (long long)last);
    if (offset == NULL)
        goto end;
    CLQ_TRY(clq__view_init(&views[1], names.zero_points, offset, CLQ__SET(views[0].type)));
    CLQ_REQUIRE(views[1].rank == 1, CLQ_ERROR_RANK, "offset.ndim is %d: it must be 1", views[1].rank);
    CLQ_REQUIRE(views[1].shape[0] == views[0].shape[0], CLQ_ERROR_SHAPE,
                "offset.shape[0] is %lld: it must be scale.shape[0], %lld", (long long)views[1].shape[0],
                (long long)views[0].shape[0]);
end:
    return status;
}

/* words takes the place of x. */
static clq_status general_of(const DLTensor *x, const DLTensor *scale, const DLTensor *offset,
                             enum clq_npu_dtype src_dtype, const DLTensor *output, DLTensor *words,
                             struct clq_dequantize_desc *general)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE(x != NULL, CLQ_ERROR_NULL, "x is NULL: it must be a tensor");
    *words = clq__npu_words(x);
    CLQ_TRY(check_type(x, words, src_dtype));
    CLQ_TRY(check_parameters(words, scale, offset));
    *general = (struct clq_dequantize_desc){
        .q = words, .scales = scale, .zero_points = offset, .y = output, .axis = -1};
end:
    return status;
}

clq_status clq_npu_anti_quant(clq_context *context, cl_command_queue queue, const DLTensor *x,
                              const DLTensor *scale, const DLTensor *offset, enum clq_npu_dtype src_dtype,
                              const DLTensor *output, cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    struct clq_dequantize_desc general;
    DLTensor words;

    CLQ_TRY(general_of(x, scale, offset, src_dtype, output, &words, &general));
    CLQ_TRY(clq__operator_run(context, queue, &clq__dequantize, &names, &general, num_wait, wait, done));
end:
    return status;
}

clq_status clq_npu_anti_quant_check(const DLTensor *x, const DLTensor *scale, const DLTensor *offset,
                                    enum clq_npu_dtype src_dtype, const DLTensor *output)
{
    clq_status status = CLQ_OK;
    struct clq_dequantize_desc general;
    DLTensor words;

    CLQ_TRY(general_of(x, scale, offset, src_dtype, output, &words, &general));
    CLQ_TRY(clq__operator_check(&clq__dequantize, &names, &general));
end:
    return status;
}

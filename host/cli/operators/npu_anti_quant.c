/* SPDX-License-Identifier: Apache-2.0 */
/* clquant npu_anti_quant: the documented call. */
#include "operator.h"

enum { X, SCALE, OFFSET };
enum { DST_DTYPE, SRC_DTYPE };
enum { INT8, QUINT4X2, FLOAT8_E4M3FN, FLOAT8_E5M2 };

static const enum clq_npu_dtype numbers[] = {CLQ_NPU_QINT8, CLQ_NPU_QUINT4X2, CLQ_NPU_FLOAT8_E4M3FN,
                                             CLQ_NPU_FLOAT8_E5M2};

/* By what x is where it is not said: I32 is words then. */
static enum clq_npu_dtype src_dtype(const struct operator_call *call)
{
    return call->given[SRC_DTYPE] ? numbers[call->values[SRC_DTYPE]] : (enum clq_npu_dtype)0;
}

static bool plan(struct operator_call *call)
{
    const struct safetensors_tensor *x = call->sources[X];
    int64_t shape[CLQ_MAX_RANK] = {0};

    for (int d = 0; d < (int)x->rank; d++)
        shape[d] = x->shape[d];
    if (x->rank > 0 && call->dtypes[X].bits == 32)
        shape[x->rank - 1] *= IN_WORD(4);
    operator_add_shape(call, "output", operator_dtype(call, DST_DTYPE), (int)x->rank, shape);
    return true;
}

static clq_status check(struct operator_call *call)
{
    return clq_npu_anti_quant_check(operator_input(call, X), operator_input(call, SCALE),
                                    operator_input(call, OFFSET), src_dtype(call), operator_output(call, 0));
}

static clq_status run(struct operator_call *call, cl_event *done)
{
    return clq_npu_anti_quant(call->context, call->queue, operator_input(call, X),
                              operator_input(call, SCALE), operator_input(call, OFFSET), src_dtype(call),
                              operator_output(call, 0), 0, NULL, done);
}

const struct operator_description npu_anti_quant_operator = {
    .name = "npu_anti_quant",
    .summary = "Turns x into floats as npu_anti_quant(x, scale, offset, dst_dtype, src_dtype) does.",
    .formula = "  output = (x + offset) * scale",
    .outputs = "output; of quint4x2 with eight times the last dimension",
    .inputs =
        {
            [X] = {"x", false, "I8, F8_E4M3, F8_E5M2, or I32: words of quint4x2"},
            [SCALE] = {"scale", false, "F32, F16 or BF16; one, or one per index of the last axis"},
            [OFFSET] = {"offset", true, "the same type and shape"},
        },
    .options =
        {
            [DST_DTYPE] = {"dst-dtype", operator_scale_types, "float16", "the type of output"},
            [SRC_DTYPE] = {"src-dtype",
                           (const char *const[]){[INT8] = "int8",
                                                 [QUINT4X2] = "quint4x2",
                                                 [FLOAT8_E4M3FN] = "float8_e4m3fn",
                                                 [FLOAT8_E5M2] = "float8_e5m2",
                                                 NULL},
                           NULL, "the type of x; by its type in the file"},
        },
    .plan = plan,
    .check = check,
    .run = run,
};

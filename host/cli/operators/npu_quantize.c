/* SPDX-License-Identifier: Apache-2.0 */
/* clquant npu_quantize: the documented call. */
#include "operator.h"

enum { INPUT, SCALES, ZERO_POINTS };
enum { DTYPE, AXIS, DIV_MODE };
enum { TRUE, FALSE };

/* In the order of the choices of --dtype. */
static const struct {
    enum clq_npu_dtype dtype;
    DLDataType output;
    int elements;
} dtypes[] = {
    {CLQ_NPU_QINT8, {kDLInt, 8, 1}, ONE_ELEMENT},
    {CLQ_NPU_QUINT8, {kDLUInt, 8, 1}, ONE_ELEMENT},
    {CLQ_NPU_INT32, {kDLInt, 32, 1}, ONE_ELEMENT},
    {CLQ_NPU_INT32, {kDLInt, 32, 1}, ONE_ELEMENT},
    {CLQ_NPU_QUINT4X2, {kDLInt, 32, 1}, IN_WORD(4)},
    {CLQ_NPU_FLOAT8_E4M3FN, {CLQ_CODE_FLOAT8_E4M3FN, 8, 1}, ONE_ELEMENT},
    {CLQ_NPU_FLOAT8_E5M2, {CLQ_CODE_FLOAT8_E5M2, 8, 1}, ONE_ELEMENT},
};

static bool plan(struct operator_call *call)
{
    const int64_t i = call->values[DTYPE];

    return operator_add_output(call, "output", dtypes[i].output, INPUT, dtypes[i].elements);
}

static clq_status check(struct operator_call *call)
{
    return clq_npu_quantize_check(operator_input(call, INPUT), operator_input(call, SCALES),
                                  operator_input(call, ZERO_POINTS), dtypes[call->values[DTYPE]].dtype,
                                  (int)call->values[AXIS], call->values[DIV_MODE] == TRUE,
                                  operator_output(call, 0));
}

static clq_status run(struct operator_call *call, cl_event *done)
{
    return clq_npu_quantize(call->context, call->queue, operator_input(call, INPUT),
                            operator_input(call, SCALES), operator_input(call, ZERO_POINTS),
                            dtypes[call->values[DTYPE]].dtype, (int)call->values[AXIS],
                            call->values[DIV_MODE] == TRUE, operator_output(call, 0), 0, NULL, done);
}

static void record(const struct operator_call *call, struct operator_record *record)
{
    operator_record_static(call, record);
    record->dtype = dtypes[call->values[DTYPE]].elements > 1 ? "int4" : record->dtype;
    record->values[RECORD_AXIS] = call->values[AXIS] == -2 ? -2 : -1;
    record->values[RECORD_MODE] =
        call->values[DIV_MODE] == TRUE ? CLQ_DEQUANTIZE_DIVIDE : CLQ_DEQUANTIZE_MULTIPLY;
}

const struct operator_description npu_quantize_operator =
    {
        .name = "npu_quantize",
        .summary = "Quantizes input as npu_quantize(input, scales, zero_points, dtype, axis, div_mode) does.",
        .formula = "  div-mode true   output = sat(rint(input / scales + zero_points)),\n"
                   "                  qint8, quint8, int32, float8\n"
                   "  div-mode false  output = sat(rint(input * scales + zero_points)),\n"
                   "                  qint8, quint4x2, float8;\n"
                   "                  axis -2 is the second-to-last, anything from -1 up the last",
        .outputs = "output; quint4x2 is I32 with an eighth of the last dimension",
        .inputs =
            {
                [INPUT] = {"input", false, "F32, F16 or BF16"},
                [SCALES] = {"scales", false, "F32, F16 or BF16; one element, or one per index of the axis"},
                [ZERO_POINTS] = {"zero_points", true, "like scales; with div-mode true also I8, U8 or I32"},
            },
        .options =
            {
                [DTYPE] = {"dtype",
                           (const char *const[]){"qint8", "quint8", "int32", "qint32", "quint4x2",
                                                 "float8_e4m3fn", "float8_e5m2", NULL},
                           "qint8", "the type of output; qint32 is int32"},
                [AXIS] = {"axis", NULL, "1", "the axis of scales and zero_points"},
                [DIV_MODE] = {"div-mode", (const char *const[]){"true", "false", NULL},
                              "true", "divide by scales, or multiply"},
            },
        .plan = plan,
        .check = check,
        .run = run,
        .record = record,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* clquant npu_group_quant: the documented call. */
#include "operator.h"

enum { X, SCALE, GROUP_INDEX, OFFSET };
enum { DST_DTYPE };
enum { INT8, QINT8, QUINT4X2 };

static bool plan(struct operator_call *call)
{
    return call->values[DST_DTYPE] == QUINT4X2 ? operator_add_output(call, "y", CLQ_INT4_WORDS, X, IN_WORD(4))
                                               : operator_add_output(call, "y", CLQ_INT8, X, ONE_ELEMENT);
}

static enum clq_npu_dtype dst_dtype(const struct operator_call *call)
{
    return call->values[DST_DTYPE] == QUINT4X2 ? CLQ_NPU_QUINT4X2 : CLQ_NPU_QINT8;
}

static clq_status check(struct operator_call *call)
{
    return clq_npu_group_quant_check(operator_input(call, X), operator_input(call, SCALE),
                                     operator_input(call, GROUP_INDEX), operator_input(call, OFFSET),
                                     dst_dtype(call), operator_output(call, 0));
}

static clq_status run(struct operator_call *call, cl_event *done)
{
    const struct clq_group_quantize_desc general = {
        .x = operator_input(call, X),
        .scales = operator_input(call, SCALE),
        .group_index = operator_input(call, GROUP_INDEX),
        .zero_points = operator_input(call, OFFSET),
        .y = operator_output(call, 0),
    };
    const clq_status status = clq_group_quantize_check_indices(call->context, call->queue, &general, 0, NULL);

    if (status != CLQ_OK)
        return status;
    return clq_npu_group_quant(call->context, call->queue, general.x, general.scales, general.group_index,
                               general.zero_points, dst_dtype(call), general.y, 0, NULL, done);
}

const struct operator_description npu_group_quant_operator = {
    .name = "npu_group_quant",
    .summary = "Quantizes x as npu_group_quant(x, scale, group_index, offset, dst_dtype) does.",
    .formula = "  y[r, :] = sat(rint(x[r, :] * scale[g, :] + offset)),\n"
               "  g is the first group whose end is past r; group_index is checked first: it\n"
               "  never decreases and ends at x's number of rows",
    .outputs = "y; quint4x2 is I32 with an eighth of the last dimension",
    .inputs =
        {
            [X] = {"x", false, "F32, F16 or BF16, [S, H]"},
            [SCALE] = {"scale", false, "F32, F16 or BF16, [E, H]"},
            [GROUP_INDEX] = {"group_index", false, "I32 or I64, [E]: the end row of each group"},
            [OFFSET] = {"offset", true, "one number of scale's type"},
        },
    .options =
        {
            [DST_DTYPE] = {"dst-dtype",
                           (const char *const[]){
                               [INT8] = "int8", [QINT8] = "qint8", [QUINT4X2] = "quint4x2", NULL},
                           "int8", "the type of y; qint8 is int8"},
        },
    .plan = plan,
    .check = check,
    .run = run,
    .record = operator_record_groups,
};

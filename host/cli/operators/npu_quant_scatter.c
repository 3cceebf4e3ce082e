/* SPDX-License-Identifier: Apache-2.0 */
/* clquant npu_quant_scatter and npu_quant_scatter_: the documented calls, into a copy and in place. */
#include "operator.h"

enum { INPUT, INDICES, UPDATES, QUANT_SCALES, QUANT_ZERO_POINTS };
enum { AXIS, QUANT_AXIS, REDUCE, DST_TYPE, ROUND_MODE, STRICT };

static bool plan_copy(struct operator_call *call)
{
    return operator_add_output(call, "output", call->dtypes[INPUT], INPUT, ONE_ELEMENT);
}

static bool plan_in_place(struct operator_call *call)
{
    operator_add_output_in_place(call, INPUT);
    return true;
}

/* The documented call has no report: the general operator's, in place, which writes the same bytes. */
static struct clq_quantize_scatter_desc general_of(const struct operator_call *call)
{
    return (struct clq_quantize_scatter_desc){
        .cache = operator_output(call, 0),
        .indices = operator_input(call, INDICES),
        .updates = operator_input(call, UPDATES),
        .scales = operator_input(call, QUANT_SCALES),
        .zero_points = operator_input(call, QUANT_ZERO_POINTS),
        .axis = operator_axis(call, AXIS),
    };
}

static enum clq_npu_dtype dst_type_of(const struct operator_call *call)
{
    static const enum clq_npu_dtype dtypes[] = {CLQ_NPU_QINT8, CLQ_NPU_FLOAT8_E4M3FN, CLQ_NPU_FLOAT8_E5M2};

    return dtypes[call->values[DST_TYPE]];
}

static clq_status check_with(struct operator_call *call, const DLTensor *output)
{
    return clq_npu_quant_scatter_check(
        operator_input(call, INPUT), operator_input(call, INDICES), operator_input(call, UPDATES),
        operator_input(call, QUANT_SCALES), operator_input(call, QUANT_ZERO_POINTS), (int)call->values[AXIS],
        (int)call->values[QUANT_AXIS], "update", dst_type_of(call), "rint", output);
}

static clq_status check_copy(struct operator_call *call)
{
    return check_with(call, operator_output(call, 0));
}

static clq_status check_in_place(struct operator_call *call)
{
    return check_with(call, NULL);
}

static clq_status check_indices(struct operator_call *call)
{
    const struct clq_quantize_scatter_desc general = general_of(call);

    return clq_quantize_scatter_check_indices(call->context, call->queue, &general, 0, NULL);
}

/* Where an entry was dropped, the general operator writes the others again and counts. */
static clq_status count(struct operator_call *call)
{
    struct clq_quantize_scatter_desc general = general_of(call);
    clq_status status = check_indices(call);

    if (status != CLQ_ERROR_INDEX || call->values[STRICT])
        return status;
    status = operator_report(call, &general.report);
    return status != CLQ_OK ? status
                            : clq_quantize_scatter(call->context, call->queue, &general, 0, NULL, NULL);
}

static clq_status run_copy(struct operator_call *call, cl_event *done)
{
    const clq_status status = clq_npu_quant_scatter(
        call->context, call->queue, operator_input(call, INPUT), operator_input(call, INDICES),
        operator_input(call, UPDATES), operator_input(call, QUANT_SCALES),
        operator_input(call, QUANT_ZERO_POINTS), (int)call->values[AXIS], (int)call->values[QUANT_AXIS],
        "update", dst_type_of(call), "rint", operator_output(call, 0), 0, NULL, done);

    return status != CLQ_OK ? status : count(call);
}

static clq_status run_in_place(struct operator_call *call, cl_event *done)
{
    const clq_status status = clq_npu_quant_scatter_(
        call->context, call->queue, operator_output(call, 0), operator_input(call, INDICES),
        operator_input(call, UPDATES), operator_input(call, QUANT_SCALES),
        operator_input(call, QUANT_ZERO_POINTS), (int)call->values[AXIS], (int)call->values[QUANT_AXIS],
        "update", dst_type_of(call), "rint", 0, NULL, done);

    return status != CLQ_OK ? status : count(call);
}

#define FORMULA                                                                                              \
    "  b, s = indices[i] where indices is [N, 2], else (i, indices[i])\n"                                    \
    "  [b, .., s : s+U on axis, .., :] =\n"                                                                  \
    "      sat(rint(updates[i] / quant_scales + quant_zero_points))"
#define OTHER_INPUTS                                                                                         \
    [INDICES] = {"indices", false, "I32 or I64, [N] or [N, 2]"},                                             \
    [UPDATES] = {"updates", false, "F32, F16 or BF16; the first dimension N"},                               \
    [QUANT_SCALES] = {"quant_scales", false, "F32, F16 or BF16; one per index of the last axis"},            \
    [QUANT_ZERO_POINTS] = {"quant_zero_points", true, "those, or I8, U8, I32; one per index"}
#define OPTIONS                                                                                              \
    {                                                                                                        \
        [AXIS] = {"axis", NULL, "-2", "the axis that a start counts on: neither the first nor the last"},    \
        [QUANT_AXIS] = {"quant-axis", NULL, "-1", "the axis of the scales: only the last is allowed"},       \
        [REDUCE] = {"reduce", (const char *const[]){"update", NULL}, "update", "what is done there"},        \
        [DST_TYPE] = {"dst-type", (const char *const[]){"int8", "float8_e4m3fn", "float8_e5m2", NULL},       \
                      "int8", "the type that is written"},                                                   \
        [ROUND_MODE] = {"round-mode", (const char *const[]){"rint", NULL}, "rint", "how it is rounded"},     \
        [STRICT] = OPERATOR_STRICT,                                                                          \
    }

const struct operator_description npu_quant_scatter_operator = {
    .name = "npu_quant_scatter",
    .summary = "Quantizes updates into a copy of input as npu_quant_scatter(input, ...) does.",
    .formula = FORMULA,
    .outputs = "output",
    .inputs = {[INPUT] = {"input", false, "I8, F8_E4M3 or F8_E5M2, as --dst-type says; rank 3 to 8"},
               OTHER_INPUTS},
    .options = OPTIONS,
    .plan = plan_copy,
    .check = check_copy,
    .check_indices = check_indices,
    .run = run_copy,
    .record = operator_record_static,
    .recalls = true,
};

const struct operator_description npu_quant_scatter_in_place_operator = {
    .name = "npu_quant_scatter_",
    .summary = "The same in place: self comes out changed.",
    .formula = FORMULA,
    .outputs = "self",
    .inputs = {[INPUT] = {"self", false, "I8, F8_E4M3 or F8_E5M2, as --dst-type says; rank 3 to 8"},
               OTHER_INPUTS},
    .options = OPTIONS,
    .plan = plan_in_place,
    .check = check_in_place,
    .check_indices = check_indices,
    .run = run_in_place,
    .record = operator_record_static,
    .recalls = true,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* clquant npu_dynamic_quant and npu_dynamic_quant_asymmetric: the documented calls. */
#include "operator.h"

enum { X, SMOOTH_SCALES, GROUP_INDEX };
enum { DST_TYPE, QUANT_MODE, DST_TYPE_MAX };
enum { Y, SCALE, OFFSET };
enum { PERTOKEN, PERCHANNEL, PERTENSOR };

static const struct {
    enum clq_npu_dtype number;
    DLDataType dtype;
} types[] = {{CLQ_NPU_QINT8, {kDLInt, 8, 1}},
             {CLQ_NPU_QUINT4X2, {kDLInt, 4, IN_WORD(4)}},
             {CLQ_NPU_FLOAT8_E4M3FN, {CLQ_CODE_FLOAT8_E4M3FN, 8, 1}},
             {CLQ_NPU_FLOAT8_E5M2, {CLQ_CODE_FLOAT8_E5M2, 8, 1}}};
static const char *const modes[] = {"pertoken", "perchannel", "pertensor", NULL};

static bool plan_outputs(struct operator_call *call, bool asymmetric)
{
    const int64_t mode = call->values[QUANT_MODE];
    const DLDataType dtype = types[call->values[DST_TYPE]].dtype;
    const struct operator_found found = {
        .dtype = CLQ_FLOAT32, .axis = mode == PERCHANNEL ? -2 : -1, .all = mode == PERTENSOR};

    return operator_add_output(call, "y", dtype, X, dtype.lanes) &&
           operator_add_found_output(call, "scale", X, &found) &&
           (!asymmetric || operator_add_found_output(call, "offset", X, &found));
}

static bool plan(struct operator_call *call)
{
    return plan_outputs(call, false);
}

static bool plan_asymmetric(struct operator_call *call)
{
    return plan_outputs(call, true);
}

static clq_status check(struct operator_call *call)
{
    return clq_npu_dynamic_quant_check(operator_input(call, X), operator_input(call, SMOOTH_SCALES),
                                       operator_input(call, GROUP_INDEX),
                                       types[call->values[DST_TYPE]].number, modes[call->values[QUANT_MODE]],
                                       operator_decimal_of(call->values[DST_TYPE_MAX]),
                                       operator_output(call, Y), operator_output(call, SCALE));
}

static clq_status check_asymmetric(struct operator_call *call)
{
    return clq_npu_dynamic_quant_asymmetric_check(
        operator_input(call, X), operator_input(call, SMOOTH_SCALES), operator_input(call, GROUP_INDEX),
        types[call->values[DST_TYPE]].number, modes[call->values[QUANT_MODE]], operator_output(call, Y),
        operator_output(call, SCALE), operator_output(call, OFFSET));
}

/* Rows of no group leave what is there: zeros. */
static clq_status clear(struct operator_call *call)
{
    return operator_input(call, GROUP_INDEX) != NULL ? operator_clear_outputs(call) : CLQ_OK;
}

static clq_status run(struct operator_call *call, cl_event *done)
{
    const clq_status status = clear(call);

    return status != CLQ_OK
               ? status
               : clq_npu_dynamic_quant(call->context, call->queue, operator_input(call, X),
                                       operator_input(call, SMOOTH_SCALES), operator_input(call, GROUP_INDEX),
                                       types[call->values[DST_TYPE]].number, modes[call->values[QUANT_MODE]],
                                       operator_decimal_of(call->values[DST_TYPE_MAX]),
                                       operator_output(call, Y), operator_output(call, SCALE), 0, NULL, done);
}

static clq_status run_asymmetric(struct operator_call *call, cl_event *done)
{
    const clq_status status = clear(call);

    return status != CLQ_OK
               ? status
               : clq_npu_dynamic_quant_asymmetric(
                     call->context, call->queue, operator_input(call, X), operator_input(call, SMOOTH_SCALES),
                     operator_input(call, GROUP_INDEX), types[call->values[DST_TYPE]].number,
                     modes[call->values[QUANT_MODE]], operator_output(call, Y), operator_output(call, SCALE),
                     operator_output(call, OFFSET), 0, NULL, done);
}

static void record(const struct operator_call *call, struct operator_record *record)
{
    operator_record_dynamic(call, record);
    record->values[RECORD_AXIS] = call->values[QUANT_MODE] == PERCHANNEL ? -2 : -1;
    record->values[RECORD_BLOCK_ALL] = call->values[QUANT_MODE] == PERTENSOR;
}

/* Its offset is a zero point. Of x [rows, columns] that of rows belongs to the first axis. */
static void record_asymmetric(const struct operator_call *call, struct operator_record *record)
{
    operator_record_static(call, record);
    record->values[RECORD_AXIS] = call->values[QUANT_MODE] == PERTOKEN ? -2 : -1;
    record->added = true;
}

#define INPUTS                                                                                               \
    {                                                                                                        \
        [X] = {"x", false, "F32, F16 or BF16, rank 1 to 8"},                                                 \
        [SMOOTH_SCALES] = {"smooth_scales", true,                                                            \
                           "those; one per element of a row, perchannel per row, or with groups [E, H]"},    \
        [GROUP_INDEX] = {"group_index", true, "I32 or I64, [E]: the end row of each group of rows"},         \
    }
#define QUANT_MODE_OPTION                                                                                    \
    {                                                                                                        \
        "quant-mode", modes, "pertoken", "a scale a row, a channel, or one"                                  \
    }

const struct operator_description npu_dynamic_quant_operator = {
    .name = "npu_dynamic_quant",
    .summary = "Quantizes x as npu_dynamic_quant(x, smooth_scales, group_index, dst_type, ..) does.",
    .formula = "  scale = max(amax / 127, 1e-12), y = sat(rint(x * (1 / scale)))\n"
               "  quint4x2: / 7; float8_e4m3fn: / 448; float8_e5m2: / 57344; or by\n"
               "  --dst-type-max; rows of no group are zero in all outputs",
    .outputs = "y, scale; y of quint4x2 is I32 with an eighth of the last dimension",
    .inputs = INPUTS,
    .options =
        {
            [DST_TYPE] = {"dst-type",
                          (const char *const[]){"int8", "quint4x2", "float8_e4m3fn", "float8_e5m2", NULL},
                          "int8", "the type of y"},
            [QUANT_MODE] = QUANT_MODE_OPTION,
            [DST_TYPE_MAX] = {"dst-type-max", operator_decimal, "0",
                              "what the largest magnitude becomes; 0: the largest value of the type"},
        },
    .plan = plan,
    .check = check,
    .run = run,
    .record = record,
};

const struct operator_description npu_dynamic_quant_asymmetric_operator = {
    .name = "npu_dynamic_quant_asymmetric",
    .summary = "Quantizes x as npu_dynamic_quant_asymmetric(x, smooth_scales, group_index, ..) does.",
    .formula = "  scale = max((mx - mn) / 255, 1e-12), offset = 127 - mx / scale\n"
               "  (quint4x2: / 15, 7), y = sat(rint(x * (1 / scale) + offset));\n"
               "  rows of no group are zero in all outputs",
    .outputs = "y, scale, offset; y of quint4x2 is I32 with an eighth of the last dimension",
    .inputs = INPUTS,
    .options =
        {
            [DST_TYPE] = {"dst-type", (const char *const[]){"int8", "quint4x2", NULL}, "int8",
                          "the type of y"},
            [QUANT_MODE] = QUANT_MODE_OPTION,
        },
    .plan = plan_asymmetric,
    .check = check_asymmetric,
    .run = run_asymmetric,
    .record = record_asymmetric,
};

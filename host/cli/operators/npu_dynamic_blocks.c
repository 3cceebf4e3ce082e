/* SPDX-License-Identifier: Apache-2.0 */
/* clquant npu_dynamic_mx_quant and npu_dynamic_block_quant: the documented calls. */
#include "operator.h"

enum { X };
enum { MX_AXIS, MX_DST_TYPE, MX_BLOCK_SIZE, MX_SCALE_ALG };
enum { BLOCK_MIN_SCALE, BLOCK_DST_TYPE, BLOCK_ROWS, BLOCK_COLUMNS };
enum { Y, SCALE };

static const struct {
    enum clq_npu_dtype number;
    DLDataType dtype;
} mx_types[] = {{CLQ_NPU_FLOAT4_E2M1FN, {CLQ_CODE_FLOAT4_E2M1FN, 4, IN_BYTE(4)}},
                {CLQ_NPU_FLOAT8_E4M3FN, {CLQ_CODE_FLOAT8_E4M3FN, 8, 1}},
                {CLQ_NPU_FLOAT8_E5M2, {CLQ_CODE_FLOAT8_E5M2, 8, 1}}};

/* What is wrong with an axis the library says. */
static bool plan_mx(struct operator_call *call)
{
    const struct safetensors_tensor *x = call->sources[X];
    const int rank = (int)x->rank;
    const int64_t axis = call->values[MX_AXIS] + (call->values[MX_AXIS] < 0 ? (int)x->rank : 0);
    const DLDataType dtype = mx_types[call->values[MX_DST_TYPE]].dtype;
    int64_t shape[CLQ_MAX_RANK];

    if (rank == 0 || rank == CLQ_MAX_RANK)
        return fail(
            call->failure, STATUS_REFUSED,
            "%s: tensor '%.200s' has rank %d: it must be from 1 to %d, for mxscale has a dimension more",
            operator_path(call, X), x->name, rank, CLQ_MAX_RANK - 1);
    for (int d = 0; d < rank; d++)
        shape[d] = operator_blocks_of(
            operator_blocks_of(x->shape[d], d == axis ? call->values[MX_BLOCK_SIZE] : 0), d == axis ? 2 : 0);
    shape[rank] = 2;
    if (!operator_add_output(call, "y", dtype, X, dtype.lanes))
        return false;
    operator_add_shape(call, "mxscale", CLQ_FLOAT8_E8M0FNU, rank + 1, shape);
    return true;
}

static clq_status check_mx(struct operator_call *call)
{
    return clq_npu_dynamic_mx_quant_check(operator_input(call, X), (int)call->values[MX_AXIS], "rint",
                                          mx_types[call->values[MX_DST_TYPE]].number,
                                          call->values[MX_BLOCK_SIZE], (int)call->values[MX_SCALE_ALG], 0.0f,
                                          0.0f, operator_output(call, Y), operator_output(call, SCALE));
}

static clq_status run_mx(struct operator_call *call, cl_event *done)
{
    return clq_npu_dynamic_mx_quant(call->context, call->queue, operator_input(call, X),
                                    (int)call->values[MX_AXIS], "rint",
                                    mx_types[call->values[MX_DST_TYPE]].number, call->values[MX_BLOCK_SIZE],
                                    (int)call->values[MX_SCALE_ALG], 0.0f, 0.0f, operator_output(call, Y),
                                    operator_output(call, SCALE), 0, NULL, done);
}

static void record_mx(const struct operator_call *call, struct operator_record *record)
{
    operator_record_dynamic(call, record);
    record->values[RECORD_BLOCK] = call->values[MX_BLOCK_SIZE];
}

const struct operator_description npu_dynamic_mx_quant_operator = {
    .name = "npu_dynamic_mx_quant",
    .summary = "Quantizes blocks as npu_dynamic_mx_quant(input, axis, dst_type, block_size, ..) does.",
    .formula = "  mxscale = a power of two from a block's largest magnitude, by mx_floor or\n"
               "  with --scale-alg 1 mx_rceil; y = input / mxscale, rounded to the type",
    .outputs = "y, mxscale; y of float4 is U8 with half the last dimension; mxscale is F8_E8M0 with a "
               "dimension of 2 more, and half the blocks on the axis",
    .inputs = {[X] = {"input", false, "F32, F16 or BF16, rank 1 to 7"}},
    .options =
        {
            [MX_AXIS] = {"axis", NULL, "-1", "the axis that is cut into blocks"},
            [MX_DST_TYPE] = {"dst-type",
                             (const char *const[]){"float4_e2m1fn", "float8_e4m3fn", "float8_e5m2", NULL},
                             "float4_e2m1fn", "the type of y"},
            [MX_BLOCK_SIZE] = {"block-size", operator_count, "32",
                               "how many indices of the axis share a scale"},
            [MX_SCALE_ALG] = {"scale-alg", (const char *const[]){"0", "1", NULL}, "0",
                              "0: mx_floor, the rule of OCP; 1: mx_rceil"},
        },
    .plan = plan_mx,
    .check = check_mx,
    .run = run_mx,
    .record = record_mx,
};

static const struct {
    enum clq_npu_dtype number;
    DLDataType dtype;
} block_types[] = {{CLQ_NPU_QINT8, {kDLInt, 8, 1}},
                   {CLQ_NPU_FLOAT8_E4M3FN, {CLQ_CODE_FLOAT8_E4M3FN, 8, 1}},
                   {CLQ_NPU_FLOAT8_E5M2, {CLQ_CODE_FLOAT8_E5M2, 8, 1}}};

static bool plan_block(struct operator_call *call)
{
    const struct operator_found found = {.dtype = CLQ_FLOAT32,
                                         .axis = -1,
                                         .block = call->values[BLOCK_COLUMNS],
                                         .before = call->values[BLOCK_ROWS]};

    return operator_add_output(call, "y", block_types[call->values[BLOCK_DST_TYPE]].dtype, X, ONE_ELEMENT) &&
           operator_add_found_output(call, "scale", X, &found);
}

static clq_status check_block(struct operator_call *call)
{
    return clq_npu_dynamic_block_quant_check(
        operator_input(call, X), operator_decimal_of(call->values[BLOCK_MIN_SCALE]), "rint",
        block_types[call->values[BLOCK_DST_TYPE]].number, call->values[BLOCK_ROWS],
        call->values[BLOCK_COLUMNS], operator_output(call, Y), operator_output(call, SCALE));
}

static clq_status run_block(struct operator_call *call, cl_event *done)
{
    return clq_npu_dynamic_block_quant(call->context, call->queue, operator_input(call, X),
                                       operator_decimal_of(call->values[BLOCK_MIN_SCALE]), "rint",
                                       block_types[call->values[BLOCK_DST_TYPE]].number,
                                       call->values[BLOCK_ROWS], call->values[BLOCK_COLUMNS],
                                       operator_output(call, Y), operator_output(call, SCALE), 0, NULL, done);
}

static void record_block(const struct operator_call *call, struct operator_record *record)
{
    operator_record_dynamic(call, record);
    record->values[RECORD_BLOCK] = call->values[BLOCK_COLUMNS];
    record->values[RECORD_BLOCK_BEFORE] = call->values[BLOCK_ROWS] > 1 ? call->values[BLOCK_ROWS] : 0;
}

const struct operator_description npu_dynamic_block_quant_operator = {
    .name = "npu_dynamic_block_quant",
    .summary = "Quantizes blocks as npu_dynamic_block_quant(x, min_scale, dst_type, ..) does.",
    .formula = "  scale = amax / 127, at most 1 / min_scale; y = sat(rint(x / scale))\n"
               "  float8_e4m3fn: / 448; float8_e5m2: / 57344; amax is of finite values",
    .outputs = "y, scale",
    .inputs = {[X] = {"x", false, "F32, F16 or BF16, rank 1 to 8"}},
    .options =
        {
            [BLOCK_MIN_SCALE] = {"min-scale", operator_decimal, "0", "above 0: no scale is above 1 / this"},
            [BLOCK_DST_TYPE] = {"dst-type",
                                (const char *const[]){"int8", "float8_e4m3fn", "float8_e5m2", NULL}, "int8",
                                "the type of y"},
            [BLOCK_ROWS] = {"row-block-size", operator_count, "1",
                            "how many indices of the second-to-last dimension share a scale; from 1 on"},
            [BLOCK_COLUMNS] = {"col-block-size", operator_count, "128", "the same of the last dimension"},
        },
    .plan = plan_block,
    .check = check_block,
    .run = run_block,
    .record = record_block,
};

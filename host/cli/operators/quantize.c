/* SPDX-License-Identifier: Apache-2.0 */
/* clquant quantize: static quantization, every type and any axis. */
#include "operator.h"

enum { X, SCALES, ZERO_POINTS };
enum { DTYPE, AXIS, BLOCK, BLOCK_BEFORE, MODE, ROUND_FIRST, CONTAINER };

static bool plan(struct operator_call *call)
{
    return operator_add_packed_output(call, "y", operator_dtype(call, DTYPE), X, CONTAINER);
}

static struct clq_quantize_desc desc_of(const struct operator_call *call)
{
    return (struct clq_quantize_desc){
        .x = operator_input(call, X),
        .scales = operator_input(call, SCALES),
        .zero_points = operator_input(call, ZERO_POINTS),
        .y = operator_output(call, 0),
        .axis = operator_axis(call, AXIS),
        .mode = (uint32_t)call->values[MODE],
        .block = (uint32_t)call->values[BLOCK],
        .block_before = (uint32_t)call->values[BLOCK_BEFORE],
        .round_first = (uint32_t)call->values[ROUND_FIRST],
    };
}

static clq_status check(struct operator_call *call)
{
    const struct clq_quantize_desc desc = desc_of(call);

    return clq_quantize_check(&desc);
}

static clq_status run(struct operator_call *call, cl_event *done)
{
    const struct clq_quantize_desc desc = desc_of(call);

    return clq_quantize(call->context, call->queue, &desc, 0, NULL, done);
}

const struct operator_description quantize_operator = {
    .name = "quantize",
    .summary = "Quantizes x with given scales.",
    .formula = "  divide    y = sat(rint(x / scales + zero_points))\n"
               "  multiply  y = sat(rint(x * scales + zero_points))\n"
               "  floats    the sum rounded to the type; without zero_points -0 stays -0",
    .outputs = OPERATOR_PACKED_Y,
    .inputs =
        {
            [X] = {"x", false, "F32, F16 or BF16"},
            [SCALES] = {"scales", false,
                        "F32, F16, BF16, F8_E8M0, F8_E4M3; one, one per index of the axis, or by shape"},
            [ZERO_POINTS] = {"zero_points", true, "those, or I8, U8, I32; as scales, independently"},
        },
    .options =
        {
            [DTYPE] = {"dtype", operator_quantized_types, "int8", "the type of y"},
            [AXIS] = {"axis", NULL, "-1", "the axis of scales and zero_points"},
            [BLOCK] = OPERATOR_BLOCK("the axis"),
            [BLOCK_BEFORE] = OPERATOR_BLOCK_BEFORE,
            [MODE] = {"mode", (const char *const[]){"divide", "multiply", NULL}, "divide",
                      "what is done with scales"},
            [ROUND_FIRST] = OPERATOR_ROUND_FIRST,
            [CONTAINER] = OPERATOR_CONTAINER,
        },
    .plan = plan,
    .check = check,
    .run = run,
    .record = operator_record_static,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* clquant group_quantize: static quantization with one row of scales per group of rows. */
#include "operator.h"

enum { X, SCALES, GROUP_INDEX, ZERO_POINTS };
enum { DTYPE, ROUND_FIRST, CONTAINER };

static bool plan(struct operator_call *call)
{
    return operator_add_packed_output(call, "y", operator_dtype(call, DTYPE), X, CONTAINER);
}

static struct clq_group_quantize_desc desc_of(const struct operator_call *call)
{
    return (struct clq_group_quantize_desc){
        .x = operator_input(call, X),
        .scales = operator_input(call, SCALES),
        .group_index = operator_input(call, GROUP_INDEX),
        .zero_points = operator_input(call, ZERO_POINTS),
        .y = operator_output(call, 0),
        .round_first = (uint32_t)call->values[ROUND_FIRST],
    };
}

static clq_status check(struct operator_call *call)
{
    const struct clq_group_quantize_desc desc = desc_of(call);

    return clq_group_quantize_check(&desc);
}

static clq_status run(struct operator_call *call, cl_event *done)
{
    const struct clq_group_quantize_desc desc = desc_of(call);
    const clq_status status = clq_group_quantize_check_indices(call->context, call->queue, &desc, 0, NULL);

    return status != CLQ_OK ? status : clq_group_quantize(call->context, call->queue, &desc, 0, NULL, done);
}

const struct operator_description group_quantize_operator = {
    .name = "group_quantize",
    .summary = "Quantizes the rows of x with one row of scales per group of rows.",
    .formula = "  y[r, :] = sat(rint(x[r, :] * scales[g, :] + zero_points)),\n"
               "  g is the first group whose end is past r; group_index is checked first: it\n"
               "  never decreases and ends at x's number of rows",
    .outputs = OPERATOR_PACKED_Y,
    .inputs =
        {
            [X] = {"x", false, "F32, F16 or BF16, [S, H]"},
            [SCALES] = {"scales", false, "F32, F16, BF16, F8_E8M0, F8_E4M3; [E, H]"},
            [GROUP_INDEX] = {"group_index", false, "I32 or I64, [E]: the end row of each group"},
            [ZERO_POINTS] = {"zero_points", true, "F32, F16 or BF16, one number"},
        },
    .aliases = {{SCALES, "scale"}, {ZERO_POINTS, "offset"}},
    .options =
        {
            [DTYPE] = {"dtype", operator_grouped_types, "int8", "the type of y"},
            [ROUND_FIRST] = OPERATOR_ROUND_FIRST,
            [CONTAINER] = OPERATOR_CONTAINER,
        },
    .plan = plan,
    .check = check,
    .run = run,
    .record = operator_record_groups,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* clquant group_quantize: static quantization with one row of scales per group of rows. */
#include "operator.h"

enum { X, SCALES, ZERO_POINTS };
enum { DTYPE, CONTAINER };

static bool plan(struct operator_call *call)
{
    return operator_add_packed_output(call, "y", operator_dtype(call, DTYPE), X, CONTAINER);
}

OPERATOR_CALLS(group_quantize)
OPERATOR_CHECK_INDICES(group_quantize)
static const struct operator_library library = {"group_quantize", check, run, check_indices};

const struct operator_description group_quantize_operator = {
    .name = "group_quantize",
    .summary = "Quantizes the rows of x with one row of scales per group of rows.",
    .formula = "  y[r, :] = sat(rint(x[r, :] * scales[g, :] + zero_points)),\n"
               "  g is the first group whose end is past r; group_index is checked first: it\n"
               "  never decreases and ends at x's number of rows",
    .outputs = OPERATOR_PACKED_Y,
    .inputs = {[X] = {.name = "x"}, [SCALES] = {.name = "scales"}, [ZERO_POINTS] = {.name = "zero_points"}},
    .aliases = {{SCALES, "scale"}, {ZERO_POINTS, "offset"}},
    .options = {[DTYPE] = {"dtype", operator_grouped_types, "int8", "the type of y"},
                [CONTAINER] = OPERATOR_CONTAINER},
    .library = &library,
    .plan = plan,
    .record = operator_record_groups,
};

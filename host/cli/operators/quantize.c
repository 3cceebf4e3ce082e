/* SPDX-License-Identifier: Apache-2.0 */
/* clquant quantize: static quantization, every type and any axis. */
#include "operator.h"

enum { X };
enum { DTYPE, CONTAINER };

static bool plan(struct operator_call *call)
{
    return operator_add_packed_output(call, "y", operator_dtype(call, DTYPE), X, CONTAINER);
}

OPERATOR_CALLS(quantize)
static const struct operator_library library = {"quantize", check, run, NULL};

const struct operator_description quantize_operator = {
    .name = "quantize",
    .summary = "Quantizes x with given scales.",
    .formula = "  divide    y = sat(rint(x / scales + zero_points))\n"
               "  multiply  y = sat(rint(x * scales + zero_points))\n"
               "  floats    the sum rounded to the type; without zero_points -0 stays -0",
    .outputs = OPERATOR_PACKED_Y,
    .inputs = {[X] = {.name = "x"}},
    .options = {[DTYPE] = {"dtype", operator_quantized_types, "int8", "the type of y"},
                [CONTAINER] = OPERATOR_CONTAINER},
    .library = &library,
    .plan = plan,
    .record = operator_record_static,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* clquant dynamic_quantize: rows by scales that are found from them. */
#include "operator.h"

enum { X, SMOOTH_SCALES };
enum { DTYPE, SCALE_DTYPE, CONTAINER };

static bool plan(struct operator_call *call)
{
    const int64_t rule = operator_value(call, "scale-rule");
    const struct operator_found found = {.dtype = rule ? operator_rule_dtype(rule)
                                                       : operator_dtype(call, SCALE_DTYPE),
                                         .axis = operator_value(call, "axis"),
                                         .block = operator_rule_block(rule, operator_value(call, "block")),
                                         .before = operator_value(call, "block-before"),
                                         .all = operator_value(call, "block-all")};
    const DLDataType dtype = operator_dtype(call, DTYPE);
    const bool blocks = operator_is_block(dtype);

    if (blocks && call->given[SCALE_DTYPE])
        return fail(call->failure, STATUS_USAGE,
                    "--scale-dtype is given: it must be left out where --dtype is %s, whose blocks carry "
                    "their scales",
                    clq_dtype_name(dtype));
    return operator_add_packed_output(call, "y", dtype, X, CONTAINER) &&
           (blocks || operator_add_found_output(call, "scales", X, &found)) &&
           (blocks || operator_value(call, "symmetric") || rule ||
            operator_add_found_output(call, "offsets", X, &found));
}

/* By a rule it is symmetric without a word. */
static void adjust(const struct operator_call *call, void *desc)
{
    struct clq_dynamic_quantize_desc *it = desc;

    it->symmetric = it->symmetric || operator_value(call, "scale-rule");
}

OPERATOR_CALLS(dynamic_quantize)
static const struct operator_library library = {"dynamic_quantize", check, run, NULL};

const struct operator_description dynamic_quantize_operator = {
    .name = "dynamic_quantize",
    .summary = "Quantizes each row of x, or block of it, by a scale that is found from it.",
    .formula = "  scales = max((mx - mn) / (top - lowest), 1e-12), off = top - mx / scales\n"
               "  y = sat(rint(x * (1 / scales) + off)), offsets = -off\n"
               "  symmetric: scales = max(amax / top, 1e-12), no offsets\n"
               "  top and lowest are the ends of the type: 127 and -128 of int8; floats are\n"
               "  always symmetric; blocks (q8_0, ..) carry their scales, and y is all",
    .outputs = "y, [scales], [offsets]",
    .inputs = {[X] = {.name = "x"}, [SMOOTH_SCALES] = {.name = "smooth_scales"}},
    .aliases = {{SMOOTH_SCALES, "smooth_scale"}},
    .options = {[DTYPE] = {"dtype", operator_found_types, "int8", "what y holds"},
                [SCALE_DTYPE] = OPERATOR_SCALE_DTYPE,
                [CONTAINER] = OPERATOR_CONTAINER},
    .adjust = adjust,
    .library = &library,
    .plan = plan,
    .record = operator_record_dynamic,
};

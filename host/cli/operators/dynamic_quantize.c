/* SPDX-License-Identifier: Apache-2.0 */
/* clquant dynamic_quantize: rows by scales that are found from them. */
#include "operator.h"

enum { X, SMOOTH_SCALES, GLOBAL_SCALE };
enum { DTYPE, SYMMETRIC, AXIS, BLOCK, BLOCK_BEFORE, BLOCK_ALL, SCALE_DTYPE, CONTAINER, ROTATE, SCALE_RULE };
enum { Y, SCALES, OFFSETS };

static bool plan(struct operator_call *call)
{
    const int64_t rule = call->values[SCALE_RULE];
    const struct operator_found found = {rule ? operator_rule_dtype(rule) : operator_dtype(call, SCALE_DTYPE),
                                         call->values[AXIS], operator_rule_block(rule, call->values[BLOCK]),
                                         call->values[BLOCK_BEFORE], call->values[BLOCK_ALL]};

    const DLDataType dtype = operator_dtype(call, DTYPE);
    const bool blocks = operator_is_block(dtype);

    if (blocks && call->given[SCALE_DTYPE])
        return fail(call->failure, STATUS_USAGE,
                    "--scale-dtype is given: it must be left out where --dtype is %s, whose blocks carry "
                    "their scales",
                    clq_dtype_name(dtype));
    return operator_add_packed_output(call, "y", dtype, X, CONTAINER) &&
           (blocks || operator_add_found_output(call, "scales", X, &found)) &&
           (blocks || call->values[SYMMETRIC] || rule ||
            operator_add_found_output(call, "offsets", X, &found));
}

static struct clq_dynamic_quantize_desc desc_of(const struct operator_call *call)
{
    const bool blocks = operator_is_block(operator_dtype(call, DTYPE));
    const bool symmetric = call->values[SYMMETRIC] || call->values[SCALE_RULE];

    return (struct clq_dynamic_quantize_desc){.x = operator_input(call, X),
                                              .smooth_scales = operator_input(call, SMOOTH_SCALES),
                                              .y = operator_output(call, Y),
                                              .scales = blocks ? NULL : operator_output(call, SCALES),
                                              .offsets =
                                                  symmetric || blocks ? NULL : operator_output(call, OFFSETS),
                                              .symmetric = symmetric,
                                              .axis = operator_axis(call, AXIS),
                                              .block = (uint32_t)call->values[BLOCK],
                                              .block_before = (uint32_t)call->values[BLOCK_BEFORE],
                                              .block_all = (uint32_t)call->values[BLOCK_ALL],
                                              .rotate = operator_rotate(call->values[ROTATE]),
                                              .scale_rule = (uint32_t)call->values[SCALE_RULE],
                                              .global_scale = operator_input(call, GLOBAL_SCALE)};
}

static clq_status check(struct operator_call *call)
{
    const struct clq_dynamic_quantize_desc desc = desc_of(call);

    return clq_dynamic_quantize_check(&desc);
}

static clq_status run(struct operator_call *call, cl_event *done)
{
    const struct clq_dynamic_quantize_desc desc = desc_of(call);

    return clq_dynamic_quantize(call->context, call->queue, &desc, 0, NULL, done);
}

const struct operator_description dynamic_quantize_operator = {
    .name = "dynamic_quantize",
    .summary = "Quantizes each row of x, or block of it, by a scale that is found from it.",
    .formula = "  scales = max((mx - mn) / (top - lowest), 1e-12), off = top - mx / scales\n"
               "  y = sat(rint(x * (1 / scales) + off)), offsets = -off\n"
               "  symmetric: scales = max(amax / top, 1e-12), no offsets\n"
               "  top and lowest are the ends of the type: 127 and -128 of int8; floats are\n"
               "  always symmetric; blocks (q8_0, ..) carry their scales, and y is all",
    .outputs = "y, [scales], [offsets]",
    .inputs =
        {
            [X] = {"x", false, "F32, F16 or BF16, rank 1 to 8"},
            [SMOOTH_SCALES] = {"smooth_scales", true, "those; one per element of a row, multiplied first"},
            [GLOBAL_SCALE] = OPERATOR_GLOBAL_SCALE,
        },
    .aliases = {{SMOOTH_SCALES, "smooth_scale"}},
    .options =
        {
            [DTYPE] = {"dtype", operator_found_types, "int8", "what y holds"},
            [SYMMETRIC] = {"symmetric", operator_flag, "off", "scale by the largest magnitude, no offsets"},
            [AXIS] = {"axis", NULL, "-1", "the axis whose indices share a scale: the last makes rows"},
            [BLOCK] = OPERATOR_BLOCK("the axis"),
            [BLOCK_BEFORE] = OPERATOR_BLOCK_BEFORE,
            [BLOCK_ALL] = OPERATOR_BLOCK_ALL,
            [SCALE_DTYPE] = OPERATOR_SCALE_DTYPE,
            [CONTAINER] = OPERATOR_CONTAINER,
            [ROTATE] = OPERATOR_ROTATE,
            [SCALE_RULE] = OPERATOR_SCALE_RULE,
        },
    .plan = plan,
    .check = check,
    .run = run,
    .record = operator_record_dynamic,
};

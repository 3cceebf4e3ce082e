/* SPDX-License-Identifier: Apache-2.0 */
/* clquant dynamic_quantize: rows by scales that are found from them. */
#include "operator.h"

enum { X, SMOOTH_SCALES };
enum { DTYPE, SYMMETRIC, AXIS, BLOCK, BLOCK_ALL, SCALE_DTYPE, CONTAINER, ROTATE };
enum { Y, SCALES, OFFSETS };

static bool plan(struct operator_call *call)
{
    const struct operator_found found = {operator_dtype(call, SCALE_DTYPE), call->values[AXIS],
                                         call->values[BLOCK], call->values[BLOCK_ALL]};

    return operator_add_packed_output(call, "y", operator_dtype(call, DTYPE), X, CONTAINER) &&
           operator_add_found_output(call, "scales", X, &found) &&
           (call->values[SYMMETRIC] || operator_add_found_output(call, "offsets", X, &found));
}

static struct clq_dynamic_quantize_desc desc_of(const struct operator_call *call)
{
    const bool symmetric = call->values[SYMMETRIC];

    return (struct clq_dynamic_quantize_desc){.x = operator_input(call, X),
                                              .smooth_scales = operator_input(call, SMOOTH_SCALES),
                                              .y = operator_output(call, Y),
                                              .scales = operator_output(call, SCALES),
                                              .offsets = symmetric ? NULL : operator_output(call, OFFSETS),
                                              .symmetric = symmetric,
                                              .axis = operator_axis(call, AXIS),
                                              .block = (uint32_t)call->values[BLOCK],
                                              .block_all = (uint32_t)call->values[BLOCK_ALL],
                                              .rotate = operator_rotate(call->values[ROTATE])};
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
    .formula = "  scales = max((mx - mn) / 255, 1e-12), off = 127 - mx / scales (int4: / 15, 7)\n"
               "  uint4: off = 15 - mx / scales; uint8: / 255, off = 255 - mx / scales\n"
               "  y = sat(rint(x * (1 / scales) + off)), offsets = -off\n"
               "  symmetric: scales = max(amax / 127, 1e-12), no offsets       (int4: / 7)\n"
               "  float8 is always symmetric: / 448, or / 57344 for float8_e5m2",
    .outputs = "y, scales, [offsets]",
    .inputs =
        {
            [X] = {"x", false, "F32, F16 or BF16, rank 1 to 8"},
            [SMOOTH_SCALES] = {"smooth_scales", true, "those; one per element of a row, multiplied first"},
        },
    .aliases = {{SMOOTH_SCALES, "smooth_scale"}},
    .options =
        {
            [DTYPE] = {"dtype",
                       (const char *const[]){"int8", "int4", "uint4", "uint8", "float8_e4m3fn", "float8_e5m2",
                                             NULL},
                       "int8", "what y holds"},
            [SYMMETRIC] = {"symmetric", operator_flag, "off", "scale by the largest magnitude, no offsets"},
            [AXIS] = {"axis", NULL, "-1", "the axis whose indices share a scale: the last makes rows"},
            [BLOCK] = OPERATOR_BLOCK("the axis"),
            [BLOCK_ALL] = OPERATOR_BLOCK_ALL,
            [SCALE_DTYPE] = OPERATOR_SCALE_DTYPE,
            [CONTAINER] = {"container", (const char *const[]){"bytes", "words", NULL}, "bytes",
                           "how int4 or uint4 is stored: two in a U8, or eight in an I32"},
            [ROTATE] = OPERATOR_ROTATE,
        },
    .plan = plan,
    .check = check,
    .run = run,
};

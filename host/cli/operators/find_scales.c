/* SPDX-License-Identifier: Apache-2.0 */
/* clquant scales: the scales with which x fills the range of a type. */
#include "operator.h"

enum { X };
enum { DTYPE, AXIS };

static bool is_unsigned(const struct operator_call *call)
{
    return operator_dtype(call, DTYPE).code == kDLUInt;
}

/* Elsewhere all zero points are 0. */
static bool has_zero_points(const struct operator_call *call)
{
    return operator_value(call, "method") == CLQ_MINMAX || is_unsigned(call);
}

/* One for each index of the axis, in a shape that says which it is where it is not the last; or with blocks
 * one for each of them, in x's other dimensions too. */
static void add_outputs(struct operator_call *call, int axis)
{
    const struct safetensors_tensor *x = call->sources[X];
    const int64_t block = operator_value(call, "block");
    int64_t shape[CLQ_MAX_RANK] = {axis < 0 ? 1 : x->shape[axis]};
    const bool one_dimension = axis < 0 || (block == 0 && axis == (int)x->rank - 1);
    const int rank = one_dimension ? 1 : (int)x->rank;

    for (int d = 0; d < rank && !one_dimension; d++)
        if (d == axis)
            shape[d] = operator_blocks_of(x->shape[d], block);
        else
            shape[d] = block > 0 ? operator_blocks_of(
                                       x->shape[d], d == axis - 1 ? operator_value(call, "block-before") : 0)
                                 : 1;
    operator_add_shape(call, "scales", CLQ_FLOAT32, rank, shape);
    if (has_zero_points(call))
        operator_add_shape(call, "zero_points", is_unsigned(call) ? CLQ_UINT8 : CLQ_INT8, rank, shape);
}

static bool plan(struct operator_call *call)
{
    const struct safetensors_tensor *x = call->sources[X];
    const int64_t rank = (int64_t)x->rank, wished = call->values[AXIS];

    if (wished == OPERATOR_NONE && operator_value(call, "block") > 0)
        return fail(call->failure, STATUS_USAGE, "--block is %jd: with --axis none it must be 0",
                    (intmax_t)operator_value(call, "block"));
    if (wished == OPERATOR_NONE && operator_value(call, "block-before") > 0)
        return fail(call->failure, STATUS_USAGE, "--block-before is %jd: with --axis none it must be 0",
                    (intmax_t)operator_value(call, "block-before"));
    if (wished != OPERATOR_NONE) {
        if (rank == 0)
            return fail(call->failure, STATUS_REFUSED,
                        "%s: tensor '%.200s': axis is %jd: it must be none, for the tensor has no dimensions",
                        operator_path(call, X), x->name, (intmax_t)wished);
        if (wished < -rank || wished >= rank)
            return fail(call->failure, STATUS_REFUSED,
                        "%s: tensor '%.200s': axis is %jd: it must be from %jd to %jd, its rank, or none",
                        operator_path(call, X), x->name, (intmax_t)wished, (intmax_t)-rank,
                        (intmax_t)rank - 1);
    }
    add_outputs(call, wished == OPERATOR_NONE ? -1 : (int)(wished < 0 ? wished + rank : wished));
    return true;
}

static void adjust(const struct operator_call *call, void *desc)
{
    if (call->values[AXIS] == OPERATOR_NONE)
        ((struct clq_find_scales_desc *)desc)->axis = 0;
}

OPERATOR_CALLS(find_scales)
static const struct operator_library library = {"find_scales", check, run, NULL};

/* The axis is counted from the last one: what is quantized may have more dimensions in front than x. */
static void record(const struct operator_call *call, struct operator_record *record)
{
    const int64_t axis = call->values[AXIS];

    operator_record_static(call, record);
    record->dtype = clq_dtype_name(operator_dtype(call, DTYPE));
    if (axis >= 0 && axis != OPERATOR_NONE)
        record->values[RECORD_AXIS] = axis - (int64_t)call->sources[X]->rank;
    record->added = has_zero_points(call);
}

const struct operator_description find_scales_operator = {
    .name = "scales",
    .also = "find_scales", /* its name in C and Python */
    .summary = "Finds the scales with which x fills the range of a type.",
    .formula = "  absmax  scales = max(max |x| / top, 2^-100); unsigned types have their middle,\n"
               "          128 of uint8, as zero_points: / (top - middle)\n"
               "  minmax  of whole numbers alone, of a range that holds 0;\n"
               "          scales = max((max x - min x) / (top - lowest), 2^-100),\n"
               "          zero_points = lowest - rint(min x / scales)\n"
               "  top and lowest are the ends of the type: 127 and -128 of int8\n"
               "  with mode multiply the reciprocal range; NaN and infinities count as 0",
    .outputs = "scales F32, and zero_points for minmax (I8) and unsigned types (U8)",
    .inputs = {[X] = {.name = "x"}},
    .options = {[DTYPE] = {"dtype", operator_cached_types, "int8", "what x is to be quantized to"},
                [AXIS] = {"axis", operator_number_or_none, "-1",
                          "a scale for each index of it; none: one for all of x"}},
    .adjust = adjust,
    .library = &library,
    .plan = plan,
    .record = record,
};

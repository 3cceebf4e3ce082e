/* SPDX-License-Identifier: Apache-2.0 */
/* clq_find_scales: what clq_quantize is to be given. */
#include <clquant/find_scales.h>

#include "base/error.h"
#include "ops/operators.h"
#include "ops/option_rows.h"
#include "plan/belongs/parameter.h"
#include "plan/kept.h"

/* The zero points of a type fit into these. */
static unsigned zero_point_types(enum clq__type type)
{
    return CLQ__SET(CLQ__F32) | CLQ__SET(CLQ__I32) |
           CLQ__SET(clq__type_is(type, CLQ__UNSIGNED) ? CLQ__U8 : CLQ__I8);
}

static clq_status check_choices(const struct clq_find_scales_desc *desc, struct clq__checked_call *checked)
{
    clq_status status = CLQ_OK;
    const DLDataType dtype = desc->dtype;
    const bool unset = clq__same_dtype(dtype, (DLDataType){0, 0, 0});
    char names[CLQ__NAMES_TEXT], is[CLQ__DTYPE_TEXT];

    checked->divide = desc->mode == CLQ_DIVIDE;
    checked->type = unset ? CLQ__I8 : clq__type_of(dtype);
    CLQ_REQUIRE(CLQ__SET(checked->type) & CLQ__CACHES, CLQ_ERROR_TYPE, "dtype is %s: it must be %s",
                clq__dtype_text(dtype, is, sizeof is), clq__type_names(CLQ__CACHES, names, sizeof names));
    CLQ_REQUIRE(desc->method == CLQ_ABSMAX || clq__type_is(checked->type, CLQ__WHOLE), CLQ_ERROR_VALUE,
                "method is CLQ_MINMAX (1): it must be CLQ_ABSMAX (0) for %s", clq__type_name(checked->type));
    checked->method = desc->method;
end:
    return status;
}

static clq_status check(struct clq__checked_call *checked, const void *of)
{
    clq_status status = CLQ_OK;
    const struct clq_find_scales_desc *desc = of;
    const struct clq__names *names = checked->names;
    struct clq__view *scales = &checked->scale.view, *zero_points = &checked->zero_point.view;

    CLQ_TRY(check_choices(desc, checked));
    CLQ_TRY(clq__view_init(&checked->x, names->x, desc->x, CLQ__FLOATS));
    CLQ_TRY(clq__view_init(scales, names->scales, desc->scales, CLQ__SET(CLQ__F32)));
    CLQ_REQUIRE(desc->zero_points != NULL || checked->method == CLQ_ABSMAX, CLQ_ERROR_NULL,
                "zero_points is NULL: minmax has a zero point for each scale");
    CLQ_REQUIRE(desc->zero_points != NULL || !clq__type_is(checked->type, CLQ__UNSIGNED), CLQ_ERROR_NULL,
                "zero_points is NULL: absmax has the zero point %d for %s", clq__type_middle(checked->type),
                clq__type_name(checked->type));
    CLQ_TRY(clq__view_init_optional(zero_points, names->zero_points, desc->zero_points,
                                    zero_point_types(checked->type)));
    CLQ_TRY(clq__parameters_check_found(
        checked,
        &(struct clq__blocks){.axis = desc->axis, .block = desc->block, .before = desc->block_before}));
    CLQ_TRY(clq__view_check_output(scales));
    CLQ_TRY(clq__view_check_output(zero_points));
    checked->placement.workspace = (struct clq__beside){desc->workspace, desc->workspace_offset_bytes};
end:
    return status;
}

static bool describe(struct clq__plan *plan)
{
    return clq__scales_describe(&plan->of_scales, &plan->checked);
}

static void cut(struct clq__plan *plan, const struct clq__traits *traits)
{
    plan->rounds = clq__scales_cut(&plan->of_scales, &plan->checked, &plan->launches, traits);
}

#define CLQ__DESC clq_find_scales_desc
static const struct clq_option options[] = {
    CLQ__OPTION_AS(x, CLQ__IN("float32, float16 or bfloat16")),
    CLQ__OPTION_AS(scales, CLQ__OUT("float32, one, or one for each index of the axis, or block")),
    CLQ__OPTION_AS(zero_points,
                   CLQ__MAY_BE_OUT("as scales, of a byte; needed for minmax and unsigned types")),
    CLQ__OPTION_AS(dtype, CLQ__TYPE("what x is to be quantized to")),
    CLQ__OPTION_AS(axis, CLQ__ROW_axis_kept),
    CLQ__OPTION(method),
    CLQ__OPTION_AS(mode, CLQ__ROW_mode),
    CLQ__OPTION(block),
    CLQ__OPTION(block_before),
    CLQ__OPTION(workspace),
    CLQ__OPTION(reserved),
};

const struct clq__operator clq__find_scales = {
    CLQ__DESCRIPTOR(options),
    .check = check,
    .tensors = {CLQ__TENSOR(scale.view), CLQ__TENSOR(zero_point.view), CLQ__TENSOR(x)},
    .outputs = 2,
    .describe = describe,
    .cut = cut,
};

static const struct clq__names names = {"x", NULL, "scales", "zero_points", false, false};

clq_status clq_find_scales(clq_context *context, cl_command_queue queue,
                           const struct clq_find_scales_desc *desc, cl_uint num_wait, const cl_event *wait,
                           cl_event *done)
{
    return clq__operator_run(context, queue, &clq__find_scales, &names, desc, num_wait, wait, done);
}

clq_status clq_find_scales_build(clq_context *context, const struct clq_find_scales_desc *desc)
{
    return clq__operator_build(context, &clq__find_scales, &names, desc);
}

clq_status clq_find_scales_check(const struct clq_find_scales_desc *desc)
{
    return clq__operator_check(&clq__find_scales, &names, desc);
}

clq_status clq_find_scales_workspace(clq_context *context, const struct clq_find_scales_desc *desc,
                                     size_t *size_bytes)
{
    return clq__operator_workspace(context, &clq__find_scales, &names, desc, size_bytes);
}

clq_status clq_find_scales_plan(clq_context *context, const struct clq_find_scales_desc *desc,
                                clq_plan **plan)
{
    return clq__plan_keep(context, &clq__find_scales, &names, desc, plan);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* clq_find_scales: the rules that the host can know, each checked once, and the call. */
#include "plan/find_scales.h"

#include "base/error.h"
#include "plan/axis.h"
#include "plan/parameter.h"
#include "runtime/memory.h"

/* The zero points of a type fit into these. */
static unsigned zero_point_types(enum clq__type type)
{
    return CLQ__SET(CLQ__F32) | CLQ__SET(CLQ__I32) | CLQ__SET(type == CLQ__U8 ? CLQ__U8 : CLQ__I8);
}

static clq_status check_choices(const struct clq_find_scales_desc *desc, struct clq__scales_work *work)
{
    clq_status status = CLQ_OK;
    const DLDataType dtype = desc->dtype;
    const bool unset = clq__same_dtype(dtype, (DLDataType){0, 0, 0});
    char names[96], is[CLQ__DTYPE_TEXT];

    CLQ_REQUIRE(desc->method <= CLQ_MINMAX, CLQ_ERROR_VALUE,
                "method is %u: it must be CLQ_ABSMAX (0) or CLQ_MINMAX (1)", desc->method);
    CLQ_REQUIRE(desc->mode <= CLQ_MULTIPLY, CLQ_ERROR_VALUE,
                "mode is %u: it must be CLQ_DIVIDE (0) or CLQ_MULTIPLY (1)", desc->mode);
    work->type = unset ? CLQ__I8 : clq__type_of(dtype);
    CLQ_REQUIRE(CLQ__SET(work->type) & CLQ__CACHES, CLQ_ERROR_TYPE, "dtype is %s: it must be %s",
                clq__dtype_text(dtype, is, sizeof is), clq__type_names(CLQ__CACHES, names, sizeof names));
    work->method = desc->method;
    work->mode = desc->mode;
end:
    return status;
}

static clq_status check_shapes(struct clq__scales_work *work, int axis)
{
    clq_status status = CLQ_OK;
    const struct clq__view *x = &work->x, *scales = &work->scales, *zero_points = &work->zero_points;

    work->axis = -1;
    work->scale_stride = work->zero_point_stride = 0;
    if (scales->elements != 1) {
        CLQ_TRY(clq__axis_check(x, axis, scales->name, scales->elements, &work->axis));
        CLQ_TRY(clq__parameter_check(scales, x, work->axis, &work->scale_stride));
    } else {
        CLQ_TRY(clq__parameter_check_rank(scales, x));
    }
    if (zero_points->tensor == NULL)
        goto end;
    CLQ_REQUIRE(zero_points->elements == scales->elements, CLQ_ERROR_SHAPE,
                "zero_points has %lld elements: it must have as many as scales, %lld",
                (long long)zero_points->elements, (long long)scales->elements);
    if (scales->elements != 1)
        CLQ_TRY(clq__parameter_check(zero_points, x, work->axis, &work->zero_point_stride));
    else
        CLQ_TRY(clq__parameter_check_rank(zero_points, x));
end:
    return status;
}

clq_status clq__scales_check(const struct clq_find_scales_desc *desc, struct clq__scales_work *work)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(clq__desc_check(desc != NULL ? desc->reserved : NULL, CLQ_COUNT(desc->reserved)));
    CLQ_TRY(check_choices(desc, work));
    CLQ_TRY(clq__view_init(&work->x, "x", desc->x, CLQ__FLOATS));
    CLQ_TRY(clq__view_init(&work->scales, "scales", desc->scales, CLQ__SET(CLQ__F32)));
    CLQ_REQUIRE(desc->zero_points != NULL || (work->method == CLQ_ABSMAX && work->type != CLQ__U8),
                CLQ_ERROR_NULL, "zero_points is NULL: %s",
                work->method == CLQ_MINMAX ? "minmax has a zero point for each scale"
                                           : "absmax has the zero point 128 for uint8");
    if (desc->zero_points != NULL)
        CLQ_TRY(clq__view_init(&work->zero_points, "zero_points", desc->zero_points,
                               zero_point_types(work->type)));
    else
        clq__view_init_absent(&work->zero_points, "zero_points");
    CLQ_TRY(check_shapes(work, desc->axis));
    CLQ_TRY(clq__view_check_output(&work->scales));
    CLQ_TRY(clq__view_check_output(&work->zero_points));
end:
    return status;
}

static clq_status run(clq_context *context, cl_command_queue queue, const struct clq_find_scales_desc *desc,
                      bool build_only, cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    struct clq__scales_work work;
    struct clq__scales_call call;
    struct clq__traits traits;

    CLQ_TRY(clq__call_check(context, queue, build_only, num_wait, wait));
    CLQ_TRY(clq__scales_check(desc, &work));
    CLQ_TRY(clq__memory_check_all(
        context, (const struct clq__view *[]){&work.scales, &work.zero_points, &work.x}, 2, 3));
    if (work.scales.elements == 0) {
        if (!build_only)
            CLQ_TRY(clq__launch_nothing(queue, num_wait, wait, done));
        goto end;
    }
    traits = clq__traits(context);
    clq__scales_launches(&call, &work, &traits);
    CLQ_TRY(clq__rounds_check(context, call.finish_rounds, work.x.name));
    if (build_only)
        CLQ_TRY(clq__launches_build(&call.launches, context));
    else
        CLQ_TRY(clq__launches_enqueue(&call.launches, context, queue, num_wait, wait, done));
end:
    return status;
}

clq_status clq_find_scales(clq_context *context, cl_command_queue queue,
                           const struct clq_find_scales_desc *desc, cl_uint num_wait, const cl_event *wait,
                           cl_event *done)
{
    return run(context, queue, desc, false, num_wait, wait, done);
}

clq_status clq_find_scales_build(clq_context *context, const struct clq_find_scales_desc *desc)
{
    return run(context, NULL, desc, true, 0, NULL, NULL);
}

clq_status clq_find_scales_check(const struct clq_find_scales_desc *desc)
{
    struct clq__scales_work work;

    return clq__scales_check(desc, &work);
}

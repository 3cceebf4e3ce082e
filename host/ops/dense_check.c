/* The rules of static quantization that the host can know, each checked once. */
#include "base/error.h"
#include "ops/dense.h"

/* scales or zero_points: one element or one per index of the axis; 0-D, 1-D, or of x's rank with all else 1.
 */
static clq_status check_parameter(const struct clq__static_work *work, const struct clq__view *view,
                                  int64_t *stride)
{
    clq_status status = CLQ_OK;
    const struct clq__view *x = &work->x;
    const bool full_rank = view->rank == x->rank && view->rank > 1;
    const int along = full_rank ? work->axis : 0;

    CLQ_REQUIRE(view->rank <= 1 || view->rank == x->rank, CLQ_ERROR_RANK,
                "%s.ndim is %d: it must be 0, 1 or the rank of %s, %d", view->name, view->rank, x->name,
                x->rank);
    for (int d = 0; d < view->rank && full_rank && view->elements != 1; d++)
        CLQ_REQUIRE(d == along || view->shape[d] == 1, CLQ_ERROR_SHAPE,
                    "%s.shape[%d] is %lld: every dimension but the axis, %d, must be 1", view->name, d,
                    (long long)view->shape[d], along);
    CLQ_REQUIRE(view->elements == 1 || view->elements == x->shape[work->axis], CLQ_ERROR_SHAPE,
                "%s has %lld elements: it must have 1, or %lld as %s.shape[%d]", view->name,
                (long long)view->elements, (long long)x->shape[work->axis], x->name, work->axis);
    *stride = view->elements == 1 ? 0 : view->stride[along];
end:
    return status;
}

static clq_status check_parameters(struct clq__static_work *work, int axis)
{
    clq_status status = CLQ_OK;
    const int rank = work->x.rank;

    const bool per_axis = work->scale.view.elements != 1 || work->zero_point.view.elements != 1;

    if (per_axis) {
        CLQ_REQUIRE(rank > 0, CLQ_ERROR_RANK, "%s.ndim is 0: %s must then have 1 element, not %lld",
                    work->x.name, work->scale.view.elements != 1 ? "scales" : "zero_points",
                    (long long)(work->scale.view.elements != 1 ? work->scale.view.elements
                                                               : work->zero_point.view.elements));
        CLQ_REQUIRE(axis >= -rank && axis < rank, CLQ_ERROR_AXIS,
                    "axis is %d: it must be from %d to %d, the rank of %s", axis, -rank, rank - 1,
                    work->x.name);
        work->axis = axis < 0 ? axis + rank : axis;
        CLQ_TRY(check_parameter(work, &work->scale.view, &work->scale.stride));
        if (work->zero_point.view.tensor != NULL)
            CLQ_TRY(check_parameter(work, &work->zero_point.view, &work->zero_point.stride));
        goto end;
    }
    CLQ_REQUIRE(work->scale.view.rank <= 1 || work->scale.view.rank == rank, CLQ_ERROR_RANK,
                "scales.ndim is %d: it must be 0, 1 or the rank of %s, %d", work->scale.view.rank,
                work->x.name, rank);
    CLQ_REQUIRE(work->zero_point.view.rank <= 1 || work->zero_point.view.rank == rank, CLQ_ERROR_RANK,
                "zero_points.ndim is %d: it must be 0, 1 or the rank of %s, %d", work->zero_point.view.rank,
                work->x.name, rank);
end:
    return status;
}

clq_status clq__dense_check(const struct clq__dense *call, struct clq__static_work *work)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(clq__static_work_init(work, call->mode));
    CLQ_TRY(clq__view_init(&work->x, call->x_name, call->x, CLQ__FLOATS));
    CLQ_TRY(clq__static_parameters_init(work, "scales", call->scales, "zero_points", call->zero_points));
    CLQ_TRY(clq__view_init(&work->y, call->y_name, call->y, CLQ__QUANTIZED));
    CLQ_TRY(clq__view_check_alike(&work->y, &work->x));
    CLQ_TRY(clq__view_check_output(&work->y));
    CLQ_TRY(check_parameters(work, call->axis));
    if (work->x.elements > 0)
        CLQ_TRY(clq__memory_check_all(
            (const struct clq__view *[]){&work->y, &work->x, &work->scale.view, &work->zero_point.view}, 1,
            4));
end:
    return status;
}

clq_status clq__dense_run(clq_context *context, cl_command_queue queue, const struct clq__dense *call,
                          bool build_only, cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    struct clq__static_work work;

    CLQ_TRY(clq__call_check(context, queue, build_only, num_wait, wait));
    CLQ_TRY(clq__dense_check(call, &work));
    CLQ_TRY(clq__static_run(context, queue, &work, build_only, num_wait, wait, done));
end:
    return status;
}

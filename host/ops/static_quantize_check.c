/* The rules of static quantization that the host can know, each checked once. */
#include "base/error.h"
#include "ops/static_quantize_work.h"

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

    work->per_axis = work->scales.elements != 1 || work->zero_points.elements != 1;
    if (work->per_axis) {
        CLQ_REQUIRE(
            rank > 0, CLQ_ERROR_RANK, "%s.ndim is 0: %s must then have 1 element, not %lld", work->x.name,
            work->scales.elements != 1 ? "scales" : "zero_points",
            (long long)(work->scales.elements != 1 ? work->scales.elements : work->zero_points.elements));
        CLQ_REQUIRE(axis >= -rank && axis < rank, CLQ_ERROR_AXIS,
                    "axis is %d: it must be from %d to %d, the rank of %s", axis, -rank, rank - 1,
                    work->x.name);
        work->axis = axis < 0 ? axis + rank : axis;
        CLQ_TRY(check_parameter(work, &work->scales, &work->scale_stride));
        if (work->zero_points.tensor != NULL)
            CLQ_TRY(check_parameter(work, &work->zero_points, &work->zero_point_stride));
        goto end;
    }
    CLQ_REQUIRE(work->scales.rank <= 1 || work->scales.rank == rank, CLQ_ERROR_RANK,
                "scales.ndim is %d: it must be 0, 1 or the rank of %s, %d", work->scales.rank, work->x.name,
                rank);
    CLQ_REQUIRE(work->zero_points.rank <= 1 || work->zero_points.rank == rank, CLQ_ERROR_RANK,
                "zero_points.ndim is %d: it must be 0, 1 or the rank of %s, %d", work->zero_points.rank,
                work->x.name, rank);
end:
    return status;
}

static clq_status check_output(const struct clq__static_work *work)
{
    clq_status status = CLQ_OK;
    const struct clq__view *x = &work->x, *y = &work->y;

    CLQ_REQUIRE(y->rank == x->rank, CLQ_ERROR_RANK, "%s.ndim is %d: it must be the rank of %s, %d", y->name,
                y->rank, x->name, x->rank);
    for (int d = 0; d < x->rank; d++)
        CLQ_REQUIRE(y->shape[d] == x->shape[d], CLQ_ERROR_SHAPE,
                    "%s.shape[%d] is %lld%s: it must be %s%s.shape[%d], %lld", y->name, d,
                    (long long)y->tensor->shape[d],
                    d < x->rank - 1 || y->lanes == 1 ? ""
                    : y->lanes == 2                  ? ", of 2 int4 elements each"
                                                     : ", of 8 int4 elements each",
                    d < x->rank - 1 || y->lanes == 1 ? ""
                    : y->lanes == 2                  ? "a half of "
                                                     : "an eighth of ",
                    x->name, d, (long long)x->shape[d]);
    CLQ_TRY(clq__view_check_output(y));
end:
    return status;
}

clq_status clq__static_quantize_check(const struct clq__static_quantize *call, struct clq__static_work *work)
{
    clq_status status = CLQ_OK;

    work->mode = call->mode;
    work->axis = 0;
    work->scale_stride = work->zero_point_stride = 0;
    CLQ_REQUIRE(call->mode <= CLQ_MULTIPLY, CLQ_ERROR_VALUE,
                "mode is %u: it must be CLQ_DIVIDE (0) or CLQ_MULTIPLY (1)", call->mode);
    CLQ_TRY(clq__view_init(&work->x, call->x_name, call->x, CLQ__FLOATS));
    CLQ_TRY(clq__view_init(&work->scales, "scales", call->scales, CLQ__FLOATS));
    if (call->zero_points != NULL)
        CLQ_TRY(clq__view_init(&work->zero_points, "zero_points", call->zero_points,
                               CLQ__FLOATS | CLQ__INTEGERS));
    else
        clq__view_init_absent(&work->zero_points, "zero_points");
    CLQ_TRY(clq__view_init(&work->y, call->y_name, call->y, CLQ__QUANTIZED));
    CLQ_TRY(check_output(work));
    CLQ_TRY(check_parameters(work, call->axis));
    if (work->x.elements > 0)
        CLQ_TRY(clq__memory_check_all(
            (const struct clq__view *[]){&work->y, &work->x, &work->scales, &work->zero_points}, 4));
end:
    return status;
}

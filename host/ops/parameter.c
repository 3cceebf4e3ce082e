/* The rules of scales and zero points along an axis, and of one per row. */
#include "ops/parameter.h"

#include "base/error.h"

clq_status clq__axis_check(const struct clq__view *x, int wished, const char *name, int64_t count, int *axis)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE(x->rank > 0, CLQ_ERROR_RANK, "%s.ndim is 0: %s must then have 1 element, not %lld", x->name,
                name, (long long)count);
    CLQ_REQUIRE(wished >= -x->rank && wished < x->rank, CLQ_ERROR_AXIS,
                "axis is %d: it must be from %d to %d, the rank of %s", wished, -x->rank, x->rank - 1,
                x->name);
    *axis = wished < 0 ? wished + x->rank : wished;
end:
    return status;
}

clq_status clq__parameter_check_rank(const struct clq__view *view, const struct clq__view *x)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE(view->rank <= 1 || view->rank == x->rank, CLQ_ERROR_RANK,
                "%s.ndim is %d: it must be 0, 1 or the rank of %s, %d", view->name, view->rank, x->name,
                x->rank);
end:
    return status;
}

clq_status clq__parameter_check(const struct clq__view *view, const struct clq__view *x, int axis,
                                int64_t *stride)
{
    clq_status status = CLQ_OK;
    const bool full_rank = view->rank == x->rank && view->rank > 1;
    const int along = full_rank ? axis : 0;

    CLQ_TRY(clq__parameter_check_rank(view, x));
    for (int d = 0; d < view->rank && full_rank && view->elements != 1; d++)
        CLQ_REQUIRE(d == along || view->shape[d] == 1, CLQ_ERROR_SHAPE,
                    "%s.shape[%d] is %lld: every dimension but the axis, %d, must be 1", view->name, d,
                    (long long)view->shape[d], along);
    CLQ_REQUIRE(view->elements == 1 || view->elements == x->shape[axis], CLQ_ERROR_SHAPE,
                "%s has %lld elements: it must have 1, or %lld as %s.shape[%d]", view->name,
                (long long)view->elements, (long long)x->shape[axis], x->name, axis);
    *stride = view->elements == 1 ? 0 : view->stride[along];
end:
    return status;
}

clq_status clq__parameter_check_rows(const struct clq__view *view, const struct clq__view *rows)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE(view->rank == rows->rank - 1, CLQ_ERROR_RANK,
                "%s.ndim is %d: it must be %d, that of %s less its last dimension", view->name, view->rank,
                rows->rank - 1, rows->name);
    for (int d = 0; d < view->rank; d++)
        CLQ_TRY(clq__view_check_size(view, rows, d));
end:
    return status;
}

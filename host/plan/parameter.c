/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of scales and zero points, in each of the ways that they belong to a tensor. */
#include "plan/parameter.h"

#include "base/error.h"
#include "base/fold.h"
#include "plan/axis.h"

#include <stdio.h>

clq_status clq__parameters_init(struct clq__work *work, const DLTensor *scales, const DLTensor *zero_points)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(clq__view_init(&work->scale.view, work->names->scales, scales, CLQ__FLOATS));
    CLQ_TRY(clq__view_init_optional(&work->zero_point.view, work->names->zero_points, zero_points,
                                    CLQ__FLOATS | CLQ__INTEGERS));
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

/* Another axis that the elements would fit, where there is one alone; -1 else. */
static int axis_meant(const struct clq__view *view, const struct clq__view *x, int axis)
{
    int meant = -1;

    for (int d = 0; d < x->rank; d++) {
        if (d == axis || x->shape[d] != view->elements ||
            (view->rank == x->rank && view->rank > 1 && view->shape[d] != view->elements))
            continue;
        if (meant >= 0)
            return -1;
        meant = d;
    }
    return meant;
}

static const char *hint(char text[64], int meant)
{
    text[0] = '\0';
    if (meant >= 0)
        snprintf(text, 64, "; is axis %d meant%s?", meant, meant == 0 ? " (CLQ_AXIS_FIRST)" : "");
    return text;
}

clq_status clq__parameter_check(struct clq__parameter *parameter, const struct clq__view *x, int axis)
{
    clq_status status = CLQ_OK;
    const struct clq__view *view = &parameter->view;
    const bool full_rank = view->rank == x->rank && view->rank > 1;
    const int along = full_rank ? axis : 0;
    char text[64];

    CLQ_TRY(clq__parameter_check_rank(view, x));
    for (int d = 0; d < view->rank && full_rank && view->elements != 1; d++)
        CLQ_REQUIRE(d == along || view->shape[d] == 1, CLQ_ERROR_SHAPE,
                    "%s.shape[%d] is %lld: axis is %d, and every other dimension must be 1%s", view->name, d,
                    (long long)view->shape[d], along, hint(text, axis_meant(view, x, along)));
    CLQ_REQUIRE(view->elements == 1 || view->elements == x->shape[axis], CLQ_ERROR_SHAPE,
                "%s has %lld elements: axis is %d, so it must have 1, or %lld as %s.shape[%d]%s", view->name,
                (long long)view->elements, axis, (long long)x->shape[axis], x->name, axis,
                hint(text, axis_meant(view, x, axis)));
    parameter->stride = view->elements == 1 ? 0 : view->stride[along];
end:
    return status;
}

clq_status clq__parameters_check_axis(struct clq__work *work, int axis)
{
    clq_status status = CLQ_OK;
    const struct clq__view *scales = &work->scale.view, *zero_points = &work->zero_point.view;
    const struct clq__view *longer = scales->elements != 1 ? scales : zero_points,
                           *read = clq__work_read(work);

    if (longer->elements != 1) {
        CLQ_TRY(clq__axis_check(read, axis, longer->name, longer->elements, &work->axis));
        CLQ_TRY(clq__parameter_check(&work->scale, read, work->axis));
        if (zero_points->tensor != NULL)
            CLQ_TRY(clq__parameter_check(&work->zero_point, read, work->axis));
        goto end;
    }
    CLQ_TRY(clq__parameter_check_rank(scales, read));
    CLQ_TRY(clq__parameter_check_rank(zero_points, read));
end:
    return status;
}

/* One element, or one per index of the last axis: in row-major order, whatever their shape. */
static clq_status check_along_last(const struct clq__work *work, struct clq__parameter *parameter)
{
    clq_status status = CLQ_OK;
    const int last = work->x.rank - 1;
    /* along axis a gathered y may be shorter than q, and it is y's indices that have scales */
    const bool shorter = work->placement.kind != CLQ_ENTRY_NONE && work->placement.axis == last;
    const struct clq__view *view = &parameter->view, *read = shorter ? &work->x : clq__work_read(work);
    struct clq__fold fold;

    CLQ_REQUIRE(
        view->elements == 1 || view->elements == read->shape[last], CLQ_ERROR_SHAPE,
        "%s has %lld elements: with indices it must have 1, or %lld as %s.shape[%d], the last dimension",
        view->name, (long long)view->elements, (long long)read->shape[last], read->name, last);
    if (view->elements <= 1)
        goto end;
    fold.dims = 0;
    for (int d = view->rank - 1; d >= 0; d--)
        clq__fold_add(&fold, false, view->shape[d], (int64_t[CLQ__FOLD_TENSORS]){view->stride[d]});
    clq__fold_merge(&fold);
    parameter->flatten = fold.dims > 1;
    parameter->stride = fold.dims > 1 ? 1 : fold.dim[0].stride[0];
end:
    return status;
}

clq_status clq__parameters_check_last(struct clq__work *work)
{
    clq_status status = CLQ_OK;

    work->axis = work->x.rank - 1;
    CLQ_TRY(check_along_last(work, &work->scale));
    CLQ_TRY(check_along_last(work, &work->zero_point));
end:
    return status;
}

clq_status clq__parameters_check_groups(struct clq__work *work)
{
    clq_status status = CLQ_OK;
    const struct clq__view *x = clq__work_read(work), *scale = &work->scale.view,
                           *ends = &work->placement.indices;
    const struct clq__view *offset = &work->zero_point.view;

    CLQ_REQUIRE(x->rank == 2, CLQ_ERROR_RANK, "%s.ndim is %d: it must be 2", x->name, x->rank);
    CLQ_REQUIRE(scale->rank == 2, CLQ_ERROR_RANK, "%s.ndim is %d: it must be 2", scale->name, scale->rank);
    CLQ_REQUIRE(ends->rank == 1, CLQ_ERROR_RANK, "group_index.ndim is %d: it must be 1", ends->rank);
    CLQ_REQUIRE(scale->shape[0] >= 1, CLQ_ERROR_SHAPE, "%s.shape[0] is 0: there must be at least one group",
                scale->name);
    CLQ_REQUIRE(scale->shape[1] == x->shape[1], CLQ_ERROR_SHAPE,
                "%s.shape[1] is %lld: it must be %s.shape[1], %lld", scale->name, (long long)scale->shape[1],
                x->name, (long long)x->shape[1]);
    CLQ_REQUIRE(ends->shape[0] == scale->shape[0], CLQ_ERROR_SHAPE,
                "group_index.shape[0] is %lld: it must be %s.shape[0], %lld", (long long)ends->shape[0],
                scale->name, (long long)scale->shape[0]);
    CLQ_REQUIRE(offset->elements == 1, CLQ_ERROR_SHAPE, "%s has %lld elements: it must have 1", offset->name,
                (long long)offset->elements);
    work->axis = 1;
    work->scale.stride = scale->stride[1];
    work->scale.row_stride = scale->stride[0];
    work->placement.kind = CLQ_ENTRY_GROUPS;
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

clq_status clq__parameters_check_rows(struct clq__work *work)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE(work->y.rank > 0, CLQ_ERROR_RANK, "%s.ndim is 0: it must have a dimension for its rows",
                work->y.name);
    CLQ_TRY(clq__parameter_check_rows(&work->scale.view, &work->y));
    if (work->zero_point.view.tensor != NULL)
        CLQ_TRY(clq__parameter_check_rows(&work->zero_point.view, &work->y));
    work->of_rows = true;
end:
    return status;
}

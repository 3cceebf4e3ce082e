/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of scales and zero points along an axis, and of one per row. */
#include "plan/parameter.h"

#include "base/error.h"

#include <stdio.h>

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

clq_status clq__parameter_check(const struct clq__view *view, const struct clq__view *x, int axis,
                                int64_t *stride)
{
    clq_status status = CLQ_OK;
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

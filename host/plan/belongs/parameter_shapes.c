/* SPDX-License-Identifier: Apache-2.0 */
/* The shape of scales or of zero points, and how they step through memory with the dimensions of what they
 * belong to. */
#include "base/error.h"
#include "plan/belongs/parameter.h"

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

/* A dimension of one element steps nowhere. */
static int64_t step(const struct clq__view *view, int d)
{
    return clq__view_step_units(view, view->shape[d], view->stride[d]);
}

/* Another axis that the elements would fit, where there is one alone; -1 else. */
static int axis_meant(const struct clq__view *view, const struct clq__view *x, int axis)
{
    int meant = -1;

    for (int d = 0; d < x->rank; d++) {
        if (d == axis || x->shape[d] != view->elements || (view->rank == x->rank && view->rank > 1))
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

const char *clq__parameter_shape_hint(char text[CLQ__SHAPE_HINT_TEXT], const struct clq__view *view,
                                      const struct clq__view *x, int place)
{
    int meant = -1, length;

    text[0] = '\0';
    for (int d = 1; d < x->rank - 1; d++) {
        if (d == place || x->shape[d] != view->elements)
            continue;
        if (meant >= 0)
            return text;
        meant = d;
    }
    if (meant < 0)
        return text;
    length = snprintf(text, CLQ__SHAPE_HINT_TEXT, "; with shape [1");
    for (int d = 1; d < x->rank; d++)
        length += snprintf(text + length, CLQ__SHAPE_HINT_TEXT - (size_t)length, ", %lld",
                           d == meant ? (long long)view->elements : 1LL);
    snprintf(text + length, CLQ__SHAPE_HINT_TEXT - (size_t)length,
             "] there is one for each index of %s.shape[%d]", x->name, meant);
    return text;
}

clq_status clq__parameter_check_axis(struct clq__parameter *parameter, const struct clq__view *x, int axis)
{
    clq_status status = CLQ_OK;
    const struct clq__view *view = &parameter->view;
    const bool full_rank = view->rank == x->rank && view->rank > 1;
    const int along = full_rank ? axis : 0;
    char text[64];

    CLQ_TRY(clq__parameter_check_rank(view, x));
    for (int d = 0; d < view->rank && full_rank && view->elements != 1; d++)
        CLQ_REQUIRE(d == along || view->shape[d] == 1, CLQ_ERROR_SHAPE,
                    "%s.shape[%d] is %lld: axis is %d, and every other dimension must be 1", view->name, d,
                    (long long)view->shape[d], along);
    CLQ_REQUIRE(view->elements == 1 || view->elements == x->shape[axis], CLQ_ERROR_SHAPE,
                "%s has %lld elements: axis is %d, so it must have 1, or %lld as %s.shape[%d]%s", view->name,
                (long long)view->elements, axis, (long long)x->shape[axis], x->name, axis,
                hint(text, axis_meant(view, x, axis)));
    if (view->elements != 1)
        parameter->stride[axis] = step(view, along);
end:
    return status;
}

/* A dimension that is not cut into blocks. */
static clq_status check_dimension(struct clq__parameter *parameter, const struct clq__view *x, int d)
{
    clq_status status = CLQ_OK;
    const struct clq__view *view = &parameter->view;

    CLQ_REQUIRE(view->shape[d] == 1 || view->shape[d] == x->shape[d], CLQ_ERROR_SHAPE,
                "%s.shape[%d] is %lld: it must be 1, or %s.shape[%d], %lld", view->name, d,
                (long long)view->shape[d], x->name, d, (long long)x->shape[d]);
    parameter->stride[d] = step(view, d);
end:
    return status;
}

clq_status clq__parameter_check_broadcast(struct clq__parameter *parameter, const struct clq__view *x)
{
    clq_status status = CLQ_OK;

    for (int d = 0; d < x->rank; d++)
        CLQ_TRY(check_dimension(parameter, x, d));
end:
    return status;
}

/* Along the axis. One block is none, and so are some that share one value. */
static clq_status check_block(struct clq__parameter *parameter, const struct clq__view *x, int axis,
                              int64_t block)
{
    clq_status status = CLQ_OK;
    const struct clq__view *view = &parameter->view;
    const int64_t size = x->shape[axis], blocks = clq__blocks_of(size, block);

    CLQ_REQUIRE(view->shape[axis] == blocks, CLQ_ERROR_SHAPE,
                "%s.shape[%d] is %lld: it must be %lld, the blocks of %lld in %s.shape[%d], %lld", view->name,
                axis, (long long)view->shape[axis], (long long)blocks, (long long)block, x->name, axis,
                (long long)size);
    parameter->stride[axis] = step(view, axis);
    parameter->block[axis] = blocks > 1 && parameter->stride[axis] != 0 ? block : 1;
end:
    return status;
}

clq_status clq__parameter_check_blocks(struct clq__parameter *parameter, const struct clq__view *x,
                                       const struct clq__checked_call *checked)
{
    clq_status status = CLQ_OK;
    const struct clq__view *view = &parameter->view;

    CLQ_REQUIRE(view->rank == x->rank, CLQ_ERROR_RANK,
                "%s.ndim is %d: with block it must be the rank of %s, %d", view->name, view->rank, x->name,
                x->rank);
    for (int d = 0; d < x->rank; d++) {
        const int64_t block = clq__block_of(checked, d);

        CLQ_TRY(block > 0 ? check_block(parameter, x, d, block) : check_dimension(parameter, x, d));
    }
end:
    return status;
}

clq_status clq__parameter_check_pairs(struct clq__parameter *parameter, const struct clq__view *rows,
                                      struct clq__checked_call *checked)
{
    clq_status status = CLQ_OK;
    const struct clq__view *view = &parameter->view;
    const int rank = rows->rank, axis = checked->axis;
    const int64_t blocks = clq__blocks_of(rows->shape[axis], checked->block),
                  pairs = clq__blocks_of(blocks, 2);

    CLQ_REQUIRE(view->rank == rank + 1, CLQ_ERROR_RANK,
                "%s.ndim is %d: it must be %d, that of %s and a dimension of 2", view->name, view->rank,
                rank + 1, rows->name);
    CLQ_REQUIRE(view->shape[rank] == 2, CLQ_ERROR_SHAPE, "%s.shape[%d] is %lld: it must be 2", view->name,
                rank, (long long)view->shape[rank]);
    CLQ_REQUIRE(view->shape[axis] == pairs, CLQ_ERROR_SHAPE,
                "%s.shape[%d] is %lld: it must be %lld, the pairs of blocks of %lld in %s.shape[%d], %lld",
                view->name, axis, (long long)view->shape[axis], (long long)pairs, (long long)checked->block,
                rows->name, axis, (long long)rows->shape[axis]);
    for (int d = 0; d < rank; d++) {
        CLQ_REQUIRE(d == axis || view->shape[d] == rows->shape[d], CLQ_ERROR_SHAPE,
                    "%s.shape[%d] is %lld: it must be %s.shape[%d], %lld", view->name, d,
                    (long long)view->shape[d], rows->name, d, (long long)rows->shape[d]);
        parameter->stride[d] = step(view, d);
    }
    checked->scale_pair = view->stride[rank];
end:
    return status;
}

clq_status clq__parameter_check_rows(struct clq__parameter *parameter, const struct clq__view *rows,
                                     const struct clq__checked_call *checked)
{
    clq_status status = CLQ_OK;
    const struct clq__view *view = &parameter->view;
    const int axis = checked->axis, less = checked->block == 0;

    CLQ_REQUIRE(!less || view->rank == rows->rank - 1, CLQ_ERROR_RANK,
                axis == rows->rank - 1 ? "%s.ndim is %d: it must be %d, that of %s less its last dimension"
                                       : "%s.ndim is %d: it must be %d, that of %s less axis %d",
                view->name, view->rank, rows->rank - 1, rows->name, axis);
    CLQ_REQUIRE(less || view->rank == rows->rank, CLQ_ERROR_RANK,
                "%s.ndim is %d: with block it must be the rank of %s, %d", view->name, view->rank, rows->name,
                rows->rank);
    for (int d = 0; d < rows->rank; d++) {
        const int own = d - (less && d > axis);
        const int64_t block = clq__block_of(checked, d);

        if (less && d == axis)
            continue;
        if (block > 0) {
            CLQ_TRY(check_block(parameter, rows, d, block));
            continue;
        }
        CLQ_REQUIRE(view->shape[own] == rows->shape[d], CLQ_ERROR_SHAPE,
                    "%s.shape[%d] is %lld: it must be %s.shape[%d], %lld", view->name, own,
                    (long long)view->shape[own], rows->name, d, (long long)rows->shape[d]);
        parameter->stride[d] = step(view, own);
    }
end:
    return status;
}

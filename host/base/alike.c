/* SPDX-License-Identifier: Apache-2.0 */
/* Whether two views have the same logical shape: y is the one that is wrong where they differ. */
#include "base/error.h"
#include "base/view.h"

clq_status clq__view_check_rank(const struct clq__view *y, const struct clq__view *x)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE(y->rank == x->rank, CLQ_ERROR_RANK, "%s.ndim is %d: it must be the rank of %s, %d", y->name,
                y->rank, x->name, x->rank);
end:
    return status;
}

clq_status clq__view_refuse_size(const struct clq__view *y, const struct clq__view *x, int d)
{
    const int lanes = d == y->rank - 1 ? y->lanes : 1;

    return clq_error_set(CLQ_ERROR_SHAPE, "%s.shape[%d] is %lld%s%s%s: it must be %s%s.shape[%d], %lld",
                         y->name, d, (long long)y->tensor->shape[d],
                         lanes == 1   ? ""
                         : lanes == 2 ? ", of 2 "
                                      : ", of 8 ",
                         lanes == 1 ? "" : clq__type_name(y->type), lanes == 1 ? "" : " elements each",
                         lanes == 1   ? ""
                         : lanes == 2 ? "a half of "
                                      : "an eighth of ",
                         x->name, d, (long long)x->shape[d]);
}

clq_status clq__view_check_alike(const struct clq__view *y, const struct clq__view *x)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(clq__view_check_rank(y, x));
    for (int d = 0; d < x->rank; d++)
        CLQ_TRY(clq__view_check_size(y, x, d));
end:
    return status;
}

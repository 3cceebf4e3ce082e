/* SPDX-License-Identifier: Apache-2.0 */
/* Whether two views have the same logical shape: y is the one that is wrong where they differ. */
#include "base/error.h"
#include "base/view.h"

#include <stdio.h>

clq_status clq__view_check_rank(const struct clq__view *y, const struct clq__view *x)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE(y->rank == x->rank, CLQ_ERROR_RANK, "%s.ndim is %d: it must be the rank of %s, %d", y->name,
                y->rank, x->name, x->rank);
end:
    return status;
}

/* The number that a storage element of y's last dimension holds, and so what its size is of x's. */
static const char *part_of(const struct clq__view *y, int d)
{
    const int lanes = d == y->rank - 1 ? y->lanes : 1;

    switch (lanes) {
    case 2:
        return "a half of ";
    case 4:
        return "a quarter of ";
    case 8:
        return "an eighth of ";
    case 16:
        return "a sixteenth of ";
    case CLQ_BLOCK_VALUES:
        return "a thirty-second of ";
    default:
        return "";
    }
}

clq_status clq__view_refuse_size(const struct clq__view *y, const struct clq__view *x, int d)
{
    const int lanes = d == y->rank - 1 ? y->lanes : 1;
    char of[64] = "";

    if (lanes > 1)
        snprintf(of, sizeof of, ", of %d %s elements each", lanes, clq__type_name(y->type));
    return clq_error_set(CLQ_ERROR_SHAPE, "%s.shape[%d] is %lld%s: it must be %s%s.shape[%d], %lld", y->name,
                         d, (long long)y->tensor->shape[d], of, part_of(y, d), x->name, d,
                         (long long)x->shape[d]);
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

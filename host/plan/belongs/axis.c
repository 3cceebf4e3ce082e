/* SPDX-License-Identifier: Apache-2.0 */
/* Axes: the default, the first, and those counted from the end. */
#include "plan/belongs/axis.h"

#include "base/error.h"

#include <clquant/tensor.h>
#include <stdio.h>

int clq__axis_of(int axis, enum clq__axis_default left_out, int rank)
{
    if (axis == CLQ_AXIS_FIRST)
        return 0;
    if (axis == 0)
        axis = left_out;
    return axis < 0 ? axis + rank : axis;
}

const char *clq__axis_text(int axis, enum clq__axis_default left_out, char text[CLQ__AXIS_TEXT])
{
    if (axis == CLQ_AXIS_FIRST)
        snprintf(text, CLQ__AXIS_TEXT, "axis is 0 (CLQ_AXIS_FIRST)");
    else if (axis == 0)
        snprintf(text, CLQ__AXIS_TEXT, "axis is left out, which means %d", (int)left_out);
    else
        snprintf(text, CLQ__AXIS_TEXT, "axis is %d", axis);
    return text;
}

clq_status clq__axis_check(const struct clq__view *x, int axis, const char *name, int64_t count, int *at)
{
    clq_status status = CLQ_OK;
    char text[CLQ__AXIS_TEXT];

    CLQ_REQUIRE(x->rank > 0, CLQ_ERROR_RANK, "%s.ndim is 0: %s must then have 1 element, not %lld", x->name,
                name, (long long)count);
    *at = clq__axis_of(axis, CLQ__AXIS_LAST, x->rank);
    CLQ_REQUIRE(*at >= 0 && *at < x->rank, CLQ_ERROR_AXIS,
                "%s: it must be from %d to %d, for %s has %d dimension%s",
                clq__axis_text(axis, CLQ__AXIS_LAST, text), -x->rank, x->rank - 1, x->name, x->rank,
                x->rank == 1 ? "" : "s");
end:
    return status;
}

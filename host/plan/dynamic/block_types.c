/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/dynamic/block_types.h"

#include "base/error.h"
#include "plan/belongs/axis.h"

static clq_status check_choices(const struct clq__checked_call *checked, const struct clq__carried *given)
{
    clq_status status = CLQ_OK;
    const char *name = checked->y.name, *type = clq__type_name(checked->y.type);
    const struct clq__blocks *blocks = given->blocks;

    CLQ_REQUIRE(given->scales == NULL, CLQ_ERROR_VALUE,
                "%s is given: it must be NULL where %s.dtype is %s, whose blocks carry their scales",
                checked->names->scales, name, type);
    CLQ_REQUIRE(given->offsets == NULL, CLQ_ERROR_VALUE,
                "%s is given: it must be NULL where %s.dtype is %s, whose blocks carry their scales",
                checked->names->zero_points, name, type);
    CLQ_REQUIRE(given->group_index == NULL, CLQ_ERROR_VALUE,
                "group_index is given: it must be NULL where %s.dtype is %s", name, type);
    CLQ_REQUIRE(given->symmetric == 0, CLQ_ERROR_VALUE,
                "symmetric is %u: it must be 0 where %s.dtype is %s, whose blocks say it themselves",
                given->symmetric, name, type);
    CLQ_REQUIRE(blocks->all == 0, CLQ_ERROR_VALUE, "block_all is %u: it must be 0 where %s.dtype is %s",
                blocks->all, name, type);
    CLQ_REQUIRE(blocks->before == 0, CLQ_ERROR_VALUE, "block_before is %u: it must be 0 where %s.dtype is %s",
                blocks->before, name, type);
    CLQ_REQUIRE(blocks->block == 0 || blocks->block == CLQ_BLOCK_VALUES, CLQ_ERROR_VALUE,
                "block is %u: it must be 0 or %d where %s.dtype is %s", blocks->block, CLQ_BLOCK_VALUES, name,
                type);
end:
    return status;
}

clq_status clq__block_type_check(struct clq__checked_call *checked, const struct clq__carried *given)
{
    clq_status status = CLQ_OK;
    const int last = checked->y.rank - 1; /* there is one, as blocks lie along it */
    const bool placed = checked->placement.kind != CLQ_ENTRY_NONE;
    char axis[CLQ__AXIS_TEXT];

    CLQ_TRY(check_choices(checked, given));
    CLQ_REQUIRE(placed || clq__axis_of(given->blocks->axis, CLQ__AXIS_LAST, checked->y.rank) == last,
                CLQ_ERROR_VALUE, "%s: it must be the last where %s.dtype is %s",
                clq__axis_text(given->blocks->axis, CLQ__AXIS_LAST, axis), checked->y.name,
                clq__type_name(checked->y.type));
    clq__view_init_absent(&checked->scale.view, checked->names->scales);
    clq__view_init_absent(&checked->zero_point.view, checked->names->zero_points);
    checked->axis = last;
    checked->block = CLQ_BLOCK_VALUES;
end:
    return status;
}

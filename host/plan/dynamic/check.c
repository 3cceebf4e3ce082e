/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of dynamic quantization that the host can know, each checked once. */
#include "base/error.h"
#include "plan/dynamic/block_scale_rule.h"
#include "plan/dynamic/block_types.h"
#include "plan/dynamic/dynamic.h"
#include "plan/dynamic/rotate.h"

/* Rows of groups have smooth scales of their own, a row of them for each group. */
static clq_status check_groups(struct clq__checked_call *checked, const DLTensor *group_index)
{
    clq_status status = CLQ_OK;
    const struct clq__view *smooth = &checked->smooth;

    CLQ_REQUIRE(smooth->tensor != NULL, CLQ_ERROR_NULL,
                "smooth_scales is NULL: with group_index it must be a tensor, for groups differ in it");
    CLQ_REQUIRE(
        !checked->scales_first && checked->block == 0, CLQ_ERROR_VALUE,
        "group_index is given: axis must be the last, and block and block_all 0, for groups are of rows");
    CLQ_TRY(clq__groups_check(checked, group_index, smooth));
end:
    return status;
}

static clq_status check_top(struct clq__checked_call *checked, float top, uint32_t symmetric)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE(top == 0.0f || symmetric == 1, CLQ_ERROR_VALUE,
                "type_max is %g: it must be 0 where symmetric is 0", (double)top);
    checked->top = top;
end:
    return status;
}

/* Along the last dimension; documented calls by channel have them along the one before it,
 * which is the axis. */
static clq_status check_smooth(struct clq__checked_call *checked)
{
    clq_status status = CLQ_OK;
    const struct clq__view *smooth = &checked->smooth, *x = &checked->x;
    const bool rows = checked->names->documented && checked->axis < x->rank - 1;
    const int d = rows ? checked->axis : x->rank - 1;

    CLQ_REQUIRE(smooth->elements == x->shape[d], CLQ_ERROR_SHAPE,
                "%s has %lld elements: it must have one per %s, %lld as %s.shape[%d]", smooth->name,
                (long long)smooth->elements,
                rows ? "index of the second-to-last dimension" : "element of a row", (long long)x->shape[d],
                x->name, d);
    checked->smooth_rows = rows;
end:
    return status;
}

static unsigned found_types(const struct clq__checked_call *checked)
{
    if (checked->rule.kind != 0)
        return clq__rule_scale_types(checked);
    return checked->names->documented ? CLQ__SET(CLQ__F32) : CLQ__FLOATS;
}

static clq_status check_offset(struct clq__checked_call *checked, const DLTensor *offset, uint32_t symmetric)
{
    clq_status status = CLQ_OK;
    struct clq__view *view = &checked->zero_point.view;
    const char *name = checked->names->zero_points;

    CLQ_REQUIRE(symmetric == 0 || !clq__type_is(checked->y.type, CLQ__UNSIGNED), CLQ_ERROR_VALUE,
                "symmetric is 1: it must be 0 where %s.dtype is %s, whose range begins at 0", checked->y.name,
                clq__type_name(checked->y.type));
    CLQ_REQUIRE(symmetric == 1 || clq__type_is(checked->y.type, CLQ__WHOLE), CLQ_ERROR_VALUE,
                "symmetric is 0: it must be 1 where %s.dtype is %s, which has no offset", checked->y.name,
                clq__type_name(checked->y.type));
    CLQ_REQUIRE(symmetric == 0 || offset == NULL, CLQ_ERROR_VALUE,
                "%s is given: it must be NULL where symmetric is 1", name);
    if (symmetric)
        clq__view_init_absent(view, name);
    else
        CLQ_TRY(clq__view_init(view, name, offset, found_types(checked)));
    CLQ_REQUIRE(symmetric || view->type == checked->scale.view.type, CLQ_ERROR_TYPE,
                "%s.dtype is %s: it must be that of %s, %s", name, clq__type_name(view->type),
                checked->scale.view.name, clq__type_name(checked->scale.view.type));
end:
    return status;
}

/* Scales and offsets, which blocks carry. */
static clq_status check_found(struct clq__checked_call *checked, const struct clq__dynamic_tensors *tensors)
{
    clq_status status = CLQ_OK;

    if (clq__view_has_blocks(&checked->y))
        return clq__block_type_check(checked, &(struct clq__carried){.scales = tensors->scale,
                                                                     .offsets = tensors->offset,
                                                                     .group_index = tensors->group_index,
                                                                     .blocks = &tensors->blocks,
                                                                     .symmetric = tensors->symmetric});
    CLQ_TRY(
        clq__view_init(&checked->scale.view, checked->names->scales, tensors->scale, found_types(checked)));
    CLQ_TRY(check_offset(checked, tensors->offset, tensors->symmetric));
end:
    return status;
}

clq_status clq__dynamic_check(struct clq__checked_call *checked, const struct clq__dynamic_tensors *tensors)
{
    clq_status status = CLQ_OK;
    const struct clq__names *names = checked->names;

    CLQ_TRY(clq__view_init(&checked->x, names->x, tensors->x, CLQ__FLOATS));
    CLQ_TRY(clq__view_init(&checked->y, names->y, tensors->y,
                           names->documented ? CLQ__CACHES : CLQ__CACHES | CLQ__BLOCKS));
    CLQ_TRY(clq__rule_check(checked, tensors));
    if (tensors->entries != NULL)
        clq__placement_insert(&checked->y, &checked->x, tensors->entries);
    CLQ_TRY(check_found(checked, tensors));
    CLQ_TRY(check_top(checked, tensors->top, tensors->symmetric));
    CLQ_TRY(clq__view_init_optional(&checked->smooth, "smooth_scales", tensors->smooth, CLQ__FLOATS));
    CLQ_REQUIRE(checked->x.rank >= 1, CLQ_ERROR_RANK, "%s.ndim is 0: it must be from 1 to %d", names->x,
                CLQ__MAX_RANK);
    CLQ_REQUIRE(checked->x.shape[checked->x.rank - 1] > 0, CLQ_ERROR_SHAPE,
                "%s.shape[%d] is 0: a row must have at least one element", names->x, checked->x.rank - 1);
    CLQ_TRY(clq__view_check_rank(&checked->y, &checked->x));
    CLQ_TRY(clq__view_check_size(&checked->y, &checked->x, checked->x.rank - 1));
    CLQ_TRY(clq__view_check_output(&checked->y));
    if (!clq__view_has_blocks(&checked->y)) {
        const struct clq__blocks blocks = clq__rule_blocks(checked, &tensors->blocks);

        CLQ_TRY(clq__parameters_check_dynamic(checked, &blocks));
    }
    if (checked->rule.kind != 0)
        CLQ_TRY(clq__rule_check_layout(checked));
    CLQ_TRY(clq__view_check_output(&checked->scale.view));
    CLQ_TRY(clq__view_check_output(&checked->zero_point.view));
    if (tensors->group_index != NULL)
        CLQ_TRY(check_groups(checked, tensors->group_index));
    else if (checked->smooth.tensor != NULL)
        CLQ_TRY(check_smooth(checked));
    CLQ_TRY(clq__rotate_check(checked, tensors->rotate, &checked->x));
end:
    return status;
}

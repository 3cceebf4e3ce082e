/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of dynamic quantization that the host can know, each checked once. */
#include "base/error.h"
#include "plan/dynamic/block_scale_rule.h"
#include "plan/dynamic/block_types.h"
#include "plan/dynamic/dynamic.h"
#include "plan/dynamic/rotate.h"

/* Rows of groups have smooth scales of their own, a row of them for each group. */
static clq_status check_groups(struct clq__work *work, const DLTensor *group_index)
{
    clq_status status = CLQ_OK;
    const struct clq__view *smooth = &work->smooth;

    CLQ_REQUIRE(smooth->tensor != NULL, CLQ_ERROR_NULL,
                "smooth_scales is NULL: with group_index it must be a tensor, for groups differ in it");
    CLQ_REQUIRE(
        !work->apart && work->block == 0, CLQ_ERROR_VALUE,
        "group_index is given: axis must be the last, and block and block_all 0, for groups are of rows");
    CLQ_TRY(clq__groups_check(work, group_index, smooth));
end:
    return status;
}

static clq_status check_top(struct clq__work *work, float top, uint32_t symmetric)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE(top == 0.0f || symmetric == 1, CLQ_ERROR_VALUE,
                "type_max is %g: it must be 0 where symmetric is 0", (double)top);
    work->top = top;
end:
    return status;
}

/* Along the last dimension; documented calls by channel have them along the one before it,
 * which is the axis. */
static clq_status check_smooth(struct clq__work *work)
{
    clq_status status = CLQ_OK;
    const struct clq__view *smooth = &work->smooth, *x = &work->x;
    const bool rows = work->names->documented && work->axis < x->rank - 1;
    const int d = rows ? work->axis : x->rank - 1;

    CLQ_REQUIRE(smooth->elements == x->shape[d], CLQ_ERROR_SHAPE,
                "%s has %lld elements: it must have one per %s, %lld as %s.shape[%d]", smooth->name,
                (long long)smooth->elements,
                rows ? "index of the second-to-last dimension" : "element of a row", (long long)x->shape[d],
                x->name, d);
    work->smooth_rows = rows;
end:
    return status;
}

static unsigned found_types(const struct clq__work *work)
{
    if (work->rule != 0)
        return clq__rule_scale_types(work);
    return work->names->documented ? CLQ__SET(CLQ__F32) : CLQ__FLOATS;
}

static clq_status check_offset(struct clq__work *work, const DLTensor *offset, uint32_t symmetric)
{
    clq_status status = CLQ_OK;
    struct clq__view *view = &work->zero_point.view;
    const char *name = work->names->zero_points;

    CLQ_REQUIRE(symmetric == 0 || !clq__type_is(work->y.type, CLQ__UNSIGNED), CLQ_ERROR_VALUE,
                "symmetric is 1: it must be 0 where %s.dtype is %s, whose range begins at 0", work->y.name,
                clq__type_name(work->y.type));
    CLQ_REQUIRE(symmetric == 1 || clq__type_is(work->y.type, CLQ__WHOLE), CLQ_ERROR_VALUE,
                "symmetric is 0: it must be 1 where %s.dtype is %s, which has no offset", work->y.name,
                clq__type_name(work->y.type));
    CLQ_REQUIRE(symmetric == 0 || offset == NULL, CLQ_ERROR_VALUE,
                "%s is given: it must be NULL where symmetric is 1", name);
    if (symmetric)
        clq__view_init_absent(view, name);
    else
        CLQ_TRY(clq__view_init(view, name, offset, found_types(work)));
    CLQ_REQUIRE(symmetric || view->type == work->scale.view.type, CLQ_ERROR_TYPE,
                "%s.dtype is %s: it must be that of %s, %s", name, clq__type_name(view->type),
                work->scale.view.name, clq__type_name(work->scale.view.type));
end:
    return status;
}

/* Scales and offsets, which blocks carry. */
static clq_status check_found(struct clq__work *work, const struct clq__dynamic_tensors *tensors)
{
    clq_status status = CLQ_OK;

    if (clq__view_has_blocks(&work->y))
        return clq__block_type_check(work, &(struct clq__carried){.scales = tensors->scale,
                                                                  .offsets = tensors->offset,
                                                                  .group_index = tensors->group_index,
                                                                  .blocks = &tensors->blocks,
                                                                  .symmetric = tensors->symmetric});
    CLQ_TRY(clq__view_init(&work->scale.view, work->names->scales, tensors->scale, found_types(work)));
    CLQ_TRY(check_offset(work, tensors->offset, tensors->symmetric));
end:
    return status;
}

clq_status clq__dynamic_check(struct clq__work *work, const struct clq__dynamic_tensors *tensors)
{
    clq_status status = CLQ_OK;
    const struct clq__names *names = work->names;

    CLQ_TRY(clq__view_init(&work->x, names->x, tensors->x, CLQ__FLOATS));
    CLQ_TRY(clq__view_init(&work->y, names->y, tensors->y,
                           names->documented ? CLQ__CACHES : CLQ__CACHES | CLQ__BLOCKS));
    CLQ_TRY(clq__rule_check(work, tensors));
    if (tensors->entries != NULL)
        clq__placement_insert(&work->y, &work->x, tensors->entries);
    CLQ_TRY(check_found(work, tensors));
    CLQ_TRY(check_top(work, tensors->top, tensors->symmetric));
    CLQ_TRY(clq__view_init_optional(&work->smooth, "smooth_scales", tensors->smooth, CLQ__FLOATS));
    CLQ_REQUIRE(work->x.rank >= 1, CLQ_ERROR_RANK, "%s.ndim is 0: it must be from 1 to %d", names->x,
                CLQ__MAX_RANK);
    CLQ_REQUIRE(work->x.shape[work->x.rank - 1] > 0, CLQ_ERROR_SHAPE,
                "%s.shape[%d] is 0: a row must have at least one element", names->x, work->x.rank - 1);
    CLQ_TRY(clq__view_check_rank(&work->y, &work->x));
    CLQ_TRY(clq__view_check_size(&work->y, &work->x, work->x.rank - 1));
    CLQ_TRY(clq__view_check_output(&work->y));
    if (!clq__view_has_blocks(&work->y)) {
        const struct clq__blocks blocks = clq__rule_blocks(work, &tensors->blocks);

        CLQ_TRY(clq__parameters_check_dynamic(work, &blocks));
    }
    if (work->rule != 0)
        CLQ_TRY(clq__rule_check_layout(work));
    CLQ_TRY(clq__view_check_output(&work->scale.view));
    CLQ_TRY(clq__view_check_output(&work->zero_point.view));
    if (tensors->group_index != NULL)
        CLQ_TRY(check_groups(work, tensors->group_index));
    else if (work->smooth.tensor != NULL)
        CLQ_TRY(check_smooth(work));
    CLQ_TRY(clq__rotate_check(work, tensors->rotate, &work->x));
end:
    return status;
}

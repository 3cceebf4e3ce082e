/* SPDX-License-Identifier: Apache-2.0 */
/* Scales and zero points: in which way they belong to a tensor. */
#include "plan/belongs/parameter.h"

#include "base/error.h"
#include "base/fold.h"
#include "plan/belongs/axis.h"

/* Scale types that dequantize accepts. In dynamic mode only those that kernels read without widening. */
static unsigned scale_types(const struct clq__checked_call *checked)
{
    if (checked->names->documented)
        return CLQ__FLOATS;
    return checked->add ? clq__scales_read(checked) : CLQ__SCALES;
}

clq_status clq__parameters_init(struct clq__checked_call *checked, const DLTensor *scales,
                                const DLTensor *zero_points)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(clq__view_init(&checked->scale.view, checked->names->scales, scales, scale_types(checked)));
    CLQ_TRY(clq__view_init_optional(&checked->zero_point.view, checked->names->zero_points, zero_points,
                                    CLQ__FLOATS | CLQ__INTEGERS));
end:
    return status;
}

/* Blocks along two axes, of which the second one is known by now. */
static clq_status check_before(struct clq__checked_call *checked, const struct clq__view *read,
                               const struct clq__blocks *blocks)
{
    clq_status status = CLQ_OK;

    checked->block_before = blocks->before;
    if (blocks->before == 0)
        goto end;
    CLQ_REQUIRE(
        blocks->block > 0, CLQ_ERROR_VALUE,
        "block_before is %u: it must be 0 where block is 0, for it cuts the blocks of axis along one more",
        blocks->before);
    CLQ_REQUIRE(checked->axis > 0, CLQ_ERROR_VALUE,
                "block_before is %u: it must be 0 where axis is the first dimension of %s, for it is of the "
                "one in front of axis",
                blocks->before, read->name);
end:
    return status;
}

/* A tensor without dimensions has no blocks. */
static clq_status check_block(struct clq__checked_call *checked, uint32_t block)
{
    clq_status status = CLQ_OK;
    const struct clq__view *read = clq__checked_read(checked);

    checked->block = block;
    CLQ_REQUIRE(block == 0 || read->rank > 0, CLQ_ERROR_VALUE, "block is %u: it must be 0 where %s.ndim is 0",
                block, read->name);
end:
    return status;
}

/* Along the axis that longer is by, or that blocks cut. */
static clq_status check_axis(struct clq__checked_call *checked, const struct clq__view *longer,
                             const struct clq__blocks *blocks)
{
    clq_status status = CLQ_OK;
    const struct clq__view *read = clq__checked_read(checked);

    CLQ_TRY(clq__axis_check(read, blocks->axis, longer->name, longer->elements, &checked->axis));
    CLQ_TRY(check_before(checked, read, blocks));
end:
    return status;
}

/* Sizes off the axis say that it is meant by its shape. */
static bool is_broadcast(const struct clq__checked_call *checked, const struct clq__view *view, int axis)
{
    if (checked->names->documented || view->rank != clq__checked_read(checked)->rank || view->elements == 1)
        return false;
    for (int d = 0; d < view->rank; d++)
        if (d != axis && view->shape[d] != 1)
            return true;
    return false;
}

/* If there are blocks, scales have them, and zero points may, along both dimensions or neither. */
static bool has_blocks(const struct clq__checked_call *checked, const struct clq__parameter *parameter)
{
    const struct clq__view *view = &parameter->view, *read = clq__checked_read(checked);

    if (checked->block == 0 || parameter == &checked->scale)
        return checked->block > 0;
    if (view->rank != read->rank)
        return false;
    for (int d = 0; d < read->rank; d++) {
        const int64_t block = clq__block_of(checked, d);

        if (block > 0 && view->shape[d] != clq__blocks_of(read->shape[d], block))
            return false;
    }
    return read->rank > 0;
}

static clq_status check_dense(struct clq__checked_call *checked, struct clq__parameter *parameter)
{
    clq_status status = CLQ_OK;
    const struct clq__view *read = clq__checked_read(checked);

    if (has_blocks(checked, parameter))
        CLQ_TRY(clq__parameter_check_blocks(parameter, read, checked));
    else if (is_broadcast(checked, &parameter->view, checked->axis))
        CLQ_TRY(clq__parameter_check_broadcast(parameter, read));
    else
        CLQ_TRY(clq__parameter_check_axis(parameter, read, checked->axis));
end:
    return status;
}

clq_status clq__parameters_check_dense(struct clq__checked_call *checked, const struct clq__blocks *blocks)
{
    clq_status status = CLQ_OK;
    const struct clq__view *scales = &checked->scale.view, *zero_points = &checked->zero_point.view;
    const struct clq__view *longer = scales->elements != 1 ? scales : zero_points,
                           *read = clq__checked_read(checked);

    CLQ_TRY(check_block(checked, blocks->block));
    if (longer->elements != 1 || blocks->block > 0) {
        CLQ_TRY(check_axis(checked, longer, blocks));
        CLQ_TRY(check_dense(checked, &checked->scale));
        if (zero_points->tensor != NULL)
            CLQ_TRY(check_dense(checked, &checked->zero_point));
        goto end;
    }
    CLQ_TRY(check_before(checked, read, blocks));
    CLQ_TRY(clq__parameter_check_rank(scales, read));
    CLQ_TRY(clq__parameter_check_rank(zero_points, read));
end:
    return status;
}

/* A zero point for each scale: of the same shape, or along the axis as many. */
static clq_status check_as_scales(struct clq__checked_call *checked)
{
    clq_status status = CLQ_OK;
    const struct clq__view *scales = &checked->scale.view, *zero_points = &checked->zero_point.view;

    if (checked->block > 0 || is_broadcast(checked, scales, checked->axis)) {
        CLQ_TRY(clq__view_check_rank(zero_points, scales));
        CLQ_TRY(clq__view_check_alike(zero_points, scales));
    } else {
        CLQ_REQUIRE(zero_points->elements == scales->elements, CLQ_ERROR_SHAPE,
                    "zero_points has %lld elements: it must have as many as scales, %lld",
                    (long long)zero_points->elements, (long long)scales->elements);
        CLQ_TRY(clq__parameter_check_axis(&checked->zero_point, &checked->x, checked->axis));
        goto end;
    }
    CLQ_TRY(check_dense(checked, &checked->zero_point));
end:
    return status;
}

clq_status clq__parameters_check_found(struct clq__checked_call *checked, const struct clq__blocks *blocks)
{
    clq_status status = CLQ_OK;
    const struct clq__view *scales = &checked->scale.view, *zero_points = &checked->zero_point.view;

    CLQ_TRY(check_block(checked, blocks->block));
    if (scales->elements != 1 || blocks->block > 0) {
        CLQ_TRY(check_axis(checked, scales, blocks));
        CLQ_TRY(check_dense(checked, &checked->scale));
        if (zero_points->tensor != NULL)
            CLQ_TRY(check_as_scales(checked));
        goto end;
    }
    CLQ_TRY(check_before(checked, &checked->x, blocks));
    CLQ_TRY(clq__parameter_check_rank(scales, &checked->x));
    CLQ_TRY(clq__parameter_check_rank(zero_points, &checked->x));
    CLQ_REQUIRE(zero_points->elements == 1, CLQ_ERROR_SHAPE,
                "zero_points has %lld elements: it must have as many as scales, 1",
                (long long)zero_points->elements);
end:
    return status;
}

/* One element, or one per index of the last dimension: in row-major order, whatever their shape. */
static clq_status check_along_last(const struct clq__checked_call *checked, struct clq__parameter *parameter)
{
    clq_status status = CLQ_OK;
    const int last = checked->x.rank - 1;
    /* along axis a gathered y may be shorter than q, and it is y's indices that have scales */
    const struct clq__view *view = &parameter->view,
                           *read = checked->placement.axis == last ? &checked->x : clq__checked_read(checked);
    struct clq__fold fold;
    char hint[CLQ__SHAPE_HINT_TEXT];

    CLQ_REQUIRE(
        view->elements == 1 || view->elements == read->shape[last], CLQ_ERROR_SHAPE,
        "%s has %lld elements: with indices it must have 1, or %lld as %s.shape[%d], the last dimension%s",
        view->name, (long long)view->elements, (long long)read->shape[last], read->name, last,
        clq__parameter_shape_hint(hint, view, read, checked->placement.axis));
    if (view->elements <= 1)
        goto end;
    fold.dims = 0;
    for (int d = view->rank - 1; d >= 0; d--)
        clq__fold_add(&fold, false, view->shape[d], (int64_t[CLQ__FOLD_TENSORS]){view->stride[d]});
    clq__fold_merge(&fold);
    parameter->flatten = fold.dims > 1;
    parameter->stride[last] = fold.dims > 1 ? 1 : fold.dim[0].stride[0];
end:
    return status;
}

/* Scales belong to the other dimensions, and not to places. */
static clq_status check_off_places(const struct clq__checked_call *checked, const struct clq__view *view)
{
    clq_status status = CLQ_OK;
    const int dims[] = {0, checked->placement.axis};

    for (int i = 0; i < 2; i++)
        CLQ_REQUIRE(view->rank != checked->x.rank || view->shape[dims[i]] == 1, CLQ_ERROR_SHAPE,
                    "%s.shape[%d] is %lld: with indices it must be 1, for scales belong to the other "
                    "dimensions and not "
                    "to places",
                    view->name, dims[i], (long long)view->shape[dims[i]]);
end:
    return status;
}

static clq_status check_placed(struct clq__checked_call *checked, struct clq__parameter *parameter)
{
    clq_status status = CLQ_OK;
    const struct clq__view *view = &parameter->view, *read = clq__checked_read(checked);

    if (has_blocks(checked, parameter)) {
        CLQ_TRY(check_off_places(checked, view));
        CLQ_TRY(clq__parameter_check_blocks(parameter, read, checked));
    } else if (is_broadcast(checked, view, checked->axis)) {
        CLQ_TRY(check_off_places(checked, view));
        CLQ_TRY(clq__parameter_check_broadcast(parameter, read));
    } else {
        CLQ_TRY(check_along_last(checked, parameter));
    }
end:
    return status;
}

clq_status clq__parameters_check_placed(struct clq__checked_call *checked, uint32_t block)
{
    clq_status status = CLQ_OK;

    checked->axis = checked->x.rank - 1;
    checked->block = block;
    CLQ_REQUIRE(block == 0 || checked->placement.axis != checked->axis, CLQ_ERROR_VALUE,
                "block is %u: with indices along the last dimension it must be 0", block);
    CLQ_TRY(check_placed(checked, &checked->scale));
    CLQ_TRY(check_placed(checked, &checked->zero_point));
end:
    return status;
}

clq_status clq__groups_check(struct clq__checked_call *checked, const DLTensor *group_index,
                             const struct clq__view *of_group)
{
    clq_status status = CLQ_OK;
    const struct clq__view *x = clq__checked_read(checked), *ends = &checked->placement.indices;

    CLQ_TRY(clq__view_init(&checked->placement.indices, "group_index", group_index, CLQ__INDICES));
    CLQ_REQUIRE(x->rank == 2, CLQ_ERROR_RANK, "%s.ndim is %d: with group_index it must be 2", x->name,
                x->rank);
    CLQ_REQUIRE(of_group->rank == 2, CLQ_ERROR_RANK, "%s.ndim is %d: with group_index it must be 2",
                of_group->name, of_group->rank);
    CLQ_REQUIRE(ends->rank == 1, CLQ_ERROR_RANK, "group_index.ndim is %d: it must be 1", ends->rank);
    CLQ_REQUIRE(of_group->shape[0] >= 1, CLQ_ERROR_SHAPE,
                "%s.shape[0] is 0: there must be at least one group", of_group->name);
    CLQ_REQUIRE(of_group->shape[1] == x->shape[1], CLQ_ERROR_SHAPE,
                "%s.shape[1] is %lld: it must be %s.shape[1], %lld", of_group->name,
                (long long)of_group->shape[1], x->name, (long long)x->shape[1]);
    CLQ_REQUIRE(ends->shape[0] == of_group->shape[0], CLQ_ERROR_SHAPE,
                "group_index.shape[0] is %lld: it must be %s.shape[0], %lld", (long long)ends->shape[0],
                of_group->name, (long long)of_group->shape[0]);
    checked->placement.kind = CLQ_ENTRY_GROUPS;
end:
    return status;
}

clq_status clq__parameters_check_groups(struct clq__checked_call *checked, const DLTensor *group_index)
{
    clq_status status = CLQ_OK;
    const struct clq__view *scale = &checked->scale.view, *offset = &checked->zero_point.view;

    CLQ_TRY(clq__groups_check(checked, group_index, scale));
    CLQ_REQUIRE(offset->elements == 1, CLQ_ERROR_SHAPE, "%s has %lld elements: it must have 1", offset->name,
                (long long)offset->elements);
    checked->axis = 1;
    checked->scale.stride[1] = clq__view_step_units(scale, scale->shape[1], scale->stride[1]);
    checked->scale.row_stride = scale->stride[0];
end:
    return status;
}

/* For one element, for the whole tensor. */
static clq_status check_all(const struct clq__view *view, const struct clq__view *rows)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(clq__parameter_check_rank(view, rows));
    CLQ_REQUIRE(view->elements == 1, CLQ_ERROR_SHAPE, "%s has %lld elements: with block_all it must have 1",
                view->name, (long long)view->elements);
end:
    return status;
}

/* Blocks of a row that begin inside of words, which do not follow one another. */
static bool cuts_gaps(const struct clq__checked_call *checked)
{
    const struct clq__view *y = &checked->y;
    const int last = y->rank - 1;

    return checked->axis == last && checked->block % y->lanes != 0 && checked->block < y->shape[last] &&
           clq__view_has_gaps(y);
}

/* Checks the blocks that cut y, before the shapes of the tensors beside it. */
static clq_status check_cut(struct clq__checked_call *checked, const struct clq__blocks *blocks)
{
    clq_status status = CLQ_OK;
    const struct clq__view *y = &checked->y;
    const bool placed = checked->placement.kind != CLQ_ENTRY_NONE;

    CLQ_REQUIRE(blocks->all == 0 || blocks->block == 0, CLQ_ERROR_VALUE,
                "block is %u: with block_all it must be 0", blocks->block);
    CLQ_REQUIRE(blocks->all == 0 || !placed, CLQ_ERROR_VALUE, "block_all is 1: with indices it must be 0");
    CLQ_REQUIRE(y->rank > 0, CLQ_ERROR_RANK, "%s.ndim is 0: it must have a dimension for its rows", y->name);
    checked->axis = y->rank - 1;
    checked->block = blocks->block;
    if (!placed && !blocks->all)
        CLQ_TRY(clq__axis_check(y, blocks->axis, checked->names->scales, checked->scale.view.elements,
                                &checked->axis));
    CLQ_TRY(check_before(checked, y, blocks));
    CLQ_REQUIRE(checked->axis != y->rank - 1 || blocks->block % clq__view_in_unit(y) == 0, CLQ_ERROR_VALUE,
                "block is %u: along the last dimension of %s it must be a multiple of %lld", blocks->block,
                clq__type_name(y->type), (long long)clq__view_in_unit(y));
    CLQ_REQUIRE(
        checked->rule.kind == 0 || checked->axis == y->rank - 1 || !clq__view_has_gaps(y), CLQ_ERROR_VALUE,
        "block is %u: off the last dimension of %s there must be none with scale_rule, for its words do not "
        "follow one another",
        blocks->block, clq__type_name(y->type));
end:
    return status;
}

clq_status clq__parameters_check_dynamic(struct clq__checked_call *checked, const struct clq__blocks *blocks)
{
    clq_status status = CLQ_OK;
    struct clq__parameter *parameters[] = {&checked->scale, &checked->zero_point};

    CLQ_TRY(check_cut(checked, blocks));
    for (int i = 0; i < 2; i++) {
        if (parameters[i]->view.tensor == NULL)
            continue;
        if (blocks->all)
            CLQ_TRY(check_all(&parameters[i]->view, &checked->y));
        else if (checked->rule.kind != 0 && checked->names->documented)
            CLQ_TRY(clq__parameter_check_pairs(parameters[i], &checked->y, checked));
        else
            CLQ_TRY(clq__parameter_check_rows(parameters[i], &checked->y, checked));
    }
    checked->placed = true;
    checked->cuts_gaps = cuts_gaps(checked);
    checked->scales_first =
        blocks->all || checked->axis != checked->y.rank - 1 || checked->cuts_gaps || blocks->before > 0;
end:
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Scales and zero points: in which way they belong to a tensor. */
#include "plan/belongs/parameter.h"

#include "base/error.h"
#include "base/fold.h"
#include "plan/belongs/axis.h"

/* Of the dynamic way back those that rules find, which kernels read as they are. */
static unsigned scale_types(const struct clq__work *work)
{
    if (work->names->documented)
        return CLQ__FLOATS;
    return work->add ? clq__scales_read(work) : CLQ__SCALES;
}

clq_status clq__parameters_init(struct clq__work *work, const DLTensor *scales, const DLTensor *zero_points)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(clq__view_init(&work->scale.view, work->names->scales, scales, scale_types(work)));
    CLQ_TRY(clq__view_init_optional(&work->zero_point.view, work->names->zero_points, zero_points,
                                    CLQ__FLOATS | CLQ__INTEGERS));
end:
    return status;
}

/* Blocks along two axes, of which the second one is known by now. */
static clq_status check_before(struct clq__work *work, const struct clq__view *read,
                               const struct clq__blocks *blocks)
{
    clq_status status = CLQ_OK;

    work->block_before = blocks->before;
    if (blocks->before == 0)
        goto end;
    CLQ_REQUIRE(
        blocks->block > 0, CLQ_ERROR_VALUE,
        "block_before is %u: it must be 0 where block is 0, for it cuts the blocks of axis along one more",
        blocks->before);
    CLQ_REQUIRE(work->axis > 0, CLQ_ERROR_VALUE,
                "block_before is %u: it must be 0 where axis is the first dimension of %s, for it is of the "
                "one in front of axis",
                blocks->before, read->name);
end:
    return status;
}

/* A tensor without dimensions has no blocks. */
static clq_status check_block(struct clq__work *work, uint32_t block)
{
    clq_status status = CLQ_OK;
    const struct clq__view *read = clq__work_read(work);

    work->block = block;
    CLQ_REQUIRE(block == 0 || read->rank > 0, CLQ_ERROR_VALUE, "block is %u: it must be 0 where %s.ndim is 0",
                block, read->name);
end:
    return status;
}

/* Along the axis that longer is by, or that blocks cut. */
static clq_status check_axis(struct clq__work *work, const struct clq__view *longer,
                             const struct clq__blocks *blocks)
{
    clq_status status = CLQ_OK;
    const struct clq__view *read = clq__work_read(work);

    CLQ_TRY(clq__axis_check(read, blocks->axis, longer->name, longer->elements, &work->axis));
    CLQ_TRY(check_before(work, read, blocks));
end:
    return status;
}

/* Sizes off the axis say that it is meant by its shape. */
static bool is_broadcast(const struct clq__work *work, const struct clq__view *view, int axis)
{
    if (work->names->documented || view->rank != clq__work_read(work)->rank || view->elements == 1)
        return false;
    for (int d = 0; d < view->rank; d++)
        if (d != axis && view->shape[d] != 1)
            return true;
    return false;
}

/* Where there are blocks, scales have them, and zero points may, along both dimensions or neither. */
static bool has_blocks(const struct clq__work *work, const struct clq__parameter *parameter)
{
    const struct clq__view *view = &parameter->view, *read = clq__work_read(work);

    if (work->block == 0 || parameter == &work->scale)
        return work->block > 0;
    if (view->rank != read->rank)
        return false;
    for (int d = 0; d < read->rank; d++) {
        const int64_t block = clq__block_of(work, d);

        if (block > 0 && view->shape[d] != clq__blocks_of(read->shape[d], block))
            return false;
    }
    return read->rank > 0;
}

static clq_status check_dense(struct clq__work *work, struct clq__parameter *parameter)
{
    clq_status status = CLQ_OK;
    const struct clq__view *read = clq__work_read(work);

    if (has_blocks(work, parameter))
        CLQ_TRY(clq__parameter_check_blocks(parameter, read, work));
    else if (is_broadcast(work, &parameter->view, work->axis))
        CLQ_TRY(clq__parameter_check_broadcast(parameter, read));
    else
        CLQ_TRY(clq__parameter_check_axis(parameter, read, work->axis));
end:
    return status;
}

clq_status clq__parameters_check_dense(struct clq__work *work, const struct clq__blocks *blocks)
{
    clq_status status = CLQ_OK;
    const struct clq__view *scales = &work->scale.view, *zero_points = &work->zero_point.view;
    const struct clq__view *longer = scales->elements != 1 ? scales : zero_points,
                           *read = clq__work_read(work);

    CLQ_TRY(check_block(work, blocks->block));
    if (longer->elements != 1 || blocks->block > 0) {
        CLQ_TRY(check_axis(work, longer, blocks));
        CLQ_TRY(check_dense(work, &work->scale));
        if (zero_points->tensor != NULL)
            CLQ_TRY(check_dense(work, &work->zero_point));
        goto end;
    }
    CLQ_TRY(check_before(work, read, blocks));
    CLQ_TRY(clq__parameter_check_rank(scales, read));
    CLQ_TRY(clq__parameter_check_rank(zero_points, read));
end:
    return status;
}

/* A zero point for each scale: of the same shape, or along the axis as many. */
static clq_status check_as_scales(struct clq__work *work)
{
    clq_status status = CLQ_OK;
    const struct clq__view *scales = &work->scale.view, *zero_points = &work->zero_point.view;

    if (work->block > 0 || is_broadcast(work, scales, work->axis)) {
        CLQ_TRY(clq__view_check_rank(zero_points, scales));
        CLQ_TRY(clq__view_check_alike(zero_points, scales));
    } else {
        CLQ_REQUIRE(zero_points->elements == scales->elements, CLQ_ERROR_SHAPE,
                    "zero_points has %lld elements: it must have as many as scales, %lld",
                    (long long)zero_points->elements, (long long)scales->elements);
        CLQ_TRY(clq__parameter_check_axis(&work->zero_point, &work->x, work->axis));
        goto end;
    }
    CLQ_TRY(check_dense(work, &work->zero_point));
end:
    return status;
}

clq_status clq__parameters_check_found(struct clq__work *work, const struct clq__blocks *blocks)
{
    clq_status status = CLQ_OK;
    const struct clq__view *scales = &work->scale.view, *zero_points = &work->zero_point.view;

    CLQ_TRY(check_block(work, blocks->block));
    if (scales->elements != 1 || blocks->block > 0) {
        CLQ_TRY(check_axis(work, scales, blocks));
        CLQ_TRY(check_dense(work, &work->scale));
        if (zero_points->tensor != NULL)
            CLQ_TRY(check_as_scales(work));
        goto end;
    }
    CLQ_TRY(check_before(work, &work->x, blocks));
    CLQ_TRY(clq__parameter_check_rank(scales, &work->x));
    CLQ_TRY(clq__parameter_check_rank(zero_points, &work->x));
    CLQ_REQUIRE(zero_points->elements == 1, CLQ_ERROR_SHAPE,
                "zero_points has %lld elements: it must have as many as scales, 1",
                (long long)zero_points->elements);
end:
    return status;
}

/* One element, or one per index of the last dimension: in row-major order, whatever their shape. */
static clq_status check_along_last(const struct clq__work *work, struct clq__parameter *parameter)
{
    clq_status status = CLQ_OK;
    const int last = work->x.rank - 1;
    /* along axis a gathered y may be shorter than q, and it is y's indices that have scales */
    const struct clq__view *view = &parameter->view,
                           *read = work->placement.axis == last ? &work->x : clq__work_read(work);
    struct clq__fold fold;
    char hint[CLQ__SHAPE_HINT_TEXT];

    CLQ_REQUIRE(
        view->elements == 1 || view->elements == read->shape[last], CLQ_ERROR_SHAPE,
        "%s has %lld elements: with indices it must have 1, or %lld as %s.shape[%d], the last dimension%s",
        view->name, (long long)view->elements, (long long)read->shape[last], read->name, last,
        clq__parameter_shape_hint(hint, view, read, work->placement.axis));
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
static clq_status check_off_places(const struct clq__work *work, const struct clq__view *view)
{
    clq_status status = CLQ_OK;
    const int dims[] = {0, work->placement.axis};

    for (int i = 0; i < 2; i++)
        CLQ_REQUIRE(view->rank != work->x.rank || view->shape[dims[i]] == 1, CLQ_ERROR_SHAPE,
                    "%s.shape[%d] is %lld: with indices it must be 1, for scales belong to the other "
                    "dimensions and not "
                    "to places",
                    view->name, dims[i], (long long)view->shape[dims[i]]);
end:
    return status;
}

static clq_status check_placed(struct clq__work *work, struct clq__parameter *parameter)
{
    clq_status status = CLQ_OK;
    const struct clq__view *view = &parameter->view, *read = clq__work_read(work);

    if (has_blocks(work, parameter)) {
        CLQ_TRY(check_off_places(work, view));
        CLQ_TRY(clq__parameter_check_blocks(parameter, read, work));
    } else if (is_broadcast(work, view, work->axis)) {
        CLQ_TRY(check_off_places(work, view));
        CLQ_TRY(clq__parameter_check_broadcast(parameter, read));
    } else {
        CLQ_TRY(check_along_last(work, parameter));
    }
end:
    return status;
}

clq_status clq__parameters_check_placed(struct clq__work *work, uint32_t block)
{
    clq_status status = CLQ_OK;

    work->axis = work->x.rank - 1;
    work->block = block;
    CLQ_REQUIRE(block == 0 || work->placement.axis != work->axis, CLQ_ERROR_VALUE,
                "block is %u: with indices along the last dimension it must be 0", block);
    CLQ_TRY(check_placed(work, &work->scale));
    CLQ_TRY(check_placed(work, &work->zero_point));
end:
    return status;
}

clq_status clq__groups_check(struct clq__work *work, const DLTensor *group_index,
                             const struct clq__view *of_group)
{
    clq_status status = CLQ_OK;
    const struct clq__view *x = clq__work_read(work), *ends = &work->placement.indices;

    CLQ_TRY(clq__view_init(&work->placement.indices, "group_index", group_index, CLQ__INDICES));
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
    work->placement.kind = CLQ_ENTRY_GROUPS;
end:
    return status;
}

clq_status clq__parameters_check_groups(struct clq__work *work, const DLTensor *group_index)
{
    clq_status status = CLQ_OK;
    const struct clq__view *scale = &work->scale.view, *offset = &work->zero_point.view;

    CLQ_TRY(clq__groups_check(work, group_index, scale));
    CLQ_REQUIRE(offset->elements == 1, CLQ_ERROR_SHAPE, "%s has %lld elements: it must have 1", offset->name,
                (long long)offset->elements);
    work->axis = 1;
    work->scale.stride[1] = clq__view_step_units(scale, scale->shape[1], scale->stride[1]);
    work->scale.row_stride = scale->stride[0];
end:
    return status;
}

/* Of one element, for the whole tensor. */
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
static bool cuts_gaps(const struct clq__work *work)
{
    const struct clq__view *y = &work->y;
    const int last = y->rank - 1;

    return work->axis == last && work->block % y->lanes != 0 && work->block < y->shape[last] &&
           clq__view_has_gaps(y);
}

/* Checks the blocks that cut y, before the shapes of the tensors beside it. */
static clq_status check_cut(struct clq__work *work, const struct clq__blocks *blocks)
{
    clq_status status = CLQ_OK;
    const struct clq__view *y = &work->y;
    const bool placed = work->placement.kind != CLQ_ENTRY_NONE;

    CLQ_REQUIRE(blocks->all == 0 || blocks->block == 0, CLQ_ERROR_VALUE,
                "block is %u: with block_all it must be 0", blocks->block);
    CLQ_REQUIRE(blocks->all == 0 || !placed, CLQ_ERROR_VALUE, "block_all is 1: with indices it must be 0");
    CLQ_REQUIRE(y->rank > 0, CLQ_ERROR_RANK, "%s.ndim is 0: it must have a dimension for its rows", y->name);
    work->axis = y->rank - 1;
    work->block = blocks->block;
    if (!placed && !blocks->all)
        CLQ_TRY(
            clq__axis_check(y, blocks->axis, work->names->scales, work->scale.view.elements, &work->axis));
    CLQ_TRY(check_before(work, y, blocks));
    CLQ_REQUIRE(work->axis != y->rank - 1 || blocks->block % clq__view_in_unit(y) == 0, CLQ_ERROR_VALUE,
                "block is %u: along the last dimension of %s it must be a multiple of %lld", blocks->block,
                clq__type_name(y->type), (long long)clq__view_in_unit(y));
    CLQ_REQUIRE(
        work->rule == 0 || work->axis == y->rank - 1 || !clq__view_has_gaps(y), CLQ_ERROR_VALUE,
        "block is %u: off the last dimension of %s there must be none with scale_rule, for its words do not "
        "follow one another",
        blocks->block, clq__type_name(y->type));
end:
    return status;
}

clq_status clq__parameters_check_dynamic(struct clq__work *work, const struct clq__blocks *blocks)
{
    clq_status status = CLQ_OK;
    struct clq__parameter *parameters[] = {&work->scale, &work->zero_point};

    CLQ_TRY(check_cut(work, blocks));
    for (int i = 0; i < 2; i++) {
        if (parameters[i]->view.tensor == NULL)
            continue;
        if (blocks->all)
            CLQ_TRY(check_all(&parameters[i]->view, &work->y));
        else if (work->rule != 0 && work->names->documented)
            CLQ_TRY(clq__parameter_check_pairs(parameters[i], &work->y, work));
        else
            CLQ_TRY(clq__parameter_check_rows(parameters[i], &work->y, work));
    }
    work->placed = true;
    work->cuts_gaps = cuts_gaps(work);
    work->apart = blocks->all || work->axis != work->y.rank - 1 || work->cuts_gaps || blocks->before > 0;
end:
    return status;
}

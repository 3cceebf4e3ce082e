/* SPDX-License-Identifier: Apache-2.0 */
/* Static quantization, and the way back, from what was checked to what a kernel is told: fold, place the
 * scales, fill the arguments. */
#include "plan/plan.h"

/* The kernels switch on the same numbers. */
_Static_assert((int)CLQ__F32 == CLQ_SCALAR_F32 && (int)CLQ__F16 == CLQ_SCALAR_F16 &&
                   (int)CLQ__BF16 == CLQ_SCALAR_BF16 && (int)CLQ__I8 == CLQ_SCALAR_I8 &&
                   (int)CLQ__U8 == CLQ_SCALAR_U8 && (int)CLQ__I32 == CLQ_SCALAR_I32,
               "base/dtype.h and args/types.h must number the types alike");

enum { X, Y, SCALE, ZERO_POINT }; /* the tensors of the fold */

/* How far scales or zero points step along dimension d: those of rows in memory, all others in positions on the
 * axis. */
static int64_t step_of(const struct clq__work *work, const struct clq__parameter *parameter, int d)
{
    const struct clq__view *view = &parameter->view;

    if (!work->of_rows)
        return d == work->axis && parameter->stride != 0;
    return view->tensor != NULL && d < view->rank
               ? clq__view_step_units(view, view->shape[d], view->stride[d])
               : 0;
}

static void fold_dimension(struct clq__static *call, int d)
{
    const struct clq__work *work = call->work;
    const struct clq__view *y = &work->y;
    const int64_t x = work->x.stride[d], size = work->x.shape[d];
    const int64_t scale = step_of(work, &work->scale, d), zero_point = step_of(work, &work->zero_point, d);
    const bool last = d == work->x.rank - 1;

    if (!clq__view_has_nibbles(y) || !last) {
        if (size > 1 || (last && work->of_rows))
            clq__fold_add(&call->fold, true, size,
                          (int64_t[]){x, clq__view_units(y, y->stride[d]), scale, zero_point});
        return;
    }
    call->args.x_pair = x;
    clq__fold_add(&call->fold, true, y->lanes == 8 ? 4 : size / 2,
                  (int64_t[]){2 * x, y->lanes == 2 ? y->stride[d] : 1, 2 * scale, 2 * zero_point});
    if (y->lanes == 8 && size > 8)
        clq__fold_add(&call->fold, false, size / 8,
                      (int64_t[]){8 * x, clq__view_units(y, y->stride[d]), 8 * scale, 8 * zero_point});
}

/* The bytes of nibbles' last dimension stay innermost, and so do rows that have scales of their own. Positions
 * and entries are not merged with anything, and stand outside of all else: the kernel takes them
 * off a row's number from there. Where they lie in y is not the fold's to say. */
static void fold(struct clq__static *call)
{
    const struct clq__work *work = call->work;
    const struct clq__placement *placement = &work->placement;
    const bool groups = placement->kind == CLQ_ENTRY_GROUPS;
    /* what belongs to rows is placed with them */
    const bool on_axis = placement->axis == work->axis && !work->of_rows;

    call->fold.dims = 0;
    for (int d = work->x.rank - 1; d >= 0; d--)
        if (!clq__placement_takes(placement, d))
            fold_dimension(call, d);
    clq__fold_sort(&call->fold, clq__view_has_nibbles(&work->y) || work->of_rows ? 1 : 0, work->back ? X : Y);
    clq__fold_merge(&call->fold);
    if (call->fold.dims == 0)
        clq__fold_add(&call->fold, true, 1, (int64_t[]){1, 1, 0, 0});
    if (placement->kind != CLQ_ENTRY_NONE)
        clq__placement_fold(
            placement, &call->fold, work->x.shape[0],
            (int64_t[]){groups ? 0 : work->x.stride[placement->axis], 0, on_axis && work->scale.stride != 0,
                        on_axis && work->zero_point.stride != 0},
            (int64_t[]){work->x.stride[0],
                        groups ? clq__view_step_units(&work->y, work->x.shape[0], work->y.stride[0]) : 0, 0,
                        0});
}

/* Scales and zero points that differ along a row are read as dense float32: everything else is widened first,
 * once, and the kernel's inner loop knows one type. One that is uniform on a row keeps its type and place,
 * unless its elements do not lie at one stride. */
static void place_parameters(struct clq__static *call)
{
    const struct clq__fold_dim *inner = &call->fold.dim[0];
    struct clq__source *sources[2] = {&call->scale, &call->zero_point};

    call->scale.parameter = &call->work->scale;
    call->zero_point.parameter = &call->work->zero_point;
    call->zero_point.per_element = inner->stride[ZERO_POINT] != 0;
    /* a kernel with a zero point per element reads a scale per element too */
    call->scale.per_element = inner->stride[SCALE] != 0 || call->zero_point.per_element;
    for (int i = 0; i < 2; i++) {
        const struct clq__parameter *parameter = sources[i]->parameter;

        sources[i]->widen =
            parameter->flatten ||
            (sources[i]->per_element && (parameter->view.type != CLQ__F32 || parameter->stride != 1));
    }
    /* widened out of one element, it has one per position of the axis all the same */
    if (call->scale.widen && call->work->scale.stride == 0)
        for (int d = 0; d < call->fold.dims; d++)
            call->fold.dim[d].stride[SCALE] = call->fold.dim[d].stride[ZERO_POINT];
}

static uint32_t type_of(const struct clq__source *source)
{
    return source->widen ? CLQ_SCALAR_F32 : (uint32_t)source->parameter->view.type;
}

/* From positions on the axis, which the fold counts, to elements in memory. */
static int64_t factor_of(const struct clq__static *call, const struct clq__source *source)
{
    return source->widen || call->work->of_rows ? 1 : source->parameter->stride;
}

static void fill_args(struct clq__static *call)
{
    struct quantize_args *args = &call->args;
    const struct clq__fold *fold = &call->fold;
    const int64_t scale_factor = factor_of(call, &call->scale),
                  zero_point_factor = factor_of(call, &call->zero_point);

    args->x_offset = clq__view_offset_units(&call->work->x);
    args->y_offset = clq__view_offset_units(&call->work->y);
    args->scale_offset = call->scale.widen ? 0 : clq__view_offset_units(&call->work->scale.view);
    args->zero_point_offset =
        call->zero_point.widen ? 0 : clq__view_offset_units(&call->work->zero_point.view);
    args->x_stride = fold->dim[0].stride[X];
    args->y_stride = fold->dim[0].stride[Y];
    args->inner = fold->dim[0].size;
    args->scale_type = type_of(&call->scale);
    args->zero_point_type = type_of(&call->zero_point);
    args->zero_points_each = call->zero_point.per_element;
    args->zero_point_sign = call->work->add ? UINT32_C(1) << 31 : 0;
    args->outer = (uint32_t)(fold->dims - 1);
    for (int d = 1; d < fold->dims; d++)
        args->dim[d - 1] =
            (struct clq_dim){.size = fold->dim[d].size,
                             .x = fold->dim[d].stride[X],
                             .y = fold->dim[d].stride[Y],
                             .scale = fold->dim[d].stride[SCALE] * scale_factor,
                             .zero_point = fold->dim[d].stride[ZERO_POINT] * zero_point_factor};
}

static void fill_entries(struct clq__static *call)
{
    const struct clq__work *work = call->work;
    const struct clq__placement *placement = &work->placement;
    struct clq_entries *entries = &call->args.entries;

    clq__placement_describe(work, clq__fold_count(&call->fold, 1), entries);
    if (placement->kind == CLQ_ENTRY_GROUPS)
        entries->scale_row = call->scale.widen ? work->x.shape[1] : work->scale.row_stride;
    else if (placement->kind != CLQ_ENTRY_NONE)
        clq__placement_steps(placement, &work->y, &entries->y_batch, &entries->y_start);
    if (placement->kind == CLQ_ENTRY_NONE || !work->of_rows)
        return;
    entries->scale_batch = step_of(work, &work->scale, 0);
    entries->scale_start = step_of(work, &work->scale, placement->axis);
    entries->zero_point_batch = step_of(work, &work->zero_point, 0);
    entries->zero_point_start = step_of(work, &work->zero_point, placement->axis);
}

bool clq__static_describe(struct clq__plan *plan)
{
    struct clq__static *call = &plan->of_static;

    if (plan->work.x.elements == 0)
        return false;
    call->work = &plan->work;
    call->repeats = 1;
    call->args = (struct quantize_args){0};
    fold(call);
    place_parameters(call);
    fill_args(call);
    fill_entries(call);
    plan->owner_words = call->args.entries.owner_words;
    return true;
}

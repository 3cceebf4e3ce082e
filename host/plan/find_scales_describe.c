/* SPDX-License-Identifier: Apache-2.0 */
/* clq_find_scales from what was checked to what its kernels are told: which elements of x have one scale. */
#include "base/ceil_div.h"
#include "base/fold.h"
#include "plan/divisor.h"
#include "plan/plan.h"

enum { X, INDEX }; /* the tensors of the fold */

enum {
    SHORT_RUN = 512, /* rows of one index shorter than this are taken as columns, where many lie together */
    FEW_ROWS = 16,   /* but not where fewer of them come together in a column */
    COLUMNS = 2048   /* so many are laid side by side where rows have few */
};

/* What repeats has the range of what it repeats: dimensions of stride 0 are left out. True where the axis is
 * one of them, so that all indices have one range. */
static bool fold(struct clq__fold *fold, const struct clq__work *work)
{
    const struct clq__view *x = &work->x;
    bool repeats = false;

    fold->dims = 0;
    for (int d = x->rank - 1; d >= 0; d--) {
        if (x->stride[d] != 0)
            clq__fold_add(fold, false, x->shape[d], (int64_t[]){x->stride[d], d == work->axis, 0, 0});
        else if (d == work->axis)
            repeats = true;
    }
    clq__fold_sort(fold, 0, X);
    clq__fold_merge(fold);
    if (fold->dims == 0)
        clq__fold_add(fold, true, 1, (int64_t[]){1, 0, 0, 0});
    return repeats;
}

/* The rows' dimensions: all from `first` on but the axis. Returns how many rows there are. */
static int64_t fill_rows(struct find_scales_args *args, const struct clq__fold *fold, int first)
{
    int64_t rows = 1;

    args->outer = 0;
    for (int d = first; d < fold->dims; d++) {
        if (fold->dim[d].stride[INDEX] != 0)
            continue;
        args->dim[args->outer++] = (struct clq_dim){.size = fold->dim[d].size, .x = fold->dim[d].stride[X]};
        rows *= fold->dim[d].size;
    }
    clq__divide_dims(args->dim, args->outer);
    return rows;
}

/* Rows of few columns that follow one another are laid side by side: the ranges of one part are then those of
 * several rows, which finish takes for parts. Few rows need no finish as they are. Returns how many rows became
 * one. */
static int64_t widen_rows(struct find_scales_args *args, int64_t *rows)
{
    int64_t together = clq__ceil_div(COLUMNS, args->inner);

    args->last = args->inner;
    if (*rows <= CLQ__ROWS_OF_PART || args->inner >= COLUMNS / 4 || args->outer != 1 ||
        args->dim[0].x != args->inner * args->x_stride)
        return 1;
    if (together > *rows)
        together = *rows;
    args->last = (*rows - (clq__ceil_div(*rows, together) - 1) * together) * args->inner;
    *rows = clq__ceil_div(*rows, together);
    args->inner *= together;
    args->dim[0].size = *rows;
    args->dim[0].x *= together;
    return together;
}

/* Runs, where the elements of a row have one index; columns, where each has its own, or where the rows of one
 * index are short and many lie together. */
static bool takes_columns(const struct clq__fold *fold)
{
    const struct clq__fold_dim *dim = fold->dim;

    if (dim[0].stride[INDEX] != 0)
        return true;
    return fold->dims > 2 && dim[1].stride[INDEX] != 0 && dim[0].size < SHORT_RUN &&
           dim[1].stride[X] == dim[0].size * dim[0].stride[X] && clq__fold_count(fold, 2) >= FEW_ROWS;
}

static void describe_columns(struct clq__scales *call, const struct clq__fold *fold)
{
    struct find_scales_args *args = &call->find_args;
    struct finish_scales_args *finish = &call->finish_args;
    const bool pairs = fold->dim[0].stride[INDEX] == 0;

    if (pairs) {
        finish->span = finish->index_ranges = args->inner;
        args->inner *= fold->dim[1].size;
    }
    finish->part_ranges = args->inner;
    call->rows = fill_rows(args, fold, pairs ? 2 : 1);
    call->together = widen_rows(args, &call->rows);
}

static void describe_runs(struct clq__scales *call, const struct clq__fold *fold)
{
    struct find_scales_args *args = &call->find_args;

    args->units = 1;
    for (int d = 1; d < fold->dims; d++) {
        if (fold->dim[d].stride[INDEX] == 0)
            continue;
        args->units = fold->dim[d].size;
        args->index_stride = fold->dim[d].stride[X];
    }
    call->finish_args.part_ranges = args->units;
    call->rows = fill_rows(args, fold, 1);
    call->together = 1;
}

static void describe_ranges(struct clq__scales *call, const struct clq__work *work)
{
    struct find_scales_args *args = &call->find_args;
    struct finish_scales_args *finish = &call->finish_args;
    struct clq__fold folded;
    const bool repeats = fold(&folded, work);

    args->x_offset = clq__view_offset_units(&work->x);
    args->x_stride = folded.dim[0].stride[X];
    args->inner = args->last = folded.dim[0].size;
    finish->index_ranges = 1;
    call->columns = takes_columns(&folded);
    if (call->columns)
        describe_columns(call, &folded);
    else
        describe_runs(call, &folded);
    if (repeats)
        finish->index_ranges = 0;
}

static struct clq_scale_output output_of(const struct clq__work *work)
{
    const bool symmetric = work->method == CLQ_ABSMAX;
    const int32_t middle = clq__type_middle(work->type);
    struct clq_scale_output out = {
        .scale_offset = clq__view_offset_units(&work->scale.view),
        .scale_stride = work->scale.stride,
        .zero_point_offset = clq__view_offset_units(&work->zero_point.view),
        .zero_point_stride = work->zero_point.stride,
        .zero_point_type = (uint32_t)work->zero_point.view.type,
        .levels = clq__type_is(work->type, CLQ__NIBBLES) ? 15 : 255,
        .symmetric = symmetric,
        .multiply = !work->divide,
    };

    out.twice_steps = symmetric ? out.levels - 1 : out.levels;
    out.zero = symmetric ? middle : middle - (int32_t)(out.levels / 2 + 1);
    return out;
}

bool clq__scales_describe(struct clq__plan *plan)
{
    const struct clq__work *work = &plan->work;
    struct clq__scales *call = &plan->of_scales;
    const struct clq_scale_output output = output_of(work);

    if (work->scale.view.elements == 0)
        return false;
    call->find_args = (struct find_scales_args){.output = output};
    call->finish_args =
        (struct finish_scales_args){.indices = work->scale.view.elements, .span = 1, .output = output};
    call->columns = false;
    if (work->x.elements > 0)
        describe_ranges(call, work);
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* clq_find_scales, from the checked descriptor to the arguments of its kernels:
 * which elements of x have one scale. */
#include "base/ceil_div.h"
#include "base/float_bits.h"
#include "base/fold.h"
#include "plan/belongs/parameter.h"
#include "plan/find/find_scales.h"
#include "plan/shares/divisor.h"
#include "plan/shares/tuning.h"

enum { X, SCALE, ZERO_POINT }; /* the tensors of the fold */

static bool has_index(const struct clq__fold_dim *dim)
{
    return dim->stride[SCALE] != 0;
}

/* Folds `size` indices of dimension d, which follow one another by `step`; each has a scale of its own,
 * or none has. */
static void add(struct clq__fold *fold, const struct clq__checked_call *checked, int d, int64_t size,
                int64_t step, bool of_scale)
{
    clq__fold_add(fold, false, size,
                  (int64_t[CLQ__FOLD_TENSORS]){step * checked->x.stride[d],
                                               of_scale ? checked->scale.stride[d] : 0,
                                               of_scale ? checked->zero_point.stride[d] : 0});
}

/* Repeated elements have the range of the first: dimensions of stride 0 are left out, but where each index
 * has a scale. The dimensions of stride 0 that stay are outermost. */
static void fold(struct clq__fold *fold, const struct clq__checked_call *checked,
                 const struct clq__ranges *ranges)
{
    const struct clq__view *x = &checked->x;

    fold->dims = 0;
    for (int d = x->rank - 1; d >= 0; d--) {
        const struct clq__range *range = clq__range_of(checked, ranges, d);

        if (x->stride[d] == 0)
            continue;
        if (range != NULL) {
            add(fold, checked, d, range->size, 1, false);
            add(fold, checked, d, range->blocks, range->size, true);
        } else {
            add(fold, checked, d, x->shape[d], 1, true);
        }
    }
    clq__fold_sort(fold, 0, X);
    for (int d = x->rank - 1; d >= 0; d--) {
        const struct clq__range *range = clq__range_of(checked, ranges, d);

        if (x->stride[d] == 0 && checked->scale.stride[d] != 0)
            add(fold, checked, d, range != NULL ? range->blocks : x->shape[d], 1, true);
    }
    clq__fold_merge(fold);
    if (fold->dims == 0)
        clq__fold_add(fold, true, 1, (int64_t[CLQ__FOLD_TENSORS]){1});
}

/* The dimensions from `first` on: the rows' are those of no index, and the batches' the others but for number
 * `but`. Returns how many rows there are. */
static int64_t fill_dims(struct clq__scales_part *part, const struct clq__fold *fold, int first, int but)
{
    struct find_scales_args *args = &part->find_args;
    int64_t rows = 1;

    args->outer = args->batch_dims = 0;
    args->batches = 1;
    for (int d = first; d < fold->dims; d++)
        if (!has_index(&fold->dim[d])) {
            args->dim[args->outer++] =
                (struct clq_dim){.size = fold->dim[d].size, .x = fold->dim[d].stride[X]};
            rows *= fold->dim[d].size;
        }
    for (int d = first; d < fold->dims; d++)
        if (has_index(&fold->dim[d]) && d != but) {
            struct clq_dim *dim = &args->dim[CLQ_FIND_DIMS - ++args->batch_dims];

            *dim = (struct clq_dim){.size = fold->dim[d].size,
                                    .by_size = clq__divisor(fold->dim[d].size),
                                    .x = fold->dim[d].stride[X],
                                    .scale = fold->dim[d].stride[SCALE],
                                    .zero_point = fold->dim[d].stride[ZERO_POINT]};
            part->finish_args.dim[args->batch_dims - 1] = *dim;
            args->batches *= dim->size;
        }
    clq__divide_dims(args->dim, args->outer);
    clq__divide_dims(part->finish_args.dim, args->batch_dims);
    part->finish_args.batch_dims = args->batch_dims;
    part->finish_args.batches = args->batches;
    return rows;
}

/* For one index dimension the indices and their steps. */
static void fill_indices(struct clq__scales_part *part, const struct clq__fold_dim *dim)
{
    struct clq_scale_output *output = &part->find_args.output;

    part->finish_args.indices = dim->size;
    output->scale_stride = dim->stride[SCALE];
    output->zero_point_stride = dim->stride[ZERO_POINT];
}

/* Rows of few columns that follow one another are laid side by side: the ranges of one part are then those of
 * several rows, which finish takes for parts. Few rows need no finish as they are. Returns how many rows
 * became one. */
static int64_t widen_rows(struct find_scales_args *args, int64_t *rows)
{
    int64_t together = clq__ceil_div(CLQ__FIND_COLUMNS, args->inner);

    args->last = args->inner;
    if (*rows <= CLQ__FIND_ROWS_OF_RANGE || args->inner >= CLQ__FIND_COLUMNS / 4 || args->outer != 1 ||
        args->batches > 1 || args->dim[0].x != args->inner * args->x_stride)
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

static int64_t rows_from(const struct clq__fold *fold, int first)
{
    int64_t rows = 1;

    for (int d = first; d < fold->dims; d++)
        if (!has_index(&fold->dim[d]))
            rows *= fold->dim[d].size;
    return rows;
}

/* Runs, where the elements of a row have one index; columns, where each has its own, or where the rows of one
 * index are short and many lie together. */
static bool takes_columns(const struct clq__fold *fold)
{
    const struct clq__fold_dim *dim = fold->dim;

    if (has_index(&dim[0]))
        return true;
    return fold->dims > 2 && has_index(&dim[1]) && dim[0].size < CLQ__FIND_SHORT_RUN &&
           dim[1].stride[X] == dim[0].size * dim[0].stride[X] && rows_from(fold, 2) >= CLQ__FIND_FEW_ROWS;
}

static void describe_columns(struct clq__scales_part *part, const struct clq__fold *fold)
{
    struct find_scales_args *args = &part->find_args;
    struct finish_scales_args *finish = &part->finish_args;
    const bool pairs = !has_index(&fold->dim[0]);

    if (pairs) {
        finish->span = finish->index_ranges = args->inner;
        args->inner *= fold->dim[1].size;
    }
    fill_indices(part, &fold->dim[pairs]);
    finish->batch_ranges = args->inner;
    part->rows = fill_dims(part, fold, pairs ? 2 : 1, -1);
    finish->slice_ranges = args->batches * finish->batch_ranges;
    part->together = widen_rows(args, &part->rows);
}

static void describe_runs(struct clq__scales_part *part, const struct clq__fold *fold)
{
    struct find_scales_args *args = &part->find_args;
    struct finish_scales_args *finish = &part->finish_args;
    int index = 0;

    for (int d = fold->dims - 1; d > 0; d--)
        if (has_index(&fold->dim[d]))
            index = d;
    args->units = index > 0 ? fold->dim[index].size : 1;
    args->index_stride = index > 0 ? fold->dim[index].stride[X] : 0;
    if (index > 0)
        fill_indices(part, &fold->dim[index]);
    finish->batch_ranges = args->units;
    part->rows = fill_dims(part, fold, 1, index);
    finish->slice_ranges = args->batches * args->units;
    part->together = 1;
}

static void describe_ranges(struct clq__scales_part *part, const struct clq__checked_call *checked,
                            const struct clq__ranges *ranges)
{
    struct find_scales_args *args = &part->find_args;
    struct clq__fold folded;

    fold(&folded, checked, ranges);
    args->x_offset = clq__view_offset_units(&checked->x);
    args->x_stride = folded.dim[0].stride[X];
    args->inner = args->last = folded.dim[0].size;
    part->finish_args.index_ranges = 1;
    part->columns = takes_columns(&folded);
    if (part->columns)
        describe_columns(part, &folded);
    else
        describe_runs(part, &folded);
}

/* For dynamic quantization: its steps lead from the least value of y's type to its top,
 * and to it alone where it is symmetric. */
static struct clq_scale_output output_of_dynamic(const struct clq__checked_call *checked)
{
    return (struct clq_scale_output){
        .scale_offset = clq__view_offset_units(&checked->scale.view),
        .zero_point_offset = clq__view_offset_units(&checked->zero_point.view),
        .scale_type = (uint32_t)checked->scale.view.type,
        .symmetric = checked->zero_point.view.tensor == NULL,
        .top = clq__float_bits(clq__checked_top(checked)),
        .offset_sign = checked->names->plain_offsets ? 0 : UINT32_C(1) << 31,
        .steps = clq__float_bits((float)clq__type_levels(checked->y.type)),
    };
}

/* For finite values alone. */
static struct clq_scale_output output_of(const struct clq__checked_call *checked)
{
    const bool quotient = checked->by_quotient, symmetric = quotient || checked->method == CLQ_ABSMAX,
               multiply = !quotient && !checked->divide;
    const enum clq__type type = quotient ? checked->y.type : checked->type;
    const int32_t middle = clq__type_middle(type);
    struct clq_scale_output out = {
        .scale_offset = clq__view_offset_units(&checked->scale.view),
        .zero_point_offset = clq__view_offset_units(&checked->zero_point.view),
        .zero_point_type = (uint32_t)checked->zero_point.view.type,
        .levels = clq__type_levels(type),
        .symmetric = symmetric,
        .multiply = multiply,
        .least = clq__float_bits(quotient || multiply ? 0.0f : 0x1p-100f),
        .most = clq__float_bits(multiply ? 0x1p+100f : checked->most_scale),
    };

    out.twice_steps = symmetric ? 2 * clq__type_steps(type) : out.levels;
    out.zero = symmetric ? middle : middle - (int32_t)(out.levels / 2 + 1);
    return out;
}

/* For an x without elements every scale is that of zeros: finish writes them without a range. */
static void describe_empty(struct clq__scales_part *part, const struct clq__checked_call *checked)
{
    struct finish_scales_args *finish = &part->finish_args;
    const struct clq__parameter *scale = &checked->scale;

    for (int d = checked->x.rank - 1; d >= 0; d--) {
        const int64_t size = checked->x.shape[d];

        if (scale->stride[d] != 0)
            finish->dim[finish->batch_dims++] =
                (struct clq_dim){.size = clq__blocks_of(size, scale->block[d]),
                                 .scale = scale->stride[d],
                                 .zero_point = checked->zero_point.stride[d]};
    }
    clq__divide_dims(finish->dim, finish->batch_dims);
    finish->batches = scale->view.elements;
}

/* The begin of a range of dimension d. */
static void move(struct clq__scales_part *part, const struct clq__checked_call *checked, int d,
                 const struct clq__range *range)
{
    struct clq_scale_output *output = &part->find_args.output;

    if (range->first == 0)
        return;
    part->find_args.x_offset += range->first * checked->x.stride[d];
    output->scale_offset += range->first / checked->scale.block[d] * checked->scale.stride[d];
    output->zero_point_offset += range->first / checked->scale.block[d] * checked->zero_point.stride[d];
}

static void describe_part(struct clq__scales *call, const struct clq__checked_call *checked,
                          const struct clq__ranges *ranges)
{
    struct clq__scales_part *part = &call->parts[call->num_parts++];
    const struct clq_scale_output output =
        checked->scales_first && !checked->by_quotient ? output_of_dynamic(checked) : output_of(checked);

    part->find_args = (struct find_scales_args){.output = output, .batches = 1};
    part->finish_args = (struct finish_scales_args){.indices = 1, .batches = 1, .span = 1};
    part->columns = false;
    if (checked->x.elements > 0)
        describe_ranges(part, checked, ranges);
    else
        describe_empty(part, checked);
    move(part, checked, checked->axis, &ranges->axis);
    move(part, checked, checked->axis - 1, &ranges->before);
    part->finish_args.output = part->find_args.output;
    part->finish_args.by_indices = clq__divisor(part->finish_args.indices);
    part->find_args.by_batches = clq__divisor(part->find_args.batches);
}

static bool is_cut(const struct clq__checked_call *checked, int d)
{
    return d >= 0 && checked->x.elements > 0 && checked->scale.block[d] > 1;
}

bool clq__scales_describe(struct clq__scales *call, const struct clq__checked_call *checked)
{
    struct clq__ranges ranges[CLQ__MOST_RANGES];
    int count;

    call->num_parts = 0;
    if (checked->scale.view.elements == 0)
        return false;
    count =
        clq__checked_cut(checked, is_cut(checked, checked->axis), is_cut(checked, checked->axis - 1), ranges);
    for (int i = 0; i < count; i++)
        describe_part(call, checked, &ranges[i]);
    return true;
}

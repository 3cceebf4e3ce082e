/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/dynamic/prepared_x.h"

#include "base/ceil_div.h"
#include "base/fold.h"
#include "plan/dynamic/rotate.h"
#include "plan/shares/divisor.h"
#include "plan/shares/rounds.h"
#include "plan/shares/tuning.h"

enum { X, SMOOTH, Y, NUM_BUFFERS }; /* the kernel's buffers */

bool clq__values_needed(const struct clq__checked_call *checked)
{
    const bool cuts = checked->rotate > 0 && checked->block > 0 &&
                      checked->block < checked->x.shape[checked->x.rank - 1] &&
                      checked->block % checked->rotate != 0;

    if (clq__view_has_blocks(&checked->y))
        return checked->rotate > 0;
    if (checked->rule.kind != 0)
        return checked->rotate > 0 || checked->smooth.tensor != NULL;
    return checked->scales_first ? checked->rotate > 0 || checked->smooth.tensor != NULL : cuts;
}

static void fill_dims(struct values_args *args, const struct clq__view *x)
{
    struct clq__fold fold = {.dims = 0};
    int64_t rows;

    for (int d = x->rank - 2; d >= 0; d--)
        clq__fold_add(&fold, false, x->shape[d], (int64_t[CLQ__FOLD_TENSORS]){x->stride[d]});
    clq__fold_merge(&fold);
    rows = clq__fold_count(&fold, 0);
    args->outer = (uint32_t)fold.dims;
    for (int d = 0; d < fold.dims; d++)
        args->dim[d] = (struct clq_dim){.size = fold.dim[d].size, .x = fold.dim[d].stride[0]};
    clq__divide_dims(args->dim, args->outer);
    args->units = rows * args->slices;
}

static void view_values(struct clq__values *values, const struct clq__view *x)
{
    struct clq__view *view = &values->checked.x;
    int64_t stride = 1;

    view->type = CLQ__F32;
    view->tensor = &values->tensor;
    for (int d = x->rank - 1; d >= 0; d--) {
        values->shape[d] = x->shape[d];
        view->stride[d] = stride;
        stride *= x->shape[d];
    }
    values->tensor = (DLTensor){
        .device = x->tensor->device, .ndim = x->rank, .dtype = {kDLFloat, 32, 1}, .shape = values->shape};
}

void clq__values_describe(struct clq__values *values, const struct clq__checked_call *checked)
{
    const struct clq__view *x = &checked->x;
    const int last = x->rank - 1;
    struct values_args *args = &values->args;

    *args = (struct values_args){
        .x_offset = clq__view_offset_units(x),
        .x_stride = x->stride[last],
        .smooth_offset = clq__checked_widens_smooth(checked) ? 0 : clq__view_offset_units(&checked->smooth),
        .smooth_stride = checked->smooth_rows ? 0 : 1,
        .smooth_rows = checked->smooth_rows ? x->shape[last - 1] : 0,
        .inner = x->shape[last],
        .smooth = checked->smooth.tensor != NULL,
        .rotate = checked->rotate,
        .factor = clq__rotate_factor(checked->rotate)};
    args->slice = args->inner < CLQ_VALUES_SLICE ? args->inner : CLQ_VALUES_SLICE;
    args->slices = clq__ceil_div(args->inner, args->slice);
    args->by_slices = clq__divisor(args->slices);
    if (args->smooth_rows > 0)
        args->by_smooth_rows = clq__divisor(args->smooth_rows);
    fill_dims(args, x);
    values->checked = *checked;
    view_values(values, x);
    values->checked.rotate = 0;
    clq__view_init_absent(&values->checked.smooth, checked->smooth.name);
}

int64_t clq__values_cut(struct clq__values *values, const struct clq__checked_call *checked,
                        struct clq__launches *launches, const struct clq__traits *traits)
{
    struct values_args *args = &values->args;
    struct clq__launch *kernel = &launches->kernels[0];
    const int64_t local = traits->group_form ? clq__group_items(traits, CLQ__GROUP_ITEMS) : 1;
    const int64_t rounds = clq__rounds_of_row(clq__ceil_div(2 * args->slice, local), args->outer) +
                           (args->rotate > 0 ? clq__rotate_rounds(args->rotate, args->slice, local) : 0);
    const int64_t share = clq__ceil_div(args->units, CLQ__ITEMS_OF_UNIT * (int64_t)traits->compute_units);

    args->lanes = (uint32_t)local;
    args->units_per_item = traits->group_form ? 1 : share;
    if (traits->ends_loops && args->units_per_item > clq__times_within(rounds))
        args->units_per_item = clq__times_within(rounds);
    clq__variant_begin(&kernel->variant, CLQ__VALUES_CL);
    clq__variant_define(&kernel->variant, CLQ__SRC, checked->x.type);
    clq__variant_end(&kernel->variant, traits);
    kernel->buffers[X] = clq__view_buffer(&checked->x);
    kernel->buffers[SMOOTH] = clq__view_buffer(&checked->smooth);
    kernel->buffers[Y] = NULL;
    kernel->num_buffers = NUM_BUFFERS;
    if (clq__checked_widens_smooth(checked))
        clq__launches_widen_flat(launches, &checked->smooth, traits, SMOOTH, &args->smooth_offset);
    kernel->args = args;
    kernel->args_bytes = sizeof *args;
    kernel->local = (size_t)local;
    kernel->groups = (size_t)clq__ceil_div(args->units, args->units_per_item);
    values->written = clq__temporaries_add(launches->temporaries, checked->x.elements, sizeof(float));
    clq__temporary_use(values->written, &kernel->buffers[Y], &args->y_offset);
    return args->units_per_item * rounds;
}

static void read(struct clq__temporary *written, struct clq__launch *launch)
{
    if (launch->x_offset != NULL)
        clq__temporary_use(written, &launch->buffers[X], launch->x_offset);
}

void clq__values_read(const struct clq__values *values, struct clq__launches *launches)
{
    for (unsigned i = 0; i < launches->num_before; i++)
        read(values->written, &launches->before[i]);
    for (unsigned i = 0; i < launches->num_kernels; i++)
        read(values->written, &launches->kernels[i]);
}

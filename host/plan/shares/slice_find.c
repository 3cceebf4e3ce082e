/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of struct find_scales_args: of the rows of an index, whose parts follow one another, and of batches.
 * Each slice of batches has all slices of rows. */
#include "base/ceil_div.h"
#include "plan/shares/divisor.h"
#include "plan/shares/slice.h"

/* The steps of a row are not cut. */
static int64_t row_slices(const struct find_scales_args *args, int64_t most, struct clq__slices *slices)
{
    int64_t rows = 1;

    for (uint32_t d = 0; d < args->outer; d++)
        rows *= args->dim[d].size;
    clq__slices_init(slices, most);
    slices->dim[slices->dims++] =
        (struct clq__slice_dim){.size = args->steps / rows, .part = args->steps / rows};
    clq__slices_add(slices, args->dim, args->outer);
    return clq__slices_cut(slices);
}

static int64_t batch_slices(const struct find_scales_args *args, int64_t most, struct clq__slices *slices)
{
    int64_t batches = 1;

    clq__slices_init(slices, most);
    slices->in_order = true;
    for (uint32_t d = 0; d < args->batch_dims; d++) {
        const struct clq_dim *dim = &args->dim[CLQ_FIND_DIMS - 1 - d];

        slices->dim[slices->dims++] =
            (struct clq__slice_dim){.size = dim->size,
                                    .part = dim->size,
                                    .stride = {[CLQ__SLICE_X] = dim->x, [CLQ__SLICE_STEP] = batches}};
        batches *= dim->size;
    }
    return clq__slices_cut(slices);
}

static int64_t steps_of(const struct clq__slice *slice, uint32_t dims)
{
    int64_t steps = 1;

    for (uint32_t d = 0; d < dims; d++)
        steps *= slice->size[d];
    return steps;
}

int64_t clq__slice_parts(const struct find_scales_args *args, int64_t most, int64_t slices_before)
{
    struct clq__slices slices;
    const int64_t all = row_slices(args, most, &slices), end = slices_before < all ? slices_before : all;
    int64_t parts = 0;

    for (int64_t i = 0; i < end; i++) {
        const struct clq__slice slice = clq__slice_at(&slices, i);

        parts += clq__ceil_div(steps_of(&slice, slices.dims), args->steps_per_slice);
    }
    return parts;
}

static void take_batches(struct find_scales_args *args, const struct clq__slices *slices, int64_t number)
{
    const struct clq__slice at = clq__slice_at(slices, number);
    struct clq_dim dim[CLQ_FIND_DIMS];

    for (uint32_t d = 0; d < args->batch_dims; d++)
        dim[d] = args->dim[CLQ_FIND_DIMS - 1 - d];
    args->batches = clq__slice_dims(&at, 0, dim, args->batch_dims);
    for (uint32_t d = 0; d < args->batch_dims; d++)
        args->dim[CLQ_FIND_DIMS - 1 - d] = dim[d];
    args->by_batches = clq__divisor(args->batches);
    args->x_offset += at.move[CLQ__SLICE_X];
    args->ranges_offset += at.move[CLQ__SLICE_STEP] * args->batch_ranges;
}

static size_t slice(const struct clq__launch *whole, int64_t number, void *sliced)
{
    struct find_scales_args *args = sliced;
    struct clq__slices rows, batches;
    struct clq__slice at;
    int64_t of_rows;

    *args = *(const struct find_scales_args *)whole->args;
    of_rows = row_slices(args, whole->most, &rows);
    batch_slices(args, whole->most, &batches);
    at = clq__slice_at(&rows, number % of_rows);
    args->ranges_offset += clq__slice_parts(args, whole->most, number % of_rows) * args->slice_ranges;
    if (number % of_rows < of_rows - 1) /* only the last row of all has less than the others */
        args->last = args->inner;
    args->steps = steps_of(&at, rows.dims);
    args->slices = clq__ceil_div(args->steps, args->steps_per_slice);
    args->x_offset += at.move[CLQ__SLICE_X];
    clq__slice_dims(&at, 1, args->dim, args->outer);
    take_batches(args, &batches, number / of_rows);
    return (size_t)clq__ceil_div(args->units * args->batches * args->slices,
                                 args->units_per_item * args->sets);
}

void clq__slice_find(struct clq__launch *launch, int64_t most)
{
    struct clq__slices slices;

    launch->slices = row_slices(launch->args, most, &slices) * batch_slices(launch->args, most, &slices);
    launch->slice = slice;
    launch->most = most;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* clq_find_scales from what was checked to what its kernels are told: fold, cut into work-items, fill the
 * arguments. */
#include "plan/find_scales.h"

#include "base/ceil_div.h"
#include "base/fold.h"
#include "cpu/tuning.h"
#include "plan/divisor.h"
#include "plan/rounds.h"

enum { X, INDEX }; /* the tensors of the fold */

enum {
    SHORT_RUN = 512, /* rows of one index shorter than this are taken as columns, where many lie together */
    FEW_ROWS = 16,   /* but not where fewer of them come together in a column */
    COLUMNS = 2048,  /* so many are laid side by side where rows have few */
    LEAST_OF_LANE = 64,   /* elements that a work-item takes, so that ranges take little of what x takes */
    ROWS_OF_PART = 32,    /* the same of columns */
    SHORT_COLUMNS = 256,  /* that a work-item does, a chunk after the other, where it has no room for more */
    LONG_SHARE = 1 << 20, /* elements that a work-item does, at most */
    LONG_SHARE_OF_COLUMNS = 1 << 22, /* more, for it leaves a range for each column */
    SHORT_SHARE = 1 << 15,           /* less, where no more was measured */
    SHORT_TILE = 1 << 14,            /* of each lane where loops end early */
    MOST_PARTS = 16384,              /* that one work-item finishes */
    MOST_AT_ONCE =
        1 << 30 /* elements of a tile, and steps of a part, of which kernels count some in 32 bits */
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* What repeats has the range of what it repeats: dimensions of stride 0 are left out. True where the axis is
 * one of them, so that all indices have one range. */
static bool fold(struct clq__fold *fold, const struct clq__scales_work *work)
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
    if (*rows <= ROWS_OF_PART || args->inner >= COLUMNS / 4 || args->outer != 1 ||
        args->dim[0].x != args->inner * args->x_stride)
        return 1;
    together = least(together, *rows);
    args->last = (*rows - (clq__ceil_div(*rows, together) - 1) * together) * args->inner;
    *rows = clq__ceil_div(*rows, together);
    args->inner *= together;
    args->dim[0].size = *rows;
    args->dim[0].x *= together;
    return together;
}

/* What is done by one work-item of a CPU, or by one group of a GPU, in elements: less where that would leave
 * some of the machine without work. */
static int64_t share_of(int64_t elements, int64_t longest, const struct clq__traits *traits)
{
    const int64_t units = (int64_t)traits->compute_units;

    if (traits->group_form)
        return least(most(clq__ceil_div(elements, 16 * units), 4096), MOST_AT_ONCE);
    return most(least(clq__ceil_div(elements, 4 * units), traits->long_runs ? longest : SHORT_SHARE), 1024);
}

static int64_t vector_of(const struct clq__scales_work *work)
{
    return work->x.type == CLQ__F32 ? 4 : 8;
}

static void cut_runs(struct clq__scales_call *call, const struct clq__scales_work *work,
                     const struct clq__traits *traits, int64_t rows)
{
    struct find_scales_args *args = &call->find_args;
    const int64_t of_index = rows * args->inner, share = share_of(args->units * of_index, LONG_SHARE, traits);
    const int64_t local = traits->group_form ? clq__group_items(traits, CLQ_FIND_LANES) : 1;
    int64_t lanes = 1, rounds;

    while (lanes < local && lanes * vector_of(work) * 4 < args->inner)
        lanes *= 2;
    args->lanes = (uint32_t)lanes;
    args->tile = least(args->inner, traits->ends_loops ? least(share, SHORT_TILE * lanes) : share);
    args->tiles_per_row = clq__ceil_div(args->inner, args->tile);
    args->by_tiles_per_row = clq__divisor(args->tiles_per_row);
    args->steps = rows * args->tiles_per_row;
    rounds = clq__rounds_of_row(clq__ceil_div(args->tile, lanes), args->outer);
    args->steps_per_part = most(most(share / local, LEAST_OF_LANE) * lanes / args->tile, 1);
    if (traits->long_runs)
        args->steps_per_part = most(args->steps_per_part, clq__ceil_div(args->steps, MOST_PARTS));
    if (traits->ends_loops)
        args->steps_per_part = least(args->steps_per_part, clq__times_within(rounds));
    args->steps_per_part = least(args->steps_per_part, args->steps);
    args->parts = clq__ceil_div(args->steps, args->steps_per_part);
    args->by_units = clq__divisor(args->units);
    if (traits->group_form) {
        args->units_per_item = 1;
        call->find.groups = (size_t)clq__ceil_div(args->units * args->parts, local / lanes);
    } else {
        args->units_per_item = args->parts > 1 ? 1 : most(share / most(of_index, 64), 1);
        if (traits->ends_loops)
            args->units_per_item =
                least(args->units_per_item, clq__times_within(args->steps_per_part * rounds));
        call->find.groups = (size_t)clq__ceil_div(args->units * args->parts, args->units_per_item);
    }
    call->find.local = (size_t)local;
}

static void cut_columns(struct clq__scales_call *call, const struct clq__scales_work *work,
                        const struct clq__traits *traits, int64_t rows)
{
    struct find_scales_args *args = &call->find_args;
    const int64_t share = share_of(rows * args->inner, LONG_SHARE_OF_COLUMNS, traits);
    const int64_t bytes = (int64_t)clq__storage_bytes(work->x.tensor->dtype);
    const int64_t wanted =
        traits->group_form ? 2048 * (int64_t)traits->compute_units : 4 * (int64_t)traits->compute_units;
    const int64_t local = traits->group_form ? clq__group_items(traits, CLQ_FIND_LANES) : 1;
    int64_t rounds;

    args->tile = traits->group_form  ? vector_of(work)
                 : traits->long_runs ? CLQ_CPU_FIND_COLUMN_BYTES / bytes
                                     : SHORT_COLUMNS;
    while (!traits->group_form && args->tile > 256 &&
           clq__ceil_div(args->inner, args->tile) * clq__ceil_div(rows, ROWS_OF_PART) < wanted)
        args->tile /= 2;
    args->tile = least(args->tile, args->inner);
    rounds = clq__rounds_of_row(args->tile, args->outer);
    args->units = clq__ceil_div(args->inner, args->tile);
    args->tiles_per_row = args->units;
    args->by_tiles_per_row = clq__divisor(args->tiles_per_row);
    args->steps = rows;
    args->steps_per_part =
        traits->group_form ? clq__ceil_div(rows * args->units, wanted) : share / args->tile;
    args->steps_per_part = most(args->steps_per_part, ROWS_OF_PART);
    if (traits->ends_loops)
        args->steps_per_part = least(args->steps_per_part, clq__times_within(rounds));
    else
        args->steps_per_part = most(args->steps_per_part, clq__ceil_div(rows, MOST_PARTS));
    args->steps_per_part = least(args->steps_per_part, least(rows, MOST_AT_ONCE));
    args->parts = clq__ceil_div(rows, args->steps_per_part);
    args->by_units = clq__divisor(args->units);
    args->units_per_item = 1;
    args->lanes = 1;
    call->find.local = (size_t)local;
    call->find.groups = (size_t)clq__ceil_div(args->units * args->parts, local);
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

static void find(struct clq__scales_call *call, const struct clq__scales_work *work,
                 const struct clq__traits *traits)
{
    struct find_scales_args *args = &call->find_args;
    struct finish_scales_args *finish = &call->finish_args;
    struct clq__fold folded;
    const bool repeats = fold(&folded, work), columns = takes_columns(&folded);
    const bool pairs = columns && folded.dim[0].stride[INDEX] == 0;
    int64_t rows, together = 1;

    clq__variant_define(&call->find.variant, CLQ__REDUCE, columns);
    args->x_offset = clq__view_offset_units(&work->x);
    args->x_stride = folded.dim[0].stride[X];
    args->inner = args->last = folded.dim[0].size;
    finish->span = finish->index_ranges = 1;
    if (columns) {
        if (pairs) {
            finish->span = finish->index_ranges = args->inner;
            args->inner *= folded.dim[1].size;
        }
        finish->part_ranges = args->inner;
        rows = fill_rows(args, &folded, pairs ? 2 : 1);
        together = widen_rows(args, &rows);
        cut_columns(call, work, traits, rows);
    } else {
        args->units = 1;
        for (int d = 1; d < folded.dims; d++) {
            if (folded.dim[d].stride[INDEX] == 0)
                continue;
            args->units = folded.dim[d].size;
            args->index_stride = folded.dim[d].stride[X];
        }
        finish->part_ranges = args->units;
        cut_runs(call, work, traits, fill_rows(args, &folded, 1));
    }
    finish->parts = args->parts * together;
    if (repeats)
        finish->index_ranges = 0;
    args->direct = finish->parts == 1 && finish->span == 1 && !repeats;
    call->ranges = args->direct ? 0 : args->parts * (columns ? args->inner : args->units);
}

/* Loop rounds for an index whose ranges so many work-items share. */
static int64_t finish_rounds(const struct finish_scales_args *args, int64_t lanes)
{
    return clq__rounds_of_row(0, 0) + clq__ceil_div(args->parts, lanes) * (args->span + 2);
}

static void finish(struct clq__scales_call *call, const struct clq__traits *traits)
{
    struct finish_scales_args *args = &call->finish_args;
    const bool too_long = traits->ends_loops && finish_rounds(args, 1) > CLQ__MOST_ROUNDS;
    const bool group = traits->group_form || too_long;
    const int64_t local = group ? clq__group_items(traits, CLQ_FINISH_LANES) : 1;
    int64_t lanes = 1;

    call->finish_group = group;
    if (call->find_args.direct) {
        call->finish.groups = 0;
        return;
    }
    while (lanes < local && lanes * 4 < args->parts &&
           (too_long || args->indices * lanes < 2048 * (int64_t)traits->compute_units))
        lanes *= 2;
    args->lanes = (uint32_t)lanes;
    args->indices_per_item = 1;
    if (!group)
        args->indices_per_item = most(least(clq__ceil_div(args->indices, 4 * traits->compute_units),
                                            clq__times_within(finish_rounds(args, 1))),
                                      1);
    call->finish.local = (size_t)local;
    call->finish.groups = (size_t)clq__ceil_div(args->indices, args->indices_per_item * (local / lanes));
    call->finish_rounds = args->indices_per_item * finish_rounds(args, lanes);
}

static struct clq_scale_output output_of(const struct clq__scales_work *work)
{
    const bool symmetric = work->method == CLQ_ABSMAX, nibbles = work->type == CLQ__I4;
    struct clq_scale_output out = {
        .scale_offset = clq__view_offset_units(&work->scales),
        .scale_stride = work->scale_stride,
        .zero_point_offset = clq__view_offset_units(&work->zero_points),
        .zero_point_stride = work->zero_point_stride,
        .zero_point_type = (uint32_t)work->zero_points.type,
        .levels = nibbles ? 15 : 255,
        .symmetric = symmetric,
        .multiply = work->mode == CLQ_MULTIPLY,
    };

    out.twice_steps = symmetric ? out.levels - 1 : out.levels;
    if (symmetric)
        out.zero = work->type == CLQ__U8 ? 128 : 0;
    else
        out.zero = work->type == CLQ__U8 ? 0 : nibbles ? -8 : -128;
    return out;
}

void clq__scales_describe(struct clq__scales_call *call, const struct clq__scales_work *work,
                          struct clq__traits traits)
{
    call->find_args = (struct find_scales_args){.output = output_of(work)};
    call->finish_args =
        (struct finish_scales_args){.indices = work->scales.elements, .span = 1, .output = output_of(work)};
    call->find.num_buffers = 4;
    call->find.args = &call->find_args;
    call->find.args_bytes = sizeof call->find_args;
    call->find.groups = 0;
    call->finish.num_buffers = 3;
    call->finish.args = &call->finish_args;
    call->finish.args_bytes = sizeof call->finish_args;
    call->ranges = call->finish_rounds = 0;
    clq__variant_begin(&call->find.variant, CLQ__FIND_SCALES_CL);
    clq__variant_define(&call->find.variant, CLQ__SRC, work->x.type);
    clq__variant_begin(&call->finish.variant, CLQ__FINISH_SCALES_CL);
    if (work->x.elements > 0)
        find(call, work, &traits);
    finish(call, &traits);
}

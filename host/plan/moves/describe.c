/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of rows that move. Units are bytes, or where these are converted elements. */
#include "base/fold.h"
#include "plan/moves/moves.h"
#include "plan/plan.h"
#include "plan/shares/divisor.h"

enum { SRC, DST, SIDES }; /* the tensors of the fold */

/* The entry, and behind it the dimensions of its rows, with a position's among them. */
struct walk {
    const struct clq__moves *call;
    const struct clq__view *view[SIDES];
    const struct clq__placement *placement[SIDES];
    const struct clq__placement *shape; /* of the side whose view says the rows' sizes */
    int rank;
    int64_t entries, positions;
    int at; /* the dimension of positions; 0: there is none */
    bool has_positions;
};

/* Units of a cell. */
static int64_t cell_units(const struct walk *walk, const struct clq__view *view)
{
    return walk->call->converts ? 1 : (int64_t)clq__storage_bytes(view->tensor->dtype);
}

/* Units of so many steps of dimension d. */
static int64_t units(const struct walk *walk, const struct clq__view *view, int d, int64_t size)
{
    if (size <= 1 || view->elements == 0)
        return 0;
    return clq__view_cell_stride(view, d) * cell_units(walk, view);
}

/* The view's dimension that is number d of the walk. */
static int dimension(const struct walk *walk, int side, int d)
{
    return clq__moves_row_from(walk->placement[side]) + d - 1;
}

static int64_t size_of(const struct walk *walk, int d)
{
    const int side = walk->shape == walk->placement[SRC] ? SRC : DST;

    return d == walk->at ? walk->positions : clq__view_cells(walk->view[side], dimension(walk, side, d));
}

static void add(const struct walk *walk, struct clq__fold *fold, int d)
{
    const int64_t size = size_of(walk, d);
    int64_t stride[CLQ__FOLD_TENSORS] = {0};

    for (int side = 0; side < SIDES; side++)
        stride[side] = units(walk, walk->view[side], dimension(walk, side, d), size);
    clq__fold_add(fold, false, size, stride);
}

static void fold_row(const struct walk *walk, struct clq__fold *fold)
{
    fold->dims = 0;
    if (!walk->call->converts)
        clq__fold_add(fold, true, cell_units(walk, walk->view[SRC]), (int64_t[]){1, 1, 0, 0});
    for (int d = walk->rank - 1; d > 0; d--)
        if (!(walk->has_positions && d == walk->at))
            add(walk, fold, d);
    if (fold->dims == 0)
        clq__fold_add(fold, true, 1, (int64_t[]){1, 1, 0, 0});
    clq__fold_sort(fold, walk->call->converts ? 0 : 1, DST);
    clq__fold_merge(fold);
}

/* Positions and entries stand outside of all else; a side with indices adds their steps itself. */
static void fold_outside(const struct walk *walk, struct clq__fold *fold)
{
    int64_t position[CLQ__FOLD_TENSORS] = {0}, entry[CLQ__FOLD_TENSORS] = {0};

    for (int side = 0; side < SIDES; side++) {
        if (walk->placement[side]->kind != CLQ_ENTRY_NONE)
            continue;
        position[side] = units(walk, walk->view[side], walk->at, walk->positions);
        entry[side] = units(walk, walk->view[side], 0, walk->entries);
    }
    if (walk->has_positions)
        clq__fold_add(fold, true, walk->positions, position);
    clq__fold_add(fold, true, walk->entries, entry);
}

static struct walk walk_of(const struct clq__checked_call *checked, const struct clq__moves *call)
{
    const struct clq__placement *shape =
        checked->source.kind != CLQ_ENTRY_NONE ? &checked->source : &checked->placement;
    const struct clq__view *view = shape == &checked->source ? &checked->x : &checked->y;

    return (struct walk){
        .call = call,
        .view = {&checked->x, &checked->y},
        .placement = {&checked->source, &checked->placement},
        .shape = shape,
        .rank = view->rank - clq__moves_row_from(shape) + 1,
        .entries = shape->indices.shape[0],
        .positions = shape->length,
        .at = shape->axis,
        .has_positions = clq__placement_has_positions(&checked->source) ||
                         clq__placement_has_positions(&checked->placement),
    };
}

static int64_t offset(const struct clq__moves *call, const struct clq__view *view)
{
    return call->converts ? clq__view_offset_units(view) : (int64_t)view->tensor->byte_offset;
}

/* Steps of a side with indices; those of CLQ_ND are added up by places.cl. */
static void step(const struct walk *walk, int side, int64_t *batch, int64_t *start)
{
    const struct clq__placement *placement = walk->placement[side];
    const struct clq__view *view = walk->view[side];

    *batch = units(walk, view, 0, placement->batches);
    *start = units(walk, view, placement->axis, placement->size);
    if (placement->kind != CLQ_ENTRY_ND)
        return;
    *batch = 0;
    *start = 1;
}

/* CLQ_ND as slots of one batch, each of which is a unit of the view. */
static int64_t units_of_nd(const struct walk *walk, const struct clq__view *view)
{
    const int64_t all = view->extent_bytes / (walk->call->converts ? cell_units(walk, view) : 1);

    return all > 0 ? all : 1;
}

static void fill_entries(const struct walk *walk, int64_t rows, const struct clq__beside *report,
                         struct clq_entries *e)
{
    const struct clq__placement *placement = walk->placement[DST];

    clq__placement_describe(placement, walk->entries, rows, e);
    e->count = walk->entries;
    e->rows = rows / walk->entries;
    e->length = walk->positions;
    e->positions = walk->has_positions ? walk->positions : 1;
    if (report->buffer != NULL)
        e->report_offset = (int64_t)(report->offset_bytes / sizeof(uint32_t));
    if (placement->kind == CLQ_ENTRY_NONE)
        return;
    step(walk, DST, &e->y_batch, &e->y_start);
    if (placement->kind != CLQ_ENTRY_ND)
        return;
    e->kind = CLQ_ENTRY_SLOTS;
    e->range = CLQ_ENTRY_WRAP;
    e->index_offset = e->index_pair = 0;
    e->index_stride = e->wide = 1;
    e->batches = 1;
    e->size = units_of_nd(walk, walk->view[DST]);
    if (placement->may_overlap)
        clq__placement_choose_overlap(e, rows);
}

static void fill_source(const struct walk *walk, struct clq_source *s)
{
    const struct clq__placement *placement = walk->placement[SRC];
    const bool nd = placement->kind == CLQ_ENTRY_ND, slots = nd || placement->kind == CLQ_ENTRY_SLOTS;
    const struct clq__view *indices = &placement->indices;

    if (placement->kind == CLQ_ENTRY_NONE)
        return;
    *s = (struct clq_source){
        .index_offset = nd ? 0 : clq__view_offset_units(indices),
        .index_stride = nd ? 1 : indices->stride[0],
        .index_pair = placement->kind == CLQ_ENTRY_PAIRS ? indices->stride[1] : 0,
        .batches = placement->batches,
        .size = nd ? units_of_nd(walk, walk->view[SRC]) : placement->size,
        .kind = slots ? CLQ_ENTRY_SLOTS : placement->kind,
        .range = slots ? CLQ_ENTRY_WRAP : placement->range,
        .wide = nd || indices->type == CLQ__I64,
    };
    step(walk, SRC, &s->x_batch, &s->x_start);
}

static void divide(struct move_rows_args *args)
{
    struct clq_entries *e = &args->entries;

    e->by_rows = clq__divisor(e->rows);
    e->by_position_rows = clq__divisor(e->rows / e->positions);
    if (e->range == CLQ_ENTRY_WRAP && e->size > 0)
        e->by_size = clq__divisor(e->size);
    if (args->source.range == CLQ_ENTRY_WRAP && args->source.size > 0)
        args->source.by_size = clq__divisor(args->source.size);
    clq__divide_dims(args->dim, args->outer);
}

static void fill_args(const struct walk *walk, const struct clq__fold *fold, const struct clq__beside *report,
                      struct move_rows_args *args)
{
    *args = (struct move_rows_args){
        .src_offset = offset(walk->call, walk->view[SRC]),
        .dst_offset = offset(walk->call, walk->view[DST]),
        .src_stride = fold->dim[0].stride[SRC],
        .dst_stride = fold->dim[0].stride[DST],
        .pieces = {.row_units = fold->dim[0].size, .rows = clq__fold_count(fold, 1)},
        .outer = (uint32_t)(fold->dims - 1),
    };
    for (int d = 1; d < fold->dims; d++)
        args->dim[d - 1] = (struct clq_dim){
            .size = fold->dim[d].size, .x = fold->dim[d].stride[SRC], .y = fold->dim[d].stride[DST]};
    fill_entries(walk, args->pieces.rows, report, &args->entries);
    fill_source(walk, &args->source);
    divide(args);
}

/* The same rows, one behind the other where dst's are; entries that src drops leave holes. */
static void fill_gather(struct clq__moves *call)
{
    struct move_rows_args *gather = &call->gather, *args = &call->args;
    int64_t step = args->pieces.row_units;

    *gather = *args;
    gather->dst_stride = args->src_stride = 1;
    gather->dst_offset = args->src_offset = 0;
    for (uint32_t d = 0; d < args->outer; d++) {
        gather->dim[d].y = args->dim[d].x = step;
        step *= args->dim[d].size;
    }
    args->source.x_batch = args->source.x_start = 0;
    gather->entries.kind = CLQ_ENTRY_NONE;
    gather->entries.overlap = CLQ_OVERLAP_NONE;
    gather->entries.owner_words = gather->entries.y_batch = gather->entries.y_start = 0;
    gather->entries.report_offset = -1;
}

static void fill_coordinates(const struct walk *walk, int side, struct clq_coordinates *c)
{
    const struct clq__placement *placement = walk->placement[side];
    const struct clq__view *indices = &placement->indices, *view = walk->view[side];

    if (placement->kind != CLQ_ENTRY_ND)
        return;
    c->index_offset = clq__view_offset_units(indices);
    c->index_stride = indices->stride[0];
    c->index_inner = indices->stride[1];
    c->k = (uint32_t)indices->shape[1];
    c->range = placement->range;
    c->wide = indices->type == CLQ__I64;
    for (uint32_t d = 0; d < c->k; d++) {
        c->at[d].size = view->shape[d];
        c->at[d].step = units(walk, view, (int)d, view->shape[d]);
    }
}

/* If there are coordinates, places.cl reports them. */
static void fill_places(const struct walk *walk, struct clq__moves *call)
{
    struct places_args *places = &call->places;

    *places = (struct places_args){.report_offset = -1};
    if (walk->shape->kind != CLQ_ENTRY_ND)
        return;
    places->count = walk->entries;
    places->report_offset = call->args.entries.report_offset;
    call->args.entries.report_offset = -1;
    fill_coordinates(walk, SRC, &places->from);
    fill_coordinates(walk, DST, &places->to);
}

bool clq__moves_describe(struct clq__plan *plan)
{
    const struct clq__checked_call *checked = &plan->checked;
    struct clq__moves *call = &plan->of_moves;
    struct clq__fold fold;
    struct walk walk;

    if (!checked->placement.moves)
        return false;
    call->converts = checked->x.type != checked->y.type;
    walk = walk_of(checked, call);
    fold_row(&walk, &fold);
    fold_outside(&walk, &fold);
    call->unit_bytes = call->converts ? (int64_t)clq__storage_bytes(checked->x.tensor->dtype) : 1;
    fill_args(&walk, &fold, &checked->placement.report, &call->args);
    fill_places(&walk, call);
    call->between = checked->in_place && !checked->unique;
    if (call->between)
        fill_gather(call);
    return true;
}

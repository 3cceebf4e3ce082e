/* Static quantization from what was checked to what a kernel is told: fold, place the scales, fill the
 * arguments. */
#include "ops/static_call.h"

/* The kernels switch on the same numbers. */
_Static_assert((int)CLQ__F32 == CLQ_SCALAR_F32 && (int)CLQ__F16 == CLQ_SCALAR_F16 &&
                   (int)CLQ__BF16 == CLQ_SCALAR_BF16 && (int)CLQ__I8 == CLQ_SCALAR_I8 &&
                   (int)CLQ__U8 == CLQ_SCALAR_U8 && (int)CLQ__I32 == CLQ_SCALAR_I32,
               "base/dtype.h and args/types.h must number the types alike");

enum { X, Y, SCALE, ZERO_POINT }; /* the tensors of the fold */

/* Up to so many looks every row looks at all later entries; beyond, a table of last entries grows with the
 * entries alone. Not tuned finely: on PoCL, 256 entries of 1,024 elements took 4.7 times the time of unique
 * ones when they were scanned, 1.5 times with the table. */
#define SCAN_LOOKS (1 << 14)

/* A unit of y is an element, or for int4 the byte of two; a word of eight is four such bytes. */
static int64_t units_of(const struct clq__view *y, int64_t stride)
{
    if (y->type != CLQ__I4)
        return stride;
    return y->lanes == 1 ? stride / 2 : y->lanes == 2 ? stride : 4 * stride;
}

/* Where entries may overlap or wrap, a position of an entry is a row of its own, for it is kept or dropped,
 * and placed, alone. */
static bool positions_apart(const struct clq__placement *placement)
{
    const bool may_overlap = placement->kind == CLQ_ENTRY_PAIRS && !placement->unique;

    return placement->length > 1 && (may_overlap || placement->range == CLQ_WRAP);
}

/* The same along a dimension that may have one element: it steps nowhere then, its stride may be anything,
 * and multiples of it overflow. */
static int64_t steps_of(const struct clq__view *y, int64_t size, int64_t stride)
{
    return size > 1 ? units_of(y, stride) : 0;
}

static void fold_dimension(struct clq__static_call *call, int d)
{
    const struct clq__static_work *work = call->work;
    const struct clq__view *y = &work->y;
    const int64_t x = work->x.stride[d], size = work->x.shape[d];
    const int64_t scale = d == work->axis && work->scale.stride != 0;
    const int64_t zero_point = d == work->axis && work->zero_point.stride != 0;

    if (y->type != CLQ__I4 || d < work->x.rank - 1) {
        if (size > 1)
            clq__fold_add(&call->fold, false, size,
                          (int64_t[]){x, units_of(y, y->stride[d]), scale, zero_point});
        return;
    }
    call->args.x_pair = x;
    clq__fold_add(&call->fold, true, y->lanes == 8 ? 4 : size / 2,
                  (int64_t[]){2 * x, y->lanes == 2 ? y->stride[d] : 1, 2 * scale, 2 * zero_point});
    if (y->lanes == 8 && size > 8)
        clq__fold_add(&call->fold, false, size / 8,
                      (int64_t[]){8 * x, units_of(y, y->stride[d]), 8 * scale, 8 * zero_point});
}

/* Positions and entries are not merged with anything, and stand outside of all else: the kernel takes them
 * off a row's number from there. Where they lie in y is not the fold's to say. */
static void fold(struct clq__static_call *call)
{
    const struct clq__static_work *work = call->work;
    const struct clq__placement *placement = &work->placement;
    const bool placed = placement->kind != CLQ_ENTRY_NONE,
               scattered = placed && placement->kind != CLQ_ENTRY_GROUPS;
    const bool apart = scattered && positions_apart(placement);

    call->fold.dims = 0;
    for (int d = work->x.rank - 1; d >= 0; d--)
        if (!(placed && d == 0) && !(apart && d == placement->axis))
            fold_dimension(call, d);
    clq__fold_sort(&call->fold, work->y.type == CLQ__I4 ? 1 : 0, Y);
    clq__fold_merge(&call->fold);
    if (call->fold.dims == 0)
        clq__fold_add(&call->fold, true, 1, (int64_t[]){1, 1, 0, 0});
    if (apart)
        clq__fold_add(&call->fold, true, placement->length,
                      (int64_t[]){work->x.stride[placement->axis], 0,
                                  placement->axis == work->axis && work->scale.stride != 0,
                                  placement->axis == work->axis && work->zero_point.stride != 0});
    if (placed)
        clq__fold_add(&call->fold, true, work->x.shape[0],
                      (int64_t[]){work->x.stride[0],
                                  scattered ? 0 : steps_of(&work->y, work->x.shape[0], work->y.stride[0]), 0,
                                  0});
}

/* Scales and zero points that differ along a row are read as dense float32: everything else is widened first,
 * once, and the kernel's inner loop knows one type. One that is uniform on a row keeps its type and place,
 * unless its elements do not lie at one stride. */
static void place_parameters(struct clq__static_call *call)
{
    const struct clq__fold_dim *inner = &call->fold.dim[0];
    struct clq__static_source *sources[2] = {&call->scale, &call->zero_point};

    call->scale.parameter = &call->work->scale;
    call->zero_point.parameter = &call->work->zero_point;
    call->zero_point.per_element = inner->stride[ZERO_POINT] != 0;
    /* a kernel with a zero point per element reads a scale per element too */
    call->scale.per_element = inner->stride[SCALE] != 0 || call->zero_point.per_element;
    for (int i = 0; i < 2; i++) {
        const struct clq__static_parameter *parameter = sources[i]->parameter;

        sources[i]->widen =
            parameter->flatten ||
            (sources[i]->per_element && (parameter->view.type != CLQ__F32 || parameter->stride != 1));
    }
    /* widened out of one element, it has one per position of the axis all the same */
    if (call->scale.widen && call->work->scale.stride == 0)
        for (int d = 0; d < call->fold.dims; d++)
            call->fold.dim[d].stride[SCALE] = call->fold.dim[d].stride[ZERO_POINT];
}

int64_t clq__static_offset(const struct clq__view *view)
{
    return view->tensor == NULL
               ? 0
               : (int64_t)(view->tensor->byte_offset / clq__storage_bytes(view->tensor->dtype));
}

static uint32_t type_of(const struct clq__static_source *source)
{
    return source->widen ? CLQ_SCALAR_F32 : (uint32_t)source->parameter->view.type;
}

/* From positions on the axis, which the fold counts, to elements in memory. */
static int64_t factor_of(const struct clq__static_source *source)
{
    return source->widen ? 1 : source->parameter->stride;
}

static void fill_args(struct clq__static_call *call)
{
    struct quantize_args *args = &call->args;
    const struct clq__fold *fold = &call->fold;
    const int64_t scale_factor = factor_of(&call->scale), zero_point_factor = factor_of(&call->zero_point);

    args->x_offset = clq__static_offset(&call->work->x);
    args->y_offset = call->work->y.type == CLQ__I4 ? (int64_t)call->work->y.tensor->byte_offset
                                                   : clq__static_offset(&call->work->y);
    args->scale_offset = call->scale.widen ? 0 : clq__static_offset(&call->work->scale.view);
    args->zero_point_offset = call->zero_point.widen ? 0 : clq__static_offset(&call->work->zero_point.view);
    args->x_stride = fold->dim[0].stride[X];
    args->y_stride = fold->dim[0].stride[Y];
    args->inner = fold->dim[0].size;
    args->scale_type = type_of(&call->scale);
    args->zero_point_type = type_of(&call->zero_point);
    args->outer = (uint32_t)(fold->dims - 1);
    for (int d = 1; d < fold->dims; d++)
        args->dim[d - 1] =
            (struct clq_dim){.size = fold->dim[d].size,
                             .x = fold->dim[d].stride[X],
                             .y = fold->dim[d].stride[Y],
                             .scale = fold->dim[d].stride[SCALE] * scale_factor,
                             .zero_point = fold->dim[d].stride[ZERO_POINT] * zero_point_factor};
}

/* The table has a word for each place of the cache, or where entries are few beside these two or more for
 * each entry, so that clearing it does not cost more than the entries. */
static void choose_overlap(struct clq_entries *entries, int64_t rows)
{
    int64_t hashed = 64;

    if (rows <= SCAN_LOOKS / entries->count) {
        entries->overlap = CLQ_OVERLAP_SCAN;
        return;
    }
    entries->overlap = CLQ_OVERLAP_OWNER;
    entries->owner_words = entries->batches * entries->size;
    if (entries->length > 1 || entries->count >= entries->owner_words / 4)
        return;
    while (hashed < 2 * entries->count)
        hashed *= 2;
    entries->overlap = CLQ_OVERLAP_HASH;
    entries->owner_words = hashed;
}

static void fill_entries(struct clq__static_call *call)
{
    const struct clq__static_work *work = call->work;
    const struct clq__placement *placement = &work->placement;
    struct clq_entries *entries = &call->args.entries;
    const bool groups = placement->kind == CLQ_ENTRY_GROUPS;
    const bool may_overlap = placement->kind == CLQ_ENTRY_PAIRS && !placement->unique;

    entries->kind = placement->kind;
    entries->report_offset = -1;
    entries->positions = 1;
    if (placement->kind == CLQ_ENTRY_NONE)
        return;
    entries->count = placement->indices.shape[0];
    entries->rows = clq__fold_count(&call->fold, 1) / work->x.shape[0];
    entries->index_offset = clq__static_offset(&placement->indices);
    entries->index_stride = placement->indices.stride[0];
    entries->index_pair = placement->indices.rank > 1 ? placement->indices.stride[1] : 0;
    entries->wide = placement->indices.type == CLQ__I64;
    entries->range = placement->range;
    if (placement->report != NULL)
        entries->report_offset = (int64_t)(placement->report_offset_bytes / sizeof(uint32_t));
    if (groups) {
        entries->scale_row = call->scale.widen ? work->x.shape[1] : work->scale.row_stride;
        return;
    }
    entries->batches = placement->batches;
    entries->size = placement->size;
    entries->length = placement->length;
    entries->positions = positions_apart(placement) ? placement->length : 1;
    entries->y_batch = steps_of(&work->y, placement->batches, work->y.stride[0]);
    entries->y_start = steps_of(&work->y, placement->size, work->y.stride[placement->axis]);
    if (may_overlap)
        choose_overlap(entries, clq__fold_count(&call->fold, 1));
}

int64_t clq__static_owner_words(const struct clq__static_call *call)
{
    return call->args.entries.owner_words;
}

static void choose_variant(struct clq__static_call *call)
{
    struct clq__variant *variant = &call->launch.variant;
    const bool scales = call->scale.per_element, zero_points = call->zero_point.per_element;

    clq__variant_begin(variant, "quantize.cl");
    clq__variant_define(variant, "SRC", clq__type_token(call->work->x.type));
    clq__variant_define(variant, "DST", clq__type_token(call->work->y.type));
    clq__variant_define(variant, "MODE", call->work->mode == CLQ_MULTIPLY ? "multiply" : "divide");
    clq__variant_define(variant, "PARAMS", zero_points ? "both" : scales ? "each" : "one");
}

void clq__static_describe(struct clq__static_call *call, const struct clq__static_work *work)
{
    call->work = work;
    call->args = (struct quantize_args){0};
    fold(call);
    place_parameters(call);
    fill_args(call);
    fill_entries(call);
    choose_variant(call);
}

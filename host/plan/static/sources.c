/* SPDX-License-Identifier: Apache-2.0 */
/* Static quantization: where scales and zero points are read from. Uniform on a row, they keep their type and
 * their place. If they differ along a row, they are read as dense float32: all other types and layouts are
 * widened first, once, and the kernel's inner loop knows one type. */
#include "plan/belongs/parameter.h"
#include "plan/plan.h"

#include <string.h>

/* The dimension that a row lies along; -1 where x is one element to a row. */
static int inner_of(const struct clq__static *call)
{
    return call->order.dims > 0 ? call->order.dim[0] : -1;
}

/* Whether it differs from one element of a row to the next, where that dimension is cut at its blocks. */
static bool differs_inside(const struct clq__static *call, const struct clq__source *source)
{
    const int inner = inner_of(call);

    return inner >= 0 && source->stride[inner] != 0 && source->block[inner] == 1;
}

/* Blocks at which the axis is not cut: those that end within a byte, or are of words with gaps. */
static bool cannot_cut(const struct clq__checked_call *checked)
{
    const struct clq__view *y = &checked->y;

    if (checked->block == 0 || !clq__view_shares_bytes(y) || checked->axis != y->rank - 1)
        return false;
    return checked->block % clq__view_in_unit(y) != 0 || clq__view_has_gaps(y);
}

static unsigned bit(int d)
{
    return d >= 0 ? 1u << d : 0;
}

/* The dimensions that are not cut at blocks, a bit each: those that cannot be, and where as many as x has
 * leave no room for one more. */
static unsigned uncut(const struct clq__static *call)
{
    const struct clq__checked_call *checked = call->checked;
    const int dims[] = {checked->axis, checked->axis - 1};
    int room = CLQ_MOST_DIMS + 1 - call->order.dims - clq__view_has_gaps(&checked->y);
    unsigned whole = cannot_cut(checked) ? bit(checked->axis) : 0;

    for (int i = 0; i < 2; i++) {
        const int d = dims[i];

        if (d < 0 || (whole & bit(d)) != 0 || (call->scale.block[d] == 1 && call->zero_point.block[d] == 1))
            continue;
        if (room <= 0)
            whole |= bit(d);
        room--;
    }
    return whole;
}

static void copy(struct clq__source *source, const struct clq__parameter *parameter)
{
    source->parameter = parameter;
    memcpy(source->stride, parameter->stride, sizeof source->stride);
    memcpy(source->block, parameter->block, sizeof source->block);
    source->row_stride = parameter->row_stride;
    source->widen = source->negate = false;
}

/* One dimension of what is written, which so far has `elements`; returns how many it has then. */
static int64_t write_dimension(struct clq__static *call, struct clq__source *source, int d, unsigned whole,
                               int64_t elements)
{
    const struct clq__checked_call *checked = call->checked;
    const int64_t block = source->block[d];
    const int64_t size =
        checked->placed ? checked->y.shape[d] : checked->x.shape[d]; /* of the cache that it lies beside */
    const int64_t blocks = clq__blocks_of(size, block);
    int64_t written = blocks;

    if (block > 1 && (whole & bit(d)) != 0) {
        clq__fold_add(&source->from, false, block, (int64_t[CLQ__FOLD_TENSORS]){0});
        written *= block;
        source->block[d] = 1;
    }
    clq__fold_add(&source->from, false, blocks, (int64_t[CLQ__FOLD_TENSORS]){source->stride[d]});
    source->stride[d] = elements;
    return elements * written;
}

/* Widened values are stored in the order in which the kernel reads them, so those that differ along a row
 * have stride 1. Blocks of the dimensions `whole` are written out, each element as often as there are indices
 * that have it. */
static void widen(struct clq__static *call, struct clq__source *source, unsigned whole, bool along_row)
{
    const struct clq__view *view = &source->parameter->view;
    const struct clq__checked_call *checked = call->checked;
    const int inner = inner_of(call), last = checked->x.rank - 1;
    int64_t elements = 1;
    bool done[CLQ__MAX_RANK] = {false};

    source->widen = true;
    source->from.dims = 0;
    if (source->parameter->flatten) {
        if (along_row && inner != last)
            elements = write_dimension(call, source, inner, whole, elements);
        for (int d = view->rank - 1; d >= 0; d--)
            clq__fold_add(&source->from, false, view->shape[d],
                          (int64_t[CLQ__FOLD_TENSORS]){view->stride[d]});
        source->stride[last] = elements;
        return;
    }
    for (int i = 0; i < call->order.dims + checked->x.rank; i++) {
        const int d = i < call->order.dims ? call->order.dim[i] : i - call->order.dims;

        if (!done[d] && (source->stride[d] != 0 || (along_row && d == inner)))
            elements = write_dimension(call, source, d, whole, elements);
        done[d] = true;
    }
    if (source->row_stride == 0)
        return;
    clq__fold_add(&source->from, false, view->shape[0], (int64_t[CLQ__FOLD_TENSORS]){source->row_stride});
    source->row_stride = elements;
}

/* Read as they are, but a cut that has rows repeat them writes them once more. */
static void describe_repeated(struct clq__static *call, struct clq__source *source)
{
    struct clq__source written = *source;

    widen(call, &written, 0, true);
    source->from = written.from;
}

/* Found scales are read as their inverse, found zero points as their negative. */
static bool is_found(const struct clq__static *call, const struct clq__source *source)
{
    return call->checked->found && source->parameter->view.tensor != NULL;
}

/* Scales of a type that the kernel does not read. */
static bool is_strange(const struct clq__static *call, const struct clq__source *source)
{
    return source == &call->scale &&
           !clq__type_is(source->parameter->view.type, clq__scales_read(call->checked));
}

static bool needs_widening(const struct clq__static *call, const struct clq__source *source)
{
    const int inner = inner_of(call);

    return is_strange(call, source) || is_found(call, source) ||
           (source == &call->scale && clq__checked_keeps_zeros(call->checked)) ||
           source->parameter->flatten ||
           (source->per_element && (source->parameter->view.type != CLQ__F32 || source->stride[inner] != 1));
}

/* Whether it has blocks along one of these dimensions. */
static bool has_blocks(const struct clq__source *source, unsigned dims)
{
    for (int d = 0; d < CLQ__MAX_RANK; d++)
        if (source->block[d] > 1 && (dims & bit(d)) != 0)
            return true;
    return false;
}

/* Which of the two a kernel reads for each element. One that has blocks along a row is widened. */
static void place_elements(struct clq__static *call)
{
    struct clq__source *scale = &call->scale, *zero_point = &call->zero_point;
    unsigned whole = uncut(call);

    if (has_blocks(zero_point, whole))
        widen(call, zero_point, whole, false);
    zero_point->per_element = differs_inside(call, zero_point);
    if (zero_point->per_element) /* a scale that has blocks along the row is one per element then */
        whole |= bit(inner_of(call));
    if (has_blocks(scale, whole))
        widen(call, scale, whole, zero_point->per_element);
    /* a kernel with a zero point per element reads a scale per element too */
    scale->per_element = differs_inside(call, scale) || zero_point->per_element;
}

void clq__static_place(struct clq__static *call)
{
    struct clq__source *scale = &call->scale, *zero_point = &call->zero_point;

    copy(scale, &call->checked->scale);
    copy(zero_point, &call->checked->zero_point);
    place_elements(call);
    zero_point->negate = (zero_point->per_element && call->checked->add) ||
                         (is_found(call, zero_point) && !call->checked->names->plain_offsets);
    if (!zero_point->widen && (zero_point->negate || needs_widening(call, zero_point)))
        widen(call, zero_point, 0, false);
    if (!scale->widen && (needs_widening(call, scale) || scale->per_element != differs_inside(call, scale)))
        widen(call, scale, 0, scale->per_element);
    if (scale->per_element && !scale->widen)
        describe_repeated(call, scale);
    if (zero_point->per_element && !zero_point->widen)
        describe_repeated(call, zero_point);
}

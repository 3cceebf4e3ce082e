/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/shares/slice.h"

#include "base/ceil_div.h"
#include "plan/shares/divisor.h"

void clq__slices_init(struct clq__slices *slices, int64_t most)
{
    slices->most = most;
    slices->dims = 0;
    slices->in_order = false;
}

void clq__slices_add(struct clq__slices *slices, const struct clq_dim *dim, uint32_t dims)
{
    for (uint32_t d = 0; d < dims; d++)
        slices->dim[slices->dims++] =
            (struct clq__slice_dim){.size = dim[d].size,
                                    .part = dim[d].size,
                                    .stride = {dim[d].x, dim[d].y, dim[d].scale, dim[d].zero_point}};
}

/* Strides of a call that is only built may be any. */
static int64_t times(int64_t a, int64_t b)
{
    int64_t product;

    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

static int64_t plus(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

/* How far a slice reaches in a way, along dimension d. */
static int64_t along(const struct clq__slices *slices, uint32_t d, int way)
{
    return times(slices->dim[d].part - 1, slices->dim[d].stride[way]);
}

/* The dimension along which it reaches furthest, where it reaches too far along all of them; else none. */
static int64_t furthest(const struct clq__slices *slices, int way)
{
    int64_t found = -1, most = 0, all = 0;

    for (uint32_t d = 0; d < slices->dims; d++) {
        const int64_t reach = along(slices, d, way);

        all = plus(all, reach);
        if (reach > most) {
            most = reach;
            found = d;
        }
    }
    return all > slices->most ? found : -1;
}

static bool has_too_many(const struct clq__slices *slices)
{
    int64_t rows = 1;

    for (uint32_t d = 0; d < slices->dims; d++)
        rows = times(rows, slices->dim[d].part);
    return rows > slices->most;
}

static int64_t outermost(const struct clq__slices *slices)
{
    int64_t d = (int64_t)slices->dims - 1;

    while (d >= 0 && slices->dim[d].part == 1)
        d--;
    return d;
}

/* The dimension to cut next; none where a slice is small enough, or cannot be smaller. */
static int64_t too_large(const struct clq__slices *slices)
{
    int64_t found = has_too_many(slices) ? outermost(slices) : -1;

    for (int way = 0; way < CLQ__SLICE_WAYS && found < 0; way++)
        found = furthest(slices, way);
    return found >= 0 && slices->in_order ? outermost(slices) : found;
}

int64_t clq__slices_cut(struct clq__slices *slices)
{
    int64_t count = 1;

    for (int64_t d; (d = too_large(slices)) >= 0;)
        slices->dim[d].part = clq__ceil_div(slices->dim[d].part, 2);
    for (uint32_t d = 0; d < slices->dims; d++)
        count = times(count, clq__ceil_div(slices->dim[d].size, slices->dim[d].part));
    return count;
}

struct clq__slice clq__slice_at(const struct clq__slices *slices, int64_t number)
{
    struct clq__slice slice = {.move = {0}};

    for (uint32_t d = 0; d < slices->dims; d++) {
        const struct clq__slice_dim *dim = &slices->dim[d];
        const int64_t parts = clq__ceil_div(dim->size, dim->part),
                      left = dim->size - number % parts * dim->part;

        slice.first[d] = number % parts * dim->part;
        slice.size[d] = left < dim->part ? left : dim->part;
        for (int way = 0; way < CLQ__SLICE_WAYS; way++)
            slice.move[way] += slice.first[d] * dim->stride[way];
        number /= parts;
    }
    return slice;
}

int64_t clq__slice_dims(const struct clq__slice *slice, uint32_t from, struct clq_dim *dim, uint32_t dims)
{
    int64_t rows = 1;

    for (uint32_t d = 0; d < dims; d++) {
        dim[d].size = slice->size[from + d];
        rows *= dim[d].size;
    }
    clq__divide_dims(dim, dims);
    return rows;
}

/* An entry of which the slice has only a part is reported by the slice that has its first row. */
void clq__slice_entries(const struct clq__slice *slice, uint32_t from, uint32_t dims,
                        struct clq_entries *entries)
{
    const uint32_t entry = from + dims - 1;

    if (entries->kind == CLQ_ENTRY_NONE)
        return;
    entries->first = slice->first[entry];
    if (entries->positions > 1) {
        entries->first_position = slice->first[entry - 1];
        entries->positions = slice->size[entry - 1];
    }
    entries->rows = 1;
    for (uint32_t d = 0; d < entry; d++) {
        entries->rows *= d < from ? 1 : slice->size[d];
        if (slice->first[d] > 0)
            entries->report_offset = -1;
    }
    clq__divide_entries(entries);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic quantization: a row is read to find its scale, and once more to be divided by it. */
#include "dynamic.h"
#include "place.h"
#include "rotate.h"

#include <math.h>
#include <stdlib.h>

static float larger(float a, float b)
{
    return a > b ? a : b;
}

/* The value at index, smoothed. */
static float value_at(const struct reference_dynamic_quantize_desc *desc, const int64_t *index)
{
    const float x = reference_load(desc->x, index);

    return desc->smooth_scale ? x * reference_load_nth(desc->smooth_scale, index[desc->x->rank - 1]) : x;
}

/* What the values of a row that are not NaN reach: 0 where there is none. */
struct range {
    float most, least, magnitude;
};

static struct range range_of(const float *values, int64_t length)
{
    struct range range = {0};
    bool found = false;

    for (int64_t i = 0; i < length; i++) {
        const float x = values[i];

        if (isnan(x))
            continue;
        if (!found || x > range.most)
            range.most = x;
        if (!found || x < range.least)
            range.least = x;
        if (fabsf(x) > range.magnitude)
            range.magnitude = fabsf(x);
        found = true;
    }
    return range;
}

/* Quantizes the row of x at from, whose last index counts through, to the row of the outputs at to. There is room for the row's
 * values. */
static void quantize_row(const struct reference_dynamic_quantize_desc *desc, int64_t *from, int64_t *to,
                         float *values)
{
    const int last = desc->x->rank - 1;
    const int64_t length = reference_extent(desc->x, last);
    const struct reference_type_row *type = &reference_types[desc->y->type];
    const float top = (float)type->highest;
    struct range range;
    float scale, offset, back;

    for (from[last] = 0; from[last] < length; from[last]++)
        values[from[last]] = value_at(desc, from);
    reference_rotate(values, length, desc->rotate);
    range = range_of(values, length);
    if (desc->symmetric)
        scale = larger(range.magnitude / type->absmax_steps, 1e-12f);
    else
        scale = larger((range.most - range.least) / type->minmax_steps, 1e-12f);
    offset = top - range.most / scale;
    back = 1.0f / scale;
    for (to[last] = 0; to[last] < length; to[last]++) {
        const float product = values[to[last]] * back;

        reference_store(desc->y, to, desc->symmetric ? product : product + offset);
    }
    reference_store(desc->scale, to, scale);
    if (!desc->symmetric)
        reference_store(desc->offset, to, -offset);
}

static float *row_values(const struct reference_tensor *x)
{
    float *values = malloc((size_t)reference_extent(x, x->rank - 1) * sizeof(*values));

    if (!values)
        abort();
    return values;
}

/* Less its last dimension, so that reference_next steps from row to row. */
static struct reference_tensor rows_of(const struct reference_tensor *tensor)
{
    struct reference_tensor rows = *tensor;

    rows.rank--;
    return rows;
}

void reference_dynamic_quantize(const struct reference_dynamic_quantize_desc *desc)
{
    const struct reference_tensor rows = rows_of(desc->x);
    int64_t from[REFERENCE_MAX_RANK] = {0};
    int64_t to[REFERENCE_MAX_RANK] = {0};

    float *values;

    if (reference_count(desc->x) == 0)
        return;
    values = row_values(desc->x);
    do {
        for (int d = 0; d < rows.rank; d++)
            to[d] = from[d];
        quantize_row(desc, from, to, values);
    } while (reference_next(&rows, from));
    free(values);
}

struct reference_report
reference_dynamic_quantize_scatter(const struct reference_dynamic_quantize_scatter_desc *desc)
{
    const int axis = desc->axis < 0 ? desc->axis + desc->cache->rank : desc->axis;
    const struct reference_dynamic_quantize_desc row = {.x = desc->updates,
                                                        .smooth_scale = desc->smooth_scale,
                                                        .y = desc->cache,
                                                        .scale = desc->cache_scale,
                                                        .offset = desc->cache_offset,
                                                        .symmetric = desc->symmetric,
                                                        .rotate = desc->rotate};
    const struct reference_places places = {.cache = desc->cache,
                                            .indices = desc->indices,
                                            .axis = axis,
                                            .length = reference_extent(desc->updates, axis),
                                            .range = desc->range,
                                            .slots = desc->slots};
    const struct reference_tensor rows = rows_of(desc->updates);
    struct reference_report report = {0};
    float *values;

    if (reference_count(desc->updates) == 0)
        return report;
    values = row_values(desc->updates);
    for (int64_t entry = 0; entry < reference_extent(desc->updates, 0); entry++) {
        int64_t from[REFERENCE_MAX_RANK] = {entry};
        int64_t to[REFERENCE_MAX_RANK];
        struct reference_place place;

        if (!reference_place_of(&places, entry, &place, &report))
            continue;
        do {
            reference_placed(&places, place, from, to);
            quantize_row(&row, from, to, values);
        } while (reference_next(&rows, from) && from[0] == entry);
    }
    free(values);
    return report;
}

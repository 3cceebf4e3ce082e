/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic quantization: a row is read to find its scale, and once more to be divided by it. */
#include "blocks.h"
#include "dynamic.h"
#include "place.h"
#include "rotate.h"
#include "rule.h"

#include <math.h>
#include <stdlib.h>

static float larger(float a, float b)
{
    return a > b ? a : b;
}

/* -1: the row has none. */
static int64_t group_of(const struct reference_dynamic_quantize_desc *desc, const int64_t *index)
{
    const int64_t group = reference_group_of(desc->group_index, index[0]);

    return group < reference_count(desc->group_index) ? group : -1;
}

static bool is_written(const struct reference_dynamic_quantize_desc *desc, const int64_t *index)
{
    return !desc->group_index || group_of(desc, index) >= 0;
}

/* The value at index, smoothed. */
static float value_at(const struct reference_dynamic_quantize_desc *desc, const int64_t *index)
{
    const float x = reference_load(desc->x, index);

    const int along = desc->x->rank - (desc->smooth_rows ? 2 : 1);
    const int64_t group = desc->group_index ? group_of(desc, index) : 0;

    return desc->smooth_scale && group >= 0
               ? x * reference_load_nth(desc->smooth_scale,
                                        group * reference_extent(desc->x, along) + index[along])
               : x;
}

/* What the values that are not NaN reach: 0 where there is none. */
struct range {
    float most, least, magnitude;
    bool found, has_nan;
};

static void widen(struct range *range, float x)
{
    range->has_nan |= isnan(x);
    if (isnan(x))
        return;
    if (!range->found || x > range->most)
        range->most = x;
    if (!range->found || x < range->least)
        range->least = x;
    if (fabsf(x) > range->magnitude)
        range->magnitude = fabsf(x);
    range->found = true;
}

static float least_scale(const struct reference_dynamic_quantize_desc *desc, const struct range *range)
{
    if (desc->scale->type != REFERENCE_F16)
        return 1e-12f;
    return larger(desc->symmetric ? 0.0f : range->magnitude * 0x1p-15f, 0x1p-24f);
}

/* NVFP4's second scale, where there is one. */
static const float *global_scale(const struct reference_dynamic_quantize_desc *desc, float *scale)
{
    if (desc->global_scale == NULL)
        return NULL;
    *scale = reference_load_nth(desc->global_scale, 0);
    return scale;
}

/* Stores the range's scale and its offset. */
static void store_found(const struct reference_dynamic_quantize_desc *desc, const int64_t *at,
                        const struct range *range)
{
    const struct reference_type_row *type = &reference_types[desc->y->type];
    const float sign = desc->plain_offset ? 1.0f : -1.0f;
    float second;

    if (desc->how.rule != 0) {
        const struct reference_block_range block = {range->magnitude, range->has_nan};

        reference_store_code(
            desc->scale, at,
            reference_rule_code(desc->how, desc->y->type, block, global_scale(desc, &second)));
        return;
    }
    if (desc->symmetric)
        reference_store(desc->scale, at,
                        larger(range->magnitude / (desc->top > 0.0f ? desc->top : type->absmax_steps),
                               least_scale(desc, range)));
    else
        reference_store(desc->scale, at,
                        larger((range->most - range->least) / type->minmax_steps, least_scale(desc, range)));
    if (!desc->symmetric)
        reference_store(desc->offset, at,
                        sign * ((float)type->highest - range->most / reference_load(desc->scale, at)));
}

/* Quantizes a value by the scale and the offset that were stored. */
static void store_value(const struct reference_dynamic_quantize_desc *desc, const int64_t *to,
                        const int64_t *found_at, float x)
{
    const float product = x * (1.0f / reference_load(desc->scale, found_at));
    float second;

    if (desc->how.rule != 0) {
        reference_store_code(desc->y, to,
                             reference_rule_value(desc->how.rule, desc->y->type,
                                                  reference_load_code(desc->scale, found_at),
                                                  global_scale(desc, &second), x));
        return;
    }
    reference_store(desc->y, to,
                    desc->symmetric ? product
                                    : product + (desc->plain_offset ? 1.0f : -1.0f) *
                                                    reference_load(desc->offset, found_at));
}

/* Where the scale of the element at `index` of y is: without the dimension that shares
 * it, or by its block. */
static void found_at(const struct reference_dynamic_quantize_desc *desc, const int64_t *index, int64_t *at)
{
    const int rank = desc->x->rank, axis = desc->axis < 0 ? desc->axis + rank : desc->axis;
    const struct reference_cut cut = {axis, desc->block, desc->block_before};

    for (int d = 0; d < rank; d++)
        at[d] = desc->all ? 0 : index[d] / reference_block_along(&cut, d);
    for (int d = axis; d < rank - 1 && desc->block == 0 && !desc->all; d++)
        at[d] = at[d + 1];
}

/* The row's values at `from`, turned. */
static void row_values(const struct reference_dynamic_quantize_desc *desc, int64_t *from, float *values)
{
    const int last = desc->x->rank - 1;
    const int64_t length = reference_extent(desc->x, last);

    for (from[last] = 0; from[last] < length; from[last]++)
        values[from[last]] = value_at(desc, from);
    from[last] = 0;
    reference_rotate(values, length, desc->rotate);
}

/* The row of x at from to the row of the outputs at to: whatever shares a scale is part of it.
 * There is room for the values. */
static void quantize_row(const struct reference_dynamic_quantize_desc *desc, int64_t *from, int64_t *to,
                         float *values)
{
    const int last = desc->x->rank - 1;
    const int64_t length = reference_extent(desc->x, last), block = desc->block > 0 ? desc->block : length;
    int64_t at[REFERENCE_MAX_RANK];

    row_values(desc, from, values);
    for (int64_t first = 0; first < length && reference_is_block(desc->y->type); first += 32) {
        to[last] = first;
        reference_block_quantize(desc->y->type, values + first, reference_block_at(desc->y, to));
    }
    for (int64_t first = 0; first < length && !reference_is_block(desc->y->type); first += block) {
        const int64_t end = block < length - first ? first + block : length;
        struct range range = {0};

        for (int64_t i = first; i < end; i++)
            widen(&range, values[i]);
        to[last] = first;
        found_at(desc, to, at);
        store_found(desc, at, &range);
        for (; to[last] < end; to[last]++)
            store_value(desc, to, at, values[to[last]]);
    }
}

static void *allocate(int64_t count, size_t bytes)
{
    void *memory = calloc((size_t)count, bytes);

    if (!memory)
        abort();
    return memory;
}

/* Less its last dimension, so that reference_next steps from row to row. */
static struct reference_tensor rows_of(const struct reference_tensor *tensor)
{
    struct reference_tensor rows = *tensor;

    rows.rank--;
    return rows;
}

/* The number of an index in row-major order. */
static int64_t number_of(const struct reference_tensor *tensor, const int64_t *index)
{
    int64_t number = 0;

    for (int d = 0; d < tensor->rank; d++)
        number = number * reference_extent(tensor, d) + index[d];
    return number;
}

/* What is found where x has no element. */
static void store_empty(const struct reference_dynamic_quantize_desc *desc)
{
    int64_t at[REFERENCE_MAX_RANK] = {0};

    if (reference_count(desc->scale) == 0)
        return;
    do
        store_found(desc, at, &(struct range){0});
    while (reference_next(desc->scale, at));
}

/* Rows of blocks, which share nothing. */
static void quantize_blocks(const struct reference_dynamic_quantize_desc *desc)
{
    const struct reference_tensor rows = rows_of(desc->x);
    float *values = allocate(reference_extent(desc->x, desc->x->rank - 1), sizeof *values);
    int64_t from[REFERENCE_MAX_RANK] = {0}, to[REFERENCE_MAX_RANK];

    do {
        for (int d = 0; d < rows.rank; d++)
            to[d] = from[d];
        quantize_row(desc, from, to, values);
    } while (reference_next(&rows, from));
    free(values);
}

void reference_dynamic_quantize(const struct reference_dynamic_quantize_desc *desc)
{
    const struct reference_tensor rows = rows_of(desc->x);
    const int64_t count = reference_count(desc->x);
    int64_t index[REFERENCE_MAX_RANK] = {0}, at[REFERENCE_MAX_RANK];
    struct range *ranges;
    float *values;

    if (reference_is_block(desc->y->type)) {
        if (count > 0)
            quantize_blocks(desc);
        return;
    }
    if (count == 0) {
        store_empty(desc);
        return;
    }
    values = allocate(count, sizeof *values);
    ranges = allocate(reference_count(desc->scale), sizeof *ranges);
    do
        row_values(desc, index, values + number_of(desc->x, index));
    while (reference_next(&rows, index));
    do {
        found_at(desc, index, at);
        widen(&ranges[number_of(desc->scale, at)], values[number_of(desc->x, index)]);
    } while (reference_next(desc->x, index));
    do {
        found_at(desc, index, at);
        if (is_written(desc, index))
            store_found(desc, at, &ranges[number_of(desc->scale, at)]);
    } while (reference_next(desc->x, index));
    do {
        found_at(desc, index, at);
        if (is_written(desc, index))
            store_value(desc, index, at, values[number_of(desc->x, index)]);
    } while (reference_next(desc->x, index));
    free(values);
    free(ranges);
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
                                                        .how = desc->how,
                                                        .global_scale = desc->global_scale,
                                                        .rotate = desc->rotate,
                                                        .block = desc->block,
                                                        .axis = -1};
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
    values = allocate(reference_extent(desc->updates, desc->updates->rank - 1), sizeof *values);
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

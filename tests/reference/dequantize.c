/* SPDX-License-Identifier: Apache-2.0 */
/* The way back, one value after the other. */
#include "dequantize.h"

#include "place.h"
#include "rotate.h"

#include <stdlib.h>

float reference_dequantize_one(float q, float scale, const float *zero_point, enum reference_undo mode)
{
    if (mode == REFERENCE_UNDO_DYNAMIC) {
        if (zero_point)
            q = q + *zero_point;
        return q * scale;
    }
    if (zero_point)
        q = q - *zero_point;
    return mode == REFERENCE_UNDO_MULTIPLY ? q / scale : q * scale;
}

/* What dynamic quantization left beside the element at index of q. */
static float beside(const struct reference_dequantize_desc *desc, const struct reference_tensor *tensor,
                    const int64_t *index)
{
    const int rank = desc->q->rank;
    const int axis = desc->indices ? rank - 1 : desc->axis < 0 ? desc->axis + rank : desc->axis;
    const struct reference_cut cut = {axis, desc->block, desc->block_before};
    int64_t at[REFERENCE_MAX_RANK] = {0};
    int own = 0;

    if (reference_count(tensor) == 1)
        return reference_load_nth(tensor, 0);
    for (int d = 0; d < rank; d++)
        if (d != axis || desc->block > 0)
            at[own++] = index[d] / reference_block_along(&cut, d);
    return reference_load(tensor, at);
}

/* Of a value of y, and of where it comes from in q: the scale or zero point that it has. */
static float parameter(const struct reference_dequantize_desc *desc, const struct reference_tensor *tensor,
                       const int64_t *in_y, const int64_t *in_q)
{
    const int axis = desc->axis < 0 ? desc->axis + desc->q->rank : desc->axis;

    if (desc->mode == REFERENCE_UNDO_DYNAMIC)
        return beside(desc, tensor, in_q);
    if (desc->indices)
        return reference_parameter_placed(tensor, desc->y, in_y, desc->block);
    return reference_parameter(tensor, desc->y, in_y,
                               &(struct reference_cut){axis, desc->block, desc->block_before});
}

static float value_of(const struct reference_dequantize_desc *desc, const int64_t *in_y, const int64_t *in_q)
{
    const float q = reference_load(desc->q, in_q);

    if (reference_is_block(desc->q->type))
        return q;
    const float scale = parameter(desc, desc->scale, in_y, in_q);
    const float zero_point = desc->zero_points ? parameter(desc, desc->zero_points, in_y, in_q) : 0.0f;

    const float value =
        reference_dequantize_one(q, scale, desc->zero_points ? &zero_point : NULL, desc->mode);

    return desc->global_scale ? value * reference_load_nth(desc->global_scale, 0) : value;
}

/* The row that begins here, turned. */
static void write_row(const struct reference_dequantize_desc *desc, const int64_t *in_y, const int64_t *in_q)
{
    const int last = desc->y->rank - 1;
    const int64_t length = reference_extent(desc->y, last);
    float *values = malloc((size_t)length * sizeof *values);
    int64_t to[REFERENCE_MAX_RANK], from[REFERENCE_MAX_RANK];

    if (!values)
        abort();
    for (int d = 0; d < last; d++) {
        to[d] = in_y[d];
        from[d] = in_q[d];
    }
    for (to[last] = from[last] = 0; to[last] < length; to[last]++, from[last]++)
        values[to[last]] = value_of(desc, to, from);
    reference_rotate(values, length, desc->rotate);
    for (to[last] = 0; to[last] < length; to[last]++)
        reference_store(desc->y, to, values[to[last]]);
    free(values);
}

/* One value, or where rows are turned the row of which it is the first. */
static void write_one(const struct reference_dequantize_desc *desc, const int64_t *in_y, const int64_t *in_q)
{
    if (desc->rotate == 0)
        reference_store(desc->y, in_y, value_of(desc, in_y, in_q));
    else if (in_y[desc->y->rank - 1] == 0)
        write_row(desc, in_y, in_q);
}

static void gather(const struct reference_dequantize_desc *desc, struct reference_report *report)
{
    const int axis = desc->axis < 0 ? desc->axis + desc->q->rank : desc->axis;
    const struct reference_places places = {.cache = desc->q,
                                            .indices = desc->indices,
                                            .axis = axis,
                                            .length = reference_extent(desc->y, axis),
                                            .range = desc->range,
                                            .slots = desc->slots};

    for (int64_t entry = 0; entry < reference_extent(desc->y, 0); entry++) {
        int64_t in_y[REFERENCE_MAX_RANK] = {entry}, in_q[REFERENCE_MAX_RANK];
        struct reference_place place;

        if (!reference_place_of(&places, entry, &place, report))
            continue;
        do {
            reference_placed(&places, place, in_y, in_q);
            write_one(desc, in_y, in_q);
        } while (reference_next(desc->y, in_y) && in_y[0] == entry);
    }
}

/* A row of a group has the group's row of scales, and the one zero point. */
static void ungroup(const struct reference_dequantize_desc *desc, struct reference_report *report)
{
    const int64_t zeros[REFERENCE_MAX_RANK] = {0};
    const float zero_point = desc->zero_points ? reference_load(desc->zero_points, zeros) : 0.0f;
    int64_t index[2] = {0};

    do {
        const int64_t group = reference_group_of(desc->group_index, index[0]);
        const int64_t scale_index[2] = {group, index[1]};

        if (group < reference_count(desc->group_index)) {
            const float scale = reference_load(desc->scale, scale_index);

            reference_store(desc->y, index,
                            reference_dequantize_one(reference_load(desc->q, index), scale,
                                                     desc->zero_points ? &zero_point : NULL, desc->mode));
        } else if (index[1] == 0) {
            reference_report_dropped(report, index[0]);
        }
    } while (reference_next(desc->y, index));
}

struct reference_report reference_dequantize(const struct reference_dequantize_desc *desc)
{
    int64_t index[REFERENCE_MAX_RANK] = {0};
    struct reference_report report = {0};

    if (reference_count(desc->y) == 0)
        return report;
    if (desc->indices) {
        gather(desc, &report);
        return report;
    }
    if (desc->group_index) {
        ungroup(desc, &report);
        return report;
    }
    do
        write_one(desc, index, index);
    while (reference_next(desc->y, index));
    return report;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Finding scales: the largest and the least finite value, and what they ask for. */
#include "reference.h"

#include <math.h>
#include <stddef.h>

struct range {
    float most, least; /* 0 at least, and 0 at most */
};

static struct range range_of(const struct reference_tensor *x)
{
    int64_t index[REFERENCE_MAX_RANK] = {0};
    struct range range = {0.0f, 0.0f};

    if (reference_count(x) == 0)
        return range;
    do {
        const float value = reference_load(x, index);

        if (!isfinite(value))
            continue;
        if (value > range.most)
            range.most = value;
        if (value < range.least)
            range.least = value;
    } while (reference_next(x, index));
    return range;
}

/* Leaves of dimension d these indices; an empty tensor's data may be NULL, and nothing may be added to it. */
static void keep(struct reference_tensor *x, int d, int64_t first, int64_t count)
{
    x->shape[d] = count;
    if (x->data != NULL)
        x->data = (unsigned char *)x->data + first * x->strides[d] * reference_unit_bytes(x->type, 1);
}

/* What of x the scale at this index of scales serves: by the axis where scales are not of x's rank. */
static struct reference_tensor served(const struct reference_find_scales_desc *desc, const int64_t *at)
{
    const struct reference_tensor *scales = desc->scales;
    const int axis = desc->axis < 0 ? desc->axis + desc->x->rank : desc->axis;
    const struct reference_cut cut = {axis, desc->block, desc->block_before};
    struct reference_tensor x = *desc->x;

    if (reference_count(scales) == 1 || reference_count(&x) == 0) /* whose strides may be anything */
        return x;
    if (scales->rank != x.rank) {
        keep(&x, axis, at[0], 1);
        return x;
    }
    for (int d = 0; d < x.rank; d++) {
        const int64_t each = reference_block_along(&cut, d), first = at[d] * each, left = x.shape[d] - first;

        if (scales->shape[d] != 1)
            keep(&x, d, first, each < left ? each : left);
    }
    return x;
}

static float scale_of(const struct reference_find_scales_desc *desc, struct range range)
{
    const float absmax = range.most > fabsf(range.least) ? range.most : fabsf(range.least);
    const float half_range = range.most * 0.5f - range.least * 0.5f;
    const float extent = desc->minmax ? half_range : absmax;
    const struct reference_type_row *type = &reference_types[desc->type];
    const float steps = desc->minmax ? type->minmax_steps * 0.5f : type->absmax_steps;
    float scale;

    if (desc->multiply) {
        scale = steps / extent;
        return scale < 0x1p100f ? scale : 0x1p100f;
    }
    scale = extent / steps;
    return scale > 0x1p-100f ? scale : 0x1p-100f;
}

static float zero_point_of(const struct reference_find_scales_desc *desc, struct range range, float scale)
{
    const struct reference_type_row *type = &reference_types[desc->type];
    const float below = rintf(desc->multiply ? fabsf(range.least) * scale : fabsf(range.least) / scale);

    if (!desc->minmax)
        return type->absmax_zero_point;
    return (float)type->lowest + (below < type->minmax_steps ? below : type->minmax_steps);
}

void reference_find_scales(const struct reference_find_scales_desc *desc)
{
    const int64_t count = reference_count(desc->scales);
    int64_t at[REFERENCE_MAX_RANK] = {0}, zero_at[REFERENCE_MAX_RANK] = {0};

    for (int64_t i = 0; i < count; i++) {
        const struct reference_tensor x = served(desc, at);
        const struct range range = range_of(&x);
        const float scale = scale_of(desc, range);

        reference_store(desc->scales, at, scale);
        reference_next(desc->scales, at);
        if (desc->zero_points == NULL)
            continue;
        reference_store(desc->zero_points, zero_at, zero_point_of(desc, range, scale));
        reference_next(desc->zero_points, zero_at);
    }
}

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

/* What of x has this index of the axis. */
static struct reference_tensor slice_of(const struct reference_tensor *x, int axis, int64_t index)
{
    const int64_t bytes = reference_unit_bytes(x->type, 1);
    struct reference_tensor slice = *x;

    slice.shape[axis] = 1;
    if (x->data != NULL) /* an empty tensor's may be, and nothing may be added to it */
        slice.data = (unsigned char *)x->data + index * x->strides[axis] * bytes;
    return slice;
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
    const int axis = desc->axis < 0 ? desc->axis + desc->x->rank : desc->axis;
    int64_t at[REFERENCE_MAX_RANK] = {0}, zero_at[REFERENCE_MAX_RANK] = {0};

    for (int64_t i = 0; i < count; i++) {
        const struct reference_tensor slice = count == 1 ? *desc->x : slice_of(desc->x, axis, i);
        const struct range range = range_of(&slice);
        const float scale = scale_of(desc, range);

        reference_store(desc->scales, at, scale);
        reference_next(desc->scales, at);
        if (desc->zero_points == NULL)
            continue;
        reference_store(desc->zero_points, zero_at, zero_point_of(desc, range, scale));
        reference_next(desc->zero_points, zero_at);
    }
}

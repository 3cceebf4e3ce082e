/* SPDX-License-Identifier: Apache-2.0 */
/* Static quantization, one value after the other. */
#include "reference.h"

#include <math.h>
#include <stddef.h>

uint64_t reference_quantize_one(float x, float scale, const float *zero_point, bool multiply,
                                bool round_first, enum reference_type type)
{
    float value = multiply ? x * scale : x / scale;

    if (round_first)
        value = rintf(value);
    if (zero_point)
        value = value + *zero_point;
    return reference_round(value, type);
}

void reference_quantize(const struct reference_quantize_desc *desc)
{
    const struct reference_cut cut = {.axis = desc->axis < 0 ? desc->axis + desc->x->rank : desc->axis,
                                      .block = desc->block,
                                      .before = desc->block_before};
    int64_t index[REFERENCE_MAX_RANK] = {0};

    if (reference_count(desc->x) == 0)
        return;
    do {
        const float x = reference_load(desc->x, index);
        const float scale = reference_parameter(desc->scales, desc->x, index, &cut);
        const float zero_point =
            desc->zero_points ? reference_parameter(desc->zero_points, desc->x, index, &cut) : 0.0f;
        const uint64_t code = reference_quantize_one(x, scale, desc->zero_points ? &zero_point : NULL,
                                                     desc->multiply, desc->round_first, desc->y->type);

        reference_store_code(desc->y, index, code);
    } while (reference_next(desc->x, index));
}

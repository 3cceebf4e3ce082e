/* SPDX-License-Identifier: Apache-2.0 */
/* The documented call npu_dynamic_block_quant, one value after the other. */
#include "reference.h"

#include <math.h>

static float top_of(enum reference_type type)
{
    return type == REFERENCE_I8 ? 127.0f : type == REFERENCE_E4M3 ? 448.0f : 57344.0f;
}

/* What a value is stored as. Of floats a scale that rounds to 0 is a divisor all the same. */
static float quotient(float x, float scale, enum reference_type type)
{
    if (x == 0.0f)
        return x;
    return x / (scale == 0.0f && type != REFERENCE_I8 ? 0x1p-149f : scale);
}

void reference_npu_dynamic_block_quant(const struct reference_npu_dynamic_block_quant_desc *desc)
{
    const int last = desc->x->rank - 1;
    int64_t at[REFERENCE_MAX_RANK] = {0}, block[REFERENCE_MAX_RANK];

    if (reference_count(desc->x) == 0)
        return;
    for (int pass = 0; pass < 3; pass++) /* nothing was found; the largest magnitudes; the values */
        do {
            const float x = reference_load(desc->x, at), magnitude = isfinite(x) ? fabsf(x) : 0.0f;
            float found, scale;

            for (int d = 0; d <= last; d++)
                block[d] = at[d] / (d == last ? desc->columns : d == last - 1 ? desc->rows : 1);
            found = pass == 0 ? 0.0f : reference_load(desc->scale, block);
            scale = magnitude / top_of(desc->y->type);
            if (desc->min_scale > 0.0f)
                scale = fminf(scale, 1.0f / desc->min_scale);
            if (pass < 2)
                reference_store(desc->scale, block, fmaxf(found, pass == 0 ? 0.0f : scale));
            else
                reference_store(desc->y, at, quotient(x, found, desc->y->type));
        } while (reference_next(desc->x, at));
}

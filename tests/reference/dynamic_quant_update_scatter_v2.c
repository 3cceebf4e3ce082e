/* SPDX-License-Identifier: Apache-2.0 */
/* The documented call DynamicQuantUpdateScatterV2: its shapes, seen as the general ones. */
#include "dynamic.h"

/* (B, S) or (B, S, 1), seen as (B, S, 1). */
static struct reference_tensor one_head(const struct reference_tensor *tensor)
{
    struct reference_tensor seen = *tensor;

    seen.rank = 3;
    seen.shape[2] = 1;
    return seen;
}

struct reference_report
reference_dynamic_quant_update_scatter_v2(const struct reference_dynamic_quant_update_scatter_v2_desc *desc)
{
    const struct reference_tensor scale = one_head(desc->var_scale);
    const struct reference_tensor offset = one_head(desc->var_offset);
    struct reference_tensor updates = *desc->x;

    /* (B, 1, H), seen as (B, 1, 1, H). */
    updates.rank = 4;
    updates.shape[3] = desc->x->shape[2];
    updates.strides[3] = desc->x->strides[2];
    updates.shape[2] = 1;
    return reference_dynamic_quantize_scatter(&(struct reference_dynamic_quantize_scatter_desc){
        .cache = desc->var,
        .cache_scale = &scale,
        .cache_offset = &offset,
        .indices = desc->indices,
        .updates = &updates,
        .axis = 1,
        .range = REFERENCE_DROP,
    });
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The documented call npu_group_quant: the documented names. */
#include "reference.h"

struct reference_report reference_npu_group_quant(const struct reference_npu_group_quant_desc *desc)
{
    return reference_group_quantize(&(struct reference_group_quantize_desc){
        .x = desc->x,
        .scale = desc->scale,
        .group_index = desc->group_index,
        .offset = desc->offset,
        .y = desc->y,
    });
}

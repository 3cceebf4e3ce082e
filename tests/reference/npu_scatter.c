/* SPDX-License-Identifier: Apache-2.0 */
/* The documented calls npu_quant_scatter, into a copy of its input, and npu_quant_scatter_, in place. */
#include "reference.h"

struct reference_report reference_npu_quant_scatter_(const struct reference_npu_quant_scatter_desc *desc)
{
    return reference_quantize_scatter(&(struct reference_quantize_scatter_desc){
        .cache = desc->self,
        .indices = desc->indices,
        .updates = desc->updates,
        .scales = desc->quant_scales,
        .zero_points = desc->quant_zero_points,
        .axis = desc->axis,
        .multiply = false,
        .range = REFERENCE_DROP,
        .by_axis_alone = true,
    });
}

struct reference_report reference_npu_quant_scatter(const struct reference_tensor *input,
                                                    const struct reference_npu_quant_scatter_desc *desc)
{
    reference_copy(input, desc->self);
    return reference_npu_quant_scatter_(desc);
}

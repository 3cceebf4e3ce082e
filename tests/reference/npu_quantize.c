/* SPDX-License-Identifier: Apache-2.0 */
/* The documented call npu_quantize: which axis it means. */
#include "reference.h"

void reference_npu_quantize(const struct reference_npu_quantize_desc *desc)
{
    struct reference_quantize_desc general = {.x = desc->input,
                                              .scales = desc->scales,
                                              .zero_points = desc->zero_points,
                                              .y = desc->output,
                                              .axis = desc->axis,
                                              .multiply = !desc->div_mode};

    /* Without div_mode -2 is the second-to-last axis, and everything above it the last. */
    if (!desc->div_mode && desc->axis != -2)
        general.axis = -1;
    reference_quantize(&general);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The checks that every operator of static quantization shares. */
#include "base/error.h"
#include "plan/static_quantize.h"

#include <clquant/dequantize.h>

clq_status clq__static_work_init(struct clq__static_work *work, uint32_t mode)
{
    clq_status status = CLQ_OK;

    work->divide = mode == CLQ_DIVIDE;
    work->back = work->of_rows = work->add = false;
    work->axis = 0;
    work->scale.stride = work->zero_point.stride = 0;
    work->scale.row_stride = work->zero_point.row_stride = 0;
    work->scale.flatten = work->zero_point.flatten = false;
    clq__placement_init(&work->placement);
    CLQ_REQUIRE(mode <= CLQ_MULTIPLY, CLQ_ERROR_VALUE,
                "mode is %u: it must be CLQ_DIVIDE (0) or CLQ_MULTIPLY (1)", mode);
end:
    return status;
}

clq_status clq__static_work_init_back(struct clq__static_work *work, uint32_t mode)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(clq__static_work_init(work, CLQ_DIVIDE));
    CLQ_REQUIRE(mode <= CLQ_DEQUANTIZE_DYNAMIC, CLQ_ERROR_VALUE,
                "mode is %u: it must be CLQ_DEQUANTIZE_DIVIDE (0), CLQ_DEQUANTIZE_MULTIPLY (1) or "
                "CLQ_DEQUANTIZE_DYNAMIC (2)",
                mode);
    work->back = true;
    work->divide = mode == CLQ_DEQUANTIZE_MULTIPLY;
    work->add = mode == CLQ_DEQUANTIZE_DYNAMIC;
end:
    return status;
}

clq_status clq__static_parameters_init(struct clq__static_work *work, const char *scales_name,
                                       const DLTensor *scales, const char *zero_points_name,
                                       const DLTensor *zero_points)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(clq__view_init(&work->scale.view, scales_name, scales, CLQ__FLOATS));
    if (zero_points != NULL)
        CLQ_TRY(clq__view_init(&work->zero_point.view, zero_points_name, zero_points,
                               CLQ__FLOATS | CLQ__INTEGERS));
    else
        clq__view_init_absent(&work->zero_point.view, zero_points_name);
end:
    return status;
}

clq_status clq__static_check_side_buffers(const clq_context *context, const struct clq__static_work *work,
                                          const struct clq__view *input, int64_t workspace_words)
{
    return clq__side_buffers_check(context, &work->placement, workspace_words,
                                   (const struct clq__view *[]){&work->y, &work->x, &work->placement.indices,
                                                                &work->scale.view, &work->zero_point.view,
                                                                input},
                                   input != NULL ? 6 : 5);
}

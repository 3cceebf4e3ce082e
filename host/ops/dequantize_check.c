/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of dequantization that the host can know. The work is that of quantization, mirrored: its x, which is
 * written, is the caller's y, and its y the caller's q. */
#include "base/error.h"
#include "ops/dequantize.h"

static clq_status check_desc(const struct clq_dequantize_desc *desc)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(clq__desc_check(desc != NULL ? desc->reserved : NULL, CLQ_COUNT(desc->reserved)));
    CLQ_TRY(clq__reserved_check(desc->reserved32));
    CLQ_REQUIRE(desc->zero_points == NULL || desc->mode != CLQ_DEQUANTIZE_DYNAMIC, CLQ_ERROR_VALUE,
                "zero_points is given: with mode CLQ_DEQUANTIZE_DYNAMIC (2) there are offsets instead");
    CLQ_REQUIRE(desc->offsets == NULL || desc->mode == CLQ_DEQUANTIZE_DYNAMIC, CLQ_ERROR_VALUE,
                "offsets is given: they are for mode CLQ_DEQUANTIZE_DYNAMIC (2), and mode is %u", desc->mode);
    CLQ_REQUIRE(desc->group_index == NULL || desc->indices == NULL, CLQ_ERROR_VALUE,
                "indices and group_index are both given: one of them must be NULL");
    CLQ_REQUIRE(desc->group_index == NULL || desc->mode == CLQ_DEQUANTIZE_MULTIPLY, CLQ_ERROR_VALUE,
                "mode is %u: with group_index it must be CLQ_DEQUANTIZE_MULTIPLY (1)", desc->mode);
end:
    return status;
}

/* Where the rows of y come from. */
static clq_status check_placement(const struct clq_dequantize_desc *desc, struct clq__static_work *work)
{
    clq_status status = CLQ_OK;
    const bool dynamic = desc->mode == CLQ_DEQUANTIZE_DYNAMIC;

    if (desc->indices == NULL) {
        CLQ_TRY(clq__range_check(desc->out_of_range));
        CLQ_TRY(clq__view_check_alike(&work->y, &work->x));
        goto end;
    }
    CLQ_TRY(clq__placement_check(
        &work->placement, &(struct clq__placement_rules){.indices = desc->indices,
                                                         .cache = &work->y,
                                                         .pieces = &work->x,
                                                         .axis = desc->axis,
                                                         .least_rank = dynamic ? 3 : 2,
                                                         .last_is_whole = dynamic || work->y.type == CLQ__I4,
                                                         .out_of_range = desc->out_of_range,
                                                         .unique = 1})); /* places may be read together */
end:
    return status;
}

static clq_status check_parameters(const struct clq_dequantize_desc *desc, struct clq__static_work *work)
{
    clq_status status = CLQ_OK;

    if (desc->mode == CLQ_DEQUANTIZE_DYNAMIC) {
        CLQ_TRY(clq__static_check_rows(work));
    } else if (desc->indices != NULL) {
        CLQ_TRY(clq__static_check_last(work));
    } else if (desc->group_index != NULL) {
        CLQ_TRY(clq__view_init(&work->placement.indices, "group_index", desc->group_index, CLQ__INDICES));
        CLQ_TRY(clq__static_check_groups(work));
    } else {
        CLQ_TRY(clq__static_check_axis(work, desc->axis));
    }
end:
    return status;
}

clq_status clq__dequantize_check(const struct clq_dequantize_desc *desc, struct clq__static_work *work)
{
    clq_status status = CLQ_OK;
    struct clq__placement *placement = &work->placement;
    const bool dynamic = desc != NULL && desc->mode == CLQ_DEQUANTIZE_DYNAMIC;

    CLQ_TRY(check_desc(desc));
    CLQ_TRY(clq__static_work_init_back(work, desc->mode));
    CLQ_TRY(clq__view_init(&work->y, "q", desc->q, CLQ__QUANTIZED));
    CLQ_TRY(clq__static_parameters_init(work, "scales", desc->scales, dynamic ? "offsets" : "zero_points",
                                        dynamic ? desc->offsets : desc->zero_points));
    CLQ_TRY(clq__view_init(&work->x, "y", desc->y, CLQ__FLOATS));
    CLQ_TRY(check_placement(desc, work));
    CLQ_TRY(clq__view_check_output(&work->x));
    CLQ_TRY(check_parameters(desc, work));
    if (placement->kind == CLQ_ENTRY_NONE)
        goto end;
    placement->report = desc->report;
    placement->report_offset_bytes = desc->report_offset_bytes;
end:
    return status;
}

clq_status clq__dequantize_check_memory(const clq_context *context, const struct clq__static_work *work)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(
        clq__memory_check_all(context,
                              (const struct clq__view *[]){&work->x, &work->y, &work->scale.view,
                                                           &work->zero_point.view, &work->placement.indices},
                              1, 5));
    CLQ_TRY(clq__static_check_side_buffers(context, work, NULL, 0));
end:
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of quantize-and-scatter that the host can know. */
#include "base/error.h"
#include "ops/scatter.h"

clq_status clq__scatter_check_memory(const clq_context *context, const struct clq__static_work *work,
                                     const struct clq__view *input)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(clq__memory_check_all(context,
                                  (const struct clq__view *[]){&work->y, input, &work->x,
                                                               &work->placement.indices, &work->scale.view,
                                                               &work->zero_point.view},
                                  1, 6));
    CLQ_TRY(clq__static_check_side_buffers(context, work, input, 0));
end:
    return status;
}

clq_status clq__scatter_check(const struct clq__scatter *call, struct clq__static_work *work,
                              struct clq__view *input)
{
    clq_status status = CLQ_OK;
    const struct clq__scatter_names *names = call->names;
    struct clq__placement *placement = &work->placement;

    CLQ_TRY(clq__static_work_init(work, call->mode));
    CLQ_TRY(clq__view_init(&work->y, names->cache, call->cache, CLQ__CACHES));
    CLQ_TRY(clq__view_init(&work->x, "updates", call->updates, CLQ__FLOATS));
    CLQ_TRY(clq__static_parameters_init(work, names->scales, call->scales, names->zero_points,
                                        call->zero_points));
    CLQ_TRY(clq__placement_check(placement,
                                 &(struct clq__placement_rules){.indices = call->indices,
                                                                .cache = &work->y,
                                                                .pieces = &work->x,
                                                                .axis = call->axis,
                                                                .least_rank = 2,
                                                                .last_is_whole = work->y.type == CLQ__I4,
                                                                .out_of_range = call->range,
                                                                .unique = call->unique}));
    CLQ_TRY(clq__view_check_output(&work->y));
    CLQ_TRY(clq__static_check_last(work));
    clq__view_init_absent(input, names->input);
    if (call->input != NULL) {
        CLQ_TRY(clq__view_init(input, names->input, call->input, CLQ__SET(work->y.type)));
        CLQ_TRY(clq__view_check_alike(input, &work->y));
        CLQ_REQUIRE(input->lanes == work->y.lanes, CLQ_ERROR_TYPE,
                    "%s.dtype has %d lanes: it must have those of %s, %d", input->name, input->lanes,
                    work->y.name, work->y.lanes);
    }
    placement->report = call->report;
    placement->report_offset_bytes = call->report_offset_bytes;
    placement->workspace = call->workspace;
    placement->workspace_offset_bytes = call->workspace_offset_bytes;
end:
    return status;
}

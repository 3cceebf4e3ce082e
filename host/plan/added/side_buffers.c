/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/added/side_buffers.h"

#include "base/error.h"
#include "plan/plan.h"

enum { SIDES = 2 };

struct side_buffer {
    struct clq__view view;
    DLTensor tensor;
    int64_t words;
};

/* As a tensor of words. */
static clq_status describe(struct side_buffer *side, const char *name, const struct clq__beside *beside,
                           int64_t words)
{
    clq_status status = CLQ_OK;

    if (beside->buffer == NULL || words == 0) {
        clq__view_init_absent(&side->view, name);
        goto end;
    }
    CLQ_REQUIRE(beside->offset_bytes % sizeof(uint32_t) == 0, CLQ_ERROR_LAYOUT,
                "%s_offset_bytes is %llu: it must be a multiple of 4", name,
                (unsigned long long)beside->offset_bytes);
    side->words = words;
    side->tensor = (DLTensor){.data = beside->buffer,
                              .device = {kDLOpenCL, 0},
                              .ndim = 1,
                              .dtype = CLQ_INT32,
                              .shape = &side->words,
                              .byte_offset = beside->offset_bytes};
    CLQ_TRY(clq__view_init(&side->view, name, &side->tensor, CLQ__SET(CLQ__I32)));
end:
    return status;
}

clq_status clq__side_buffers_check(const clq_context *context, const struct clq__placement *placement,
                                   size_t workspace_bytes, const struct clq__view *const *tensors, int count)
{
    clq_status status = CLQ_OK;
    struct side_buffer report, workspace;
    const struct clq__view *all[SIDES + CLQ__MOST_TENSORS];

    if (placement->report.buffer == NULL && (placement->workspace.buffer == NULL || workspace_bytes == 0))
        goto end;
    CLQ_TRY(describe(&report, "report", &placement->report, sizeof(struct clq_report) / sizeof(uint32_t)));
    CLQ_TRY(describe(&workspace, "workspace", &placement->workspace,
                     (int64_t)(workspace_bytes / sizeof(uint32_t))));
    all[0] = &workspace.view;
    all[1] = &report.view;
    for (int i = 0; i < count; i++)
        all[SIDES + i] = tensors[i];
    CLQ_TRY(clq__memory_check_sides(context, all, SIDES, SIDES + count));
end:
    return status;
}

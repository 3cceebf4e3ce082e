/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/side_buffers.h"

#include "base/error.h"

enum { TENSORS = 6 };

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

static clq_status check(const clq_context *context, const struct clq__placement *placement,
                        int64_t workspace_words, const struct clq__view *const tensors[TENSORS])
{
    clq_status status = CLQ_OK;
    struct side_buffer report, workspace;
    const struct clq__view *all[2 + TENSORS];

    if (placement->report.buffer == NULL && (placement->workspace.buffer == NULL || workspace_words == 0))
        goto end;
    CLQ_TRY(describe(&report, "report", &placement->report, sizeof(struct clq_report) / sizeof(uint32_t)));
    CLQ_TRY(describe(&workspace, "workspace", &placement->workspace, workspace_words));
    all[0] = &workspace.view;
    all[1] = &report.view;
    for (int i = 0; i < TENSORS; i++)
        all[2 + i] = tensors[i];
    CLQ_TRY(clq__memory_check_sides(context, all, 2, 2 + TENSORS));
end:
    return status;
}

clq_status clq__side_buffers_check_static(const clq_context *context, const struct clq__work *work,
                                          int64_t workspace_words)
{
    clq_status status = CLQ_OK;
    const struct clq__placement *placement = &work->placement;
    const struct clq__view *const tensors[TENSORS] = {
        &work->y, &work->x, &placement->indices, &work->scale.view, &work->zero_point.view, &work->input};

    CLQ_TRY(check(context, placement, 0, tensors));
    if (placement->workspace.buffer != NULL && workspace_words > 0)
        CLQ_TRY(check(context, placement, workspace_words, tensors));
end:
    return status;
}

clq_status clq__side_buffers_check_dynamic(const clq_context *context, const struct clq__work *work,
                                           int64_t workspace_words)
{
    const struct clq__view *const tensors[TENSORS] = {&work->y, &work->scale.view, &work->zero_point.view,
                                                      &work->x, &work->smooth,     &work->placement.indices};

    return check(context, &work->placement, workspace_words, tensors);
}

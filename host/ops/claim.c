/* SPDX-License-Identifier: Apache-2.0 */
#include "args/claim.h"

#include "base/ceil_div.h"
#include "base/error.h"
#include "ops/chain.h"

/* Work-items in a group of claim.cl. */
static size_t claim_items(const clq_context *context)
{
    const struct clq__traits traits = clq__traits(context);

    return (size_t)clq__group_items(&traits, 64);
}

clq_status clq__chain_claim(struct clq__chain *chain, const struct clq__placement *placement,
                            struct clq_entries *entries, cl_mem *owners)
{
    clq_status status = CLQ_OK;
    const int64_t items = entries->count * entries->length;
    struct claim_args args;
    struct clq__launch launch = {
        .num_buffers = 2, .args = &args, .args_bytes = sizeof args, .local = claim_items(chain->context)};
    cl_event event = NULL;

    if (placement->workspace != NULL) {
        *owners = placement->workspace;
        entries->owner_offset = (int64_t)(placement->workspace_offset_bytes / sizeof(uint32_t));
    } else {
        CLQ_TRY(clq__chain_scratch(chain, entries->owner_words, sizeof(uint32_t), owners));
    }
    CLQ_TRY(clq__clear(chain->queue, *owners, (size_t)entries->owner_offset * sizeof(uint32_t),
                       (size_t)entries->owner_words * sizeof(uint32_t), chain->num_wait, chain->wait,
                       &event));
    args.entries = *entries;
    clq__variant_begin(&launch.variant, CLQ__CLAIM_CL);
    clq__variant_end(&launch.variant, chain->context);
    launch.buffers[0] = placement->indices.tensor->data;
    launch.buffers[1] = *owners;
    launch.groups = (size_t)clq__ceil_div(items, (int64_t)launch.local);
    CLQ_TRY(clq__launch(chain->context, chain->queue, &launch, 1, &event, &chain->events[chain->num_events]));
    chain->num_events++;
end:
    clq__event_release(event);
    return status;
}

clq_status clq__claim_build(clq_context *context)
{
    struct clq__launch launch = {
        .num_buffers = 2, .args_bytes = sizeof(struct claim_args), .local = claim_items(context)};

    clq__variant_begin(&launch.variant, CLQ__CLAIM_CL);
    clq__variant_end(&launch.variant, context);
    return clq__launch_build(context, &launch);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "args/claim.h"

#include "base/ceil_div.h"
#include "cpu/tuning.h"
#include "plan/launches.h"
#include "plan/shares/divisor.h"
#include "plan/shares/tuning.h"

/* A work-item of the portable kernel claims one position. */
static void cut(struct clq__launch *launch, int64_t positions, const struct clq__traits *traits)
{
    const bool own = clq__variant_own(&launch->variant, traits, traits->group_form);
    const int64_t local = own ? 1 : clq__group_items(traits, CLQ__GROUP_ITEMS_SMALL),
                  each = own ? CLQ_CPU_CLAIM_ITEM : 1;

    launch->local = (size_t)local;
    launch->groups = (size_t)clq__ceil_div(positions, local * each);
}

void clq__launches_claim(struct clq__launches *launches, const struct clq__placement *placement,
                         struct clq_entries *entries, const struct clq__traits *traits, unsigned read)
{
    const int64_t positions = entries->count * entries->length;
    struct clq__launch *launch = clq__launches_add(launches);

    clq__variant_begin(&launch->variant, CLQ__CLAIM_CL);
    cut(launch, positions, traits);
    launch->buffers[0] = placement->indices.tensor->data;
    clq__launches_temporary(launches, entries->owner_words, sizeof(uint32_t), 1,
                            &launches->claim.entries.owner_offset, &launches->kernels[0].buffers[read],
                            &entries->owner_offset)
        ->anywhere = true;
    launches->claim.entries = *entries;
    launches->claim.source = (struct clq_source){.kind = CLQ_ENTRY_NONE};
    launches->claim.by_length = clq__divisor(entries->length);
    launches->claims = true;
    launch->buffers[2] = NULL;
    launch->num_buffers = 3;
    launch->args = &launches->claim;
    launch->args_bytes = sizeof launches->claim;
}

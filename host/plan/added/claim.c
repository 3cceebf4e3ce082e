/* SPDX-License-Identifier: Apache-2.0 */
#include "args/claim.h"

#include "base/ceil_div.h"
#include "plan/launches.h"
#include "plan/shares/divisor.h"
#include "plan/shares/tuning.h"

void clq__launches_claim(struct clq__launches *launches, const struct clq__placement *placement,
                         struct clq_entries *entries, const struct clq__traits *traits, unsigned read)
{
    const int64_t items = entries->count * entries->length,
                  local = clq__group_items(traits, CLQ__GROUP_ITEMS_SMALL);
    struct clq__launch *launch = clq__launches_add(launches);

    clq__variant_begin(&launch->variant, CLQ__CLAIM_CL);
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
    launch->local = (size_t)local;
    launch->groups = (size_t)clq__ceil_div(items, local);
}

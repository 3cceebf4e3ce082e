/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic quantization from described arguments to its launches, for a device of given traits. */
#include "plan/dynamic.h"

enum { NUM_BUFFERS = 8 }; /* x, smooth, y, scales, offsets, indices, owners, report */

static void choose_variant(struct clq__variant *variant, const struct clq__dynamic_work *work)
{
    clq__variant_begin(variant, CLQ__DYNAMIC_QUANTIZE_CL);
    clq__variant_define(variant, CLQ__SRC, work->x.type);
    clq__variant_define(variant, CLQ__DST, work->y.type);
    clq__variant_define(variant, CLQ__SMOOTH, work->smooth.tensor != NULL);
}

/* The kernel's buffers, and what is written for it first. */
static void place_buffers(struct clq__dynamic_call *call, const struct clq__dynamic_work *work,
                          const struct clq__traits *traits)
{
    const struct clq__placement *placement = &work->placement;
    cl_mem *buffers = call->launches.kernel.buffers;

    buffers[0] = work->x.tensor->data;
    buffers[1] = work->smooth.tensor != NULL ? work->smooth.tensor->data : NULL;
    buffers[2] = work->y.elements > 0 ? work->y.tensor->data : NULL;
    buffers[3] = work->y.elements > 0 ? work->scale.tensor->data : NULL;
    buffers[4] = work->y.elements > 0 && work->offset.tensor != NULL ? work->offset.tensor->data : NULL;
    buffers[5] = placement->kind != CLQ_ENTRY_NONE ? placement->indices.tensor->data : NULL;
    buffers[6] = NULL;
    buffers[7] = placement->report;
    if (work->widen_smooth)
        clq__launches_widen(&call->launches, &work->smooth, work->smooth.elements, 1, traits, 1);
    if (call->args.entries.owner_words > 0)
        clq__launches_claim(&call->launches, placement, &call->args.entries, traits, 6);
}

void clq__dynamic_launches(struct clq__dynamic_call *call, const struct clq__dynamic_work *work,
                           const struct clq__traits *traits)
{
    struct clq__launch *kernel = &call->launches.kernel;
    const bool group = clq__dynamic_size(&call->args, kernel, *traits);

    clq__launches_init(&call->launches);
    choose_variant(&kernel->variant, work);
    clq__variant_end_form(&kernel->variant, traits, group);
    kernel->num_buffers = NUM_BUFFERS;
    kernel->args = &call->args;
    kernel->args_bytes = sizeof call->args;
    place_buffers(call, work, traits);
}

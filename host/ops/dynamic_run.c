/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic quantization from a described call to the queue: the kernel, and before it what it waits for. */
#include "base/error.h"
#include "ops/chain.h"
#include "ops/dynamic.h"

enum { NUM_BUFFERS = 8 }; /* of dynamic_quantize.cl: x, smooth, y, scales, offsets, indices, owners, report */

static void choose_variant(struct clq__variant *variant, const struct clq__dynamic_work *work)
{
    clq__variant_begin(variant, CLQ__DYNAMIC_QUANTIZE_CL);
    clq__variant_define(variant, CLQ__SRC, work->x.type);
    clq__variant_define(variant, CLQ__DST, work->y.type);
    clq__variant_define(variant, CLQ__SMOOTH, work->smooth.tensor != NULL);
}

static clq_status prepare(struct clq__chain *chain, const struct clq__dynamic_work *work,
                          struct dynamic_quantize_args *args, struct clq__launch *launch)
{
    clq_status status = CLQ_OK;
    const struct clq__placement *placement = &work->placement;
    cl_mem *buffers = launch->buffers;

    buffers[0] = work->x.tensor->data;
    buffers[1] = work->smooth.tensor != NULL ? work->smooth.tensor->data : NULL;
    buffers[2] = work->y.elements > 0 ? work->y.tensor->data : NULL;
    buffers[3] = work->y.elements > 0 ? work->scale.tensor->data : NULL;
    buffers[4] = work->y.elements > 0 && work->offset.tensor != NULL ? work->offset.tensor->data : NULL;
    buffers[5] = placement->kind != CLQ_ENTRY_NONE ? placement->indices.tensor->data : NULL;
    buffers[6] = NULL;
    buffers[7] = placement->report;
    if (work->widen_smooth)
        CLQ_TRY(clq__chain_widen(chain, &work->smooth, work->smooth.elements, 1, &buffers[1]));
    if (args->entries.owner_words > 0)
        CLQ_TRY(clq__chain_claim(chain, placement, &args->entries, &buffers[6]));
end:
    return status;
}

static clq_status enqueue(struct clq__chain *chain, const struct clq__dynamic_work *work,
                          struct dynamic_quantize_args *args, struct clq__launch *launch, cl_event *done)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(prepare(chain, work, args, launch));
    CLQ_TRY(clq__chain_finish(chain, launch, done));
end:
    clq__chain_release(chain);
    return status;
}

static clq_status build(clq_context *context, const struct clq__dynamic_work *work,
                        const struct dynamic_quantize_args *args, const struct clq__launch *launch)
{
    clq_status status = CLQ_OK;

    if (work->widen_smooth)
        CLQ_TRY(clq__widen_build(context));
    if (args->entries.owner_words > 0)
        CLQ_TRY(clq__claim_build(context));
    CLQ_TRY(clq__launch_build(context, launch));
end:
    return status;
}

clq_status clq__dynamic_run(clq_context *context, cl_command_queue queue,
                            const struct clq__dynamic_work *work, bool build_only, cl_uint num_wait,
                            const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    struct dynamic_quantize_args args;
    struct clq__launch launch;
    struct clq__chain chain = {.context = context, .queue = queue, .num_wait = num_wait, .wait = wait};
    bool group;

    if (work->x.elements == 0) {
        CLQ_TRY(clq__dynamic_check_memory(context, work, 0));
        if (!build_only)
            CLQ_TRY(clq__launch_nothing(queue, num_wait, wait, done));
        goto end;
    }
    clq__dynamic_describe(&args, work);
    CLQ_TRY(clq__dynamic_check_memory(context, work, args.entries.owner_words));
    group = clq__dynamic_size(&args, &launch, clq__traits(context));
    CLQ_TRY(clq__rounds_check(context, clq__dynamic_rounds(&args), work->x.name));
    choose_variant(&launch.variant, work);
    clq__variant_end_form(&launch.variant, context, group);
    launch.num_buffers = NUM_BUFFERS;
    launch.args = &args;
    launch.args_bytes = sizeof args;
    if (build_only)
        CLQ_TRY(build(context, work, &args, &launch));
    else
        CLQ_TRY(enqueue(&chain, work, &args, &launch, done));
end:
    return status;
}

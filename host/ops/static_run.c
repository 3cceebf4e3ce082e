/* Static quantization from a described call to the queue: the kernel, and before it what it waits for. */
#include "args/claim.h"
#include "args/widen.h"
#include "base/error.h"
#include "ops/static_call.h"

enum {
    NUM_BUFFERS = 7,  /* of quantize.cl: x, scales, zero points, y, indices, owners, report */
    CLAIM_ITEMS = 64, /* work-items in a group of claim.cl */
};

/* The commands before the kernel. Each starts on the caller's wait list or on another one's event, and the
 * kernel follows on the events of all, so that an out-of-order queue is right too. */
struct chain {
    clq_context *context;
    cl_command_queue queue;
    cl_uint num_wait; /* the caller's */
    const cl_event *wait;
    cl_mem scratch[3];
    cl_event events[4];
    cl_uint num_scratch, num_events;
};

static void release(struct chain *chain)
{
    for (cl_uint i = 0; i < chain->num_events; i++)
        clq__event_release(chain->events[i]);
    for (cl_uint i = 0; i < chain->num_scratch; i++)
        clq__scratch_release(chain->scratch[i]);
}

static clq_status scratch(struct chain *chain, int64_t elements, size_t element_bytes, cl_mem *buffer)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(clq__scratch_create(chain->context, (size_t)elements * element_bytes, buffer));
    chain->scratch[chain->num_scratch++] = *buffer;
end:
    return status;
}

/* The elements of scales or zero points in order, as dense float32; one element is repeated. */
static clq_status widen(struct chain *chain, const struct clq__static_parameter *parameter, int64_t elements,
                        cl_mem *buffer)
{
    clq_status status = CLQ_OK;
    const struct clq__view *view = &parameter->view;
    struct clq__launch launch = {.num_buffers = 2, .args_bytes = sizeof(struct widen_args), .local = 1};
    struct widen_args args = {.x_offset = clq__static_offset(view),
                              .elements = elements,
                              .elements_per_item = 256,
                              .type = (uint32_t)view->type};
    struct clq__fold fold = {0};

    for (int d = view->rank - 1; d >= 0; d--)
        clq__fold_add(&fold, false, view->shape[d], (int64_t[CLQ__FOLD_TENSORS]){view->stride[d]});
    clq__fold_merge(&fold);
    args.dims = (uint32_t)fold.dims;
    for (int d = 0; d < fold.dims; d++)
        args.dim[d] = (struct clq_dim){.size = fold.dim[d].size, .x = fold.dim[d].stride[0]};
    CLQ_TRY(scratch(chain, elements, sizeof(float), buffer));
    clq__variant_begin(&launch.variant, "widen.cl");
    launch.buffers[0] = view->tensor->data;
    launch.buffers[1] = *buffer;
    launch.args = &args;
    launch.groups = (size_t)((elements + args.elements_per_item - 1) / args.elements_per_item);
    CLQ_TRY(clq__launch(chain->context, chain->queue, &launch, chain->num_wait, chain->wait,
                        &chain->events[chain->num_events]));
    chain->num_events++;
end:
    return status;
}

/* The table of last entries: cleared, then claimed. */
static clq_status claim(struct chain *chain, struct clq__static_call *call, cl_mem *owners)
{
    clq_status status = CLQ_OK;
    const struct clq__placement *placement = &call->work->placement;
    const int64_t words = clq__static_owner_words(call);
    struct clq_entries *entries = &call->args.entries;
    struct claim_args args;
    struct clq__launch launch = {
        .num_buffers = 2, .args = &args, .args_bytes = sizeof args, .local = CLAIM_ITEMS};
    const int64_t items = entries->count * entries->length;
    cl_event cleared = NULL;

    if (placement->workspace != NULL) {
        *owners = placement->workspace;
        entries->owner_offset = (int64_t)(placement->workspace_offset_bytes / sizeof(uint32_t));
    } else {
        CLQ_TRY(scratch(chain, words, sizeof(uint32_t), owners));
    }
    CLQ_TRY(clq__clear(chain->queue, *owners, (size_t)entries->owner_offset * sizeof(uint32_t),
                       (size_t)words * sizeof(uint32_t), chain->num_wait, chain->wait, &cleared));
    args.entries = *entries;
    clq__variant_begin(&launch.variant, "claim.cl");
    launch.buffers[0] = placement->indices.tensor->data;
    launch.buffers[1] = *owners;
    launch.groups = (size_t)((items + CLAIM_ITEMS - 1) / CLAIM_ITEMS);
    CLQ_TRY(
        clq__launch(chain->context, chain->queue, &launch, 1, &cleared, &chain->events[chain->num_events]));
    chain->num_events++;
end:
    clq__event_release(cleared);
    return status;
}

static clq_status prepare(struct chain *chain, struct clq__static_call *call)
{
    clq_status status = CLQ_OK;
    const struct clq__static_work *work = call->work;
    const struct clq__static_source *sources[2] = {&call->scale, &call->zero_point};
    const struct clq__placement *placement = &work->placement;
    cl_mem *buffers = call->launch.buffers, any = work->scale.view.tensor->data;

    for (int i = 0; i < 2; i++) {
        const struct clq__view *view = &sources[i]->parameter->view;

        buffers[1 + i] = view->tensor != NULL ? view->tensor->data : any;
        if (sources[i]->widen)
            CLQ_TRY(widen(chain, sources[i]->parameter,
                          placement->kind == CLQ_ENTRY_GROUPS ? view->elements : work->x.shape[work->axis],
                          &buffers[1 + i]));
    }
    buffers[0] = work->x.tensor->data;
    buffers[3] = work->y.elements > 0 ? work->y.tensor->data : any;
    /* an argument that is not read gets a buffer all the same: some drivers refuse a kernel with a NULL one
     */
    buffers[4] = placement->kind != CLQ_ENTRY_NONE ? placement->indices.tensor->data : any;
    buffers[5] = any;
    buffers[6] = placement->report != NULL ? placement->report : any;
    if (clq__static_owner_words(call) > 0)
        CLQ_TRY(claim(chain, call, &buffers[5]));
    call->launch.num_buffers = NUM_BUFFERS;
    call->launch.args = &call->args;
    call->launch.args_bytes = sizeof call->args;
end:
    return status;
}

static clq_status enqueue(struct clq__static_call *call, clq_context *context, cl_command_queue queue,
                          cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    struct chain chain = {.context = context, .queue = queue, .num_wait = num_wait, .wait = wait};

    CLQ_TRY(prepare(&chain, call));
    CLQ_TRY(clq__launch(context, queue, &call->launch, chain.num_events ? chain.num_events : num_wait,
                        chain.num_events ? chain.events : wait, done));
end:
    release(&chain);
    return status;
}

static clq_status build_one(clq_context *context, const char *file, size_t args_bytes, size_t local)
{
    struct clq__launch launch = {.num_buffers = 2, .args_bytes = args_bytes, .local = local};

    clq__variant_begin(&launch.variant, file);
    return clq__launch_build(context, &launch);
}

static clq_status build(struct clq__static_call *call, clq_context *context)
{
    clq_status status = CLQ_OK;

    if (call->scale.widen || call->zero_point.widen)
        CLQ_TRY(build_one(context, "widen.cl", sizeof(struct widen_args), 1));
    if (clq__static_owner_words(call) > 0)
        CLQ_TRY(build_one(context, "claim.cl", sizeof(struct claim_args), CLAIM_ITEMS));
    call->launch.num_buffers = NUM_BUFFERS;
    call->launch.args_bytes = sizeof call->args;
    CLQ_TRY(clq__launch_build(context, &call->launch));
end:
    return status;
}

clq_status clq__static_run(clq_context *context, cl_command_queue queue, const struct clq__static_work *work,
                           bool build_only, cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    struct clq__static_call
        call; /* each step sets its part: clearing two kilobytes would be felt by small calls */

    if (work->x.elements == 0) {
        if (!build_only)
            CLQ_TRY(clq__launch_nothing(queue, num_wait, wait, done));
        goto end;
    }
    clq__static_describe(&call, work);
    clq__variant_end(&call.launch.variant, context);
    clq__static_size(&call.args, &call.launch, clq__traits(context));
    if (build_only) {
        CLQ_TRY(build(&call, context));
        goto end;
    }
    CLQ_TRY(enqueue(&call, context, queue, num_wait, wait, done));
end:
    return status;
}

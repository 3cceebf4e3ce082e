/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/plan.h"

#include "base/error.h"
#include "plan/added/side_buffers.h"
#include "runtime/memory.h"

clq_status clq__plan_check(struct clq__plan *plan, const struct clq__operator *op,
                           const struct clq__names *names, const void *desc)
{
    clq_status status = CLQ_OK;

    plan->op = op;
    clq__checked_init(&plan->checked, names);
    CLQ_TRY(clq__options_check(op, desc));
    CLQ_TRY(op->check(&plan->checked, desc));
end:
    return status;
}

void clq__plan_describe(struct clq__plan *plan)
{
    plan->rounds = 0;
    plan->idle = !plan->op->describe(plan);
}

_Static_assert(offsetof(struct clq__checked_call, names) == 0,
               "0 ends a list of tensors: it must be none of them");

clq_status clq__plan_cut(struct clq__plan *plan, const struct clq__traits *traits)
{
    clq_status status = CLQ_OK;
    const struct clq__checked_call *checked = &plan->checked;

    plan->temporaries.num = 0;
    plan->made = NULL;
    plan->copies = checked->input.tensor != NULL && checked->input.elements > 0;
    if (plan->copies)
        clq__copy_describe(&plan->copy, &checked->y, &checked->input, traits);
    if (!plan->idle) {
        clq__launches_init(&plan->launches, &plan->temporaries);
        plan->num_ahead = 0;
        plan->op->cut(plan, traits);
    }
    CLQ_TRY(clq__temporaries_size(&plan->temporaries, &plan->workspace_bytes));
end:
    return status;
}

/* The order matters: tensors are checked against their buffers before the cut, so that stride * size cannot
 * overflow there. The workspace's size is known only after it. */
clq_status clq__plan_fit(struct clq__plan *plan, const clq_context *context)
{
    clq_status status = CLQ_OK;
    const struct clq__operator *op = plan->op;
    const struct clq__traits traits = clq__traits(context);
    const unsigned char *checked = (const unsigned char *)&plan->checked;
    const struct clq__view *tensors[CLQ__MOST_TENSORS];
    int count = 0;

    for (; count < CLQ__MOST_TENSORS && op->tensors[count] != 0; count++)
        tensors[count] = (const void *)(checked + op->tensors[count]);
    CLQ_TRY(clq__memory_check_all(context, tensors, op->outputs, count,
                                  op->may_be_in_place ? &plan->checked.in_place : NULL));
    clq__plan_describe(plan);
    CLQ_TRY(clq__plan_cut(plan, &traits));
    CLQ_TRY(
        clq__side_buffers_check(context, &plan->checked.placement, plan->workspace_bytes, tensors, count));
end:
    return status;
}

void clq__plan_place(struct clq__plan *plan)
{
    const struct clq__beside *workspace = &plan->checked.placement.workspace;

    clq__temporaries_place(&plan->temporaries, workspace->buffer != NULL ? workspace->offset_bytes : 0);
    clq__temporaries_set(&plan->temporaries, workspace->buffer);
}

clq_status clq__plan_make(struct clq__plan *plan, const clq_context *context, const struct clq__operator *op,
                          const struct clq__names *names, const void *desc)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(clq__plan_check(plan, op, names, desc));
    CLQ_TRY(clq__plan_fit(plan, context));
    clq__plan_place(plan);
    CLQ_TRY(clq__rounds_check(context, plan->rounds, plan->checked.x.name));
end:
    return status;
}

clq_status clq__plan_make_temporaries(const struct clq__plan *plan, clq_context *context, cl_mem *made)
{
    clq_status status = CLQ_OK;

    if (plan->temporaries.num == 0 || plan->checked.placement.workspace.buffer != NULL)
        goto end;
    CLQ_TRY(clq__scratch_create(context, plan->workspace_bytes, made));
    clq__temporaries_set(&plan->temporaries, *made);
end:
    return status;
}

/* If that fails, nothing was enqueued. */
static bool is_one_command(const struct clq__plan *plan)
{
    return !plan->copies && plan->num_ahead == 0 && plan->launches.num_before == 0 &&
           plan->launches.num_kernels == 1;
}

clq_status clq__plan_prepare(struct clq__plan *plan, clq_context *context)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(clq__plan_make_temporaries(plan, context, &plan->made));
    if (plan->copies && plan->copy.bytes == 0)
        CLQ_TRY(clq__launch_ready(context, &plan->copy.launch));
    if (plan->idle || is_one_command(plan))
        goto end;
    CLQ_TRY(clq__launches_prepare(&plan->launches, context));
    for (unsigned i = 0; i < plan->num_ahead; i++)
        CLQ_TRY(clq__launches_prepare(&plan->ahead[i], context));
end:
    return status;
}

void clq__plan_release(struct clq__plan *plan)
{
    clq__scratch_release(plan->made);
    plan->made = NULL;
}

/* Enqueues the launches ahead, one after the other, and then the call's own. */
static clq_status enqueue_all(struct clq__plan *plan, clq_context *context, cl_command_queue queue,
                              cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    cl_event before = NULL, now = NULL;

    for (unsigned i = 0; i < plan->num_ahead; i++) {
        CLQ_TRY(clq__launches_enqueue(&plan->ahead[i], context, queue, num_wait, wait, &now));
        clq__event_release(before);
        before = now;
        now = NULL;
        num_wait = 1;
        wait = &before;
    }
    CLQ_TRY(clq__launches_enqueue(&plan->launches, context, queue, num_wait, wait, done));
end:
    clq__event_release(before);
    return status;
}

clq_status clq__plan_enqueue(struct clq__plan *plan, clq_context *context, cl_command_queue queue,
                             cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    cl_event copied = NULL;

    if (plan->copies) {
        CLQ_TRY(clq__copy_enqueue(&plan->copy, context, queue, num_wait, wait, &copied));
        num_wait = 1;
        wait = &copied;
    }
    if (plan->idle)
        CLQ_TRY(clq__launch_nothing(queue, num_wait, wait, done));
    else
        CLQ_TRY(enqueue_all(plan, context, queue, num_wait, wait, done));
end:
    clq__event_release(copied);
    return status;
}

clq_status clq__plan_build(const struct clq__plan *plan, clq_context *context)
{
    clq_status status = CLQ_OK;

    if (plan->copies)
        CLQ_TRY(clq__copy_build(&plan->copy, context));
    for (unsigned i = 0; !plan->idle && i < plan->num_ahead; i++)
        CLQ_TRY(clq__launches_build(&plan->ahead[i], context));
    if (!plan->idle)
        CLQ_TRY(clq__launches_build(&plan->launches, context));
end:
    return status;
}

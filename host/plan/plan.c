/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/plan.h"

#include "base/error.h"
#include "runtime/memory.h"

clq_status clq__plan_check(struct clq__plan *plan, const struct clq__operator *op,
                           const struct clq__names *names, const void *desc)
{
    plan->op = op;
    clq__work_init(&plan->work, names);
    return op->check(&plan->work, desc);
}

void clq__plan_describe(struct clq__plan *plan)
{
    plan->owner_words = plan->rounds = 0;
    plan->idle = !plan->op->describe(plan);
}

_Static_assert(offsetof(struct clq__work, names) == 0, "0 ends a list of tensors: it must be none of them");

/* How much workspace is needed shows only once the call is described. */
clq_status clq__plan_check_memory(const struct clq__plan *plan, const clq_context *context)
{
    clq_status status = CLQ_OK;
    const struct clq__operator *op = plan->op;
    const unsigned char *work = (const unsigned char *)&plan->work;
    const struct clq__view *tensors[CLQ__MOST_TENSORS];
    int count = 0;

    for (; count < CLQ__MOST_TENSORS && op->tensors[count] != 0; count++)
        tensors[count] = (const void *)(work + op->tensors[count]);
    CLQ_TRY(clq__memory_check_all(context, tensors, op->outputs, count));
    if (op->check_sides != NULL)
        CLQ_TRY(op->check_sides(context, &plan->work, plan->owner_words));
end:
    return status;
}

void clq__plan_cut(struct clq__plan *plan, const struct clq__traits *traits)
{
    const struct clq__work *work = &plan->work;

    plan->copies = work->input.tensor != NULL && work->input.elements > 0;
    if (plan->copies)
        clq__copy_describe(&plan->copy, &work->y, &work->input, traits);
    if (plan->idle)
        return;
    clq__launches_init(&plan->launches);
    plan->num_ahead = plan->values.num_places = 0;
    plan->made = NULL;
    plan->op->cut(plan, traits);
}

clq_status clq__plan_make(struct clq__plan *plan, const clq_context *context, const struct clq__operator *op,
                          const struct clq__names *names, const void *desc)
{
    clq_status status = CLQ_OK;
    const struct clq__traits traits = clq__traits(context);

    CLQ_TRY(clq__plan_check(plan, op, names, desc));
    clq__plan_describe(plan);
    CLQ_TRY(clq__plan_check_memory(plan, context));
    clq__plan_cut(plan, &traits);
    CLQ_TRY(clq__rounds_check(context, plan->rounds, plan->work.x.name));
end:
    return status;
}

clq_status clq__plan_prepare(struct clq__plan *plan, clq_context *context)
{
    clq_status status = CLQ_OK;
    const bool several = plan->num_ahead > 0 || plan->launches.num_kernels > 1;

    if (plan->idle)
        goto end;
    if (plan->values.num_places > 0)
        CLQ_TRY(clq__scratch_make(context, &plan->values, &plan->made));
    CLQ_TRY(clq__launches_prepare(&plan->launches, context, several));
    for (unsigned i = 0; i < plan->num_ahead; i++)
        CLQ_TRY(clq__launches_prepare(&plan->ahead[i], context, several));
end:
    return status;
}

void clq__plan_release(struct clq__plan *plan)
{
    if (plan->idle)
        return;
    clq__launches_release(&plan->launches);
    for (unsigned i = 0; i < plan->num_ahead; i++)
        clq__launches_release(&plan->ahead[i]);
    clq__scratch_release(plan->made);
    plan->made = NULL;
}

/* What is ahead, one after the other, and then the call's own. */
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

/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/operator.h"

#include "base/error.h"
#include "plan/check_indices.h"
#include "runtime/memory.h"

static clq_status check_desc(const void *desc)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE(desc != NULL, CLQ_ERROR_NULL, "desc is NULL: it must be a descriptor");
end:
    return status;
}

/* Once. */
static clq_status run(clq_context *context, cl_command_queue queue, const struct clq__operator *op,
                      const struct clq__names *names, const void *desc, cl_uint num_wait,
                      const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    struct clq__plan plan;

    CLQ_TRY(clq__plan_make(&plan, context, op, names, desc));
    status = clq__plan_prepare(&plan, context);
    if (status == CLQ_OK)
        status = clq__plan_enqueue(&plan, context, queue, num_wait, wait, done);
    clq__plan_release(&plan);
end:
    return status;
}

/* A kernel that was built just now may take smaller groups than the call was cut for. Nothing was enqueued
 * then, and the limit has fallen: it is cut again. */
clq_status clq__operator_run(clq_context *context, cl_command_queue queue, const struct clq__operator *op,
                             const struct clq__names *names, const void *desc, cl_uint num_wait,
                             const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    size_t limit;

    CLQ_TRY(clq__call_check(context, queue, false, num_wait, wait));
    CLQ_TRY(check_desc(desc));
    do {
        limit = clq__group_limit(context);
        status = run(context, queue, op, names, desc, num_wait, wait, done);
    } while (clq__is_to_cut_again(context, status, limit));
end:
    return status;
}

static clq_status enqueue_both(struct clq__plan plans[2], clq_context *context, cl_command_queue queue,
                               cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    cl_event first = NULL;

    for (int i = 0; i < 2; i++)
        CLQ_TRY(clq__plan_build(&plans[i], context));
    for (int i = 0; i < 2; i++)
        CLQ_TRY(clq__plan_prepare(&plans[i], context));
    CLQ_TRY(clq__plan_enqueue(&plans[0], context, queue, num_wait, wait, &first));
    CLQ_TRY(clq__plan_enqueue(&plans[1], context, queue, 1, &first, done));
end:
    clq__event_release(first);
    return status;
}

/* The first call's output is written before the second one reads, and what it wrote must stay: but where both
 * write one and the same tensor. */
static clq_status check_disjoint(const clq_context *context, const struct clq__plan plans[2])
{
    clq_status status = CLQ_OK;
    const struct clq__view *out = &plans[0].checked.y, *other = &plans[1].checked.y;
    const bool same = out->tensor->data == other->tensor->data &&
                      out->tensor->byte_offset == other->tensor->byte_offset &&
                      out->extent_bytes == other->extent_bytes;
    const struct clq__view *const read[] = {out, &plans[1].checked.x}, *const written[] = {out, other};

    CLQ_TRY(clq__memory_check_all(context, read, 1, 2, NULL));
    if (!same)
        CLQ_TRY(clq__memory_check_all(context, written, 2, 2, NULL));
end:
    return status;
}

static clq_status run_both(clq_context *context, cl_command_queue queue, const struct clq__operator *op,
                           const struct clq__call calls[2], cl_uint num_wait, const cl_event *wait,
                           cl_event *done)
{
    clq_status status = CLQ_OK;
    struct clq__plan plans[2];

    for (int i = 0; i < 2; i++)
        CLQ_TRY(clq__plan_make(&plans[i], context, op, calls[i].names, calls[i].desc));
    status = check_disjoint(context, plans);
    if (status == CLQ_OK)
        status = enqueue_both(plans, context, queue, num_wait, wait, done);
    for (int i = 0; i < 2; i++)
        clq__plan_release(&plans[i]);
end:
    return status;
}

clq_status clq__operator_run_both(clq_context *context, cl_command_queue queue,
                                  const struct clq__operator *op, const struct clq__call calls[2],
                                  cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    size_t limit;

    CLQ_TRY(clq__call_check(context, queue, false, num_wait, wait));
    do {
        limit = clq__group_limit(context);
        status = run_both(context, queue, op, calls, num_wait, wait, done);
    } while (clq__is_to_cut_again(context, status, limit));
end:
    return status;
}

static clq_status build(clq_context *context, const struct clq__operator *op, const struct clq__names *names,
                        const void *desc)
{
    clq_status status = CLQ_OK;
    struct clq__plan plan;

    CLQ_TRY(clq__plan_make(&plan, context, op, names, desc));
    CLQ_TRY(clq__plan_build(&plan, context));
end:
    return status;
}

clq_status clq__operator_build(clq_context *context, const struct clq__operator *op,
                               const struct clq__names *names, const void *desc)
{
    clq_status status = CLQ_OK;
    size_t limit;

    CLQ_TRY(clq__call_check(context, NULL, true, 0, NULL));
    CLQ_TRY(check_desc(desc));
    do {
        limit = clq__group_limit(context);
        status = build(context, op, names, desc);
    } while (clq__is_to_cut_again(context, status, limit));
end:
    return status;
}

clq_status clq__operator_check(const struct clq__operator *op, const struct clq__names *names,
                               const void *desc)
{
    clq_status status = CLQ_OK;
    struct clq__plan plan;

    CLQ_TRY(check_desc(desc));
    CLQ_TRY(clq__plan_check(&plan, op, names, desc));
end:
    return status;
}

clq_status clq__operator_workspace(clq_context *context, const struct clq__operator *op,
                                   const struct clq__names *names, const void *desc, size_t *size_bytes)
{
    clq_status status = CLQ_OK;
    struct clq__plan plan;

    CLQ_REQUIRE(size_bytes != NULL, CLQ_ERROR_NULL, "size_bytes is NULL: it must point to a size_t");
    *size_bytes = 0;
    CLQ_REQUIRE(context != NULL, CLQ_ERROR_NULL, "context is NULL: it must be a context");
    CLQ_TRY(check_desc(desc));
    CLQ_TRY(clq__plan_check(&plan, op, names, desc));
    plan.checked.placement.workspace.buffer = NULL; /* it is what is asked for */
    CLQ_TRY(clq__plan_fit(&plan, context));
    *size_bytes = plan.workspace_bytes;
end:
    return status;
}

clq_status clq__operator_check_indices(clq_context *context, cl_command_queue queue,
                                       const struct clq__operator *op, const struct clq__names *names,
                                       const void *desc, cl_uint num_wait, const cl_event *wait)
{
    clq_status status = CLQ_OK;
    struct clq__plan plan;

    CLQ_TRY(clq__call_check(context, queue, false, num_wait, wait));
    CLQ_TRY(check_desc(desc));
    CLQ_TRY(clq__plan_check(&plan, op, names, desc));
    CLQ_TRY(clq__plan_fit(&plan, context));
    CLQ_TRY(clq__indices_check(queue, &plan.checked, num_wait, wait));
end:
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Plans that are enqueued and recorded: one, or a list of them. */
#include "plan/kept.h"

#include "base/error.h"
#include "runtime/recorder.h"

enum { MOST_ENDS = 16 };

static clq_status check_list(size_t num, const struct clq_plan_call *calls)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE(num > 0, CLQ_ERROR_VALUE, "num_calls is 0: it must be at least 1");
    CLQ_REQUIRE(calls != NULL, CLQ_ERROR_NULL, "calls is NULL: it must be a list of %zu", num);
    for (size_t i = 0; i < num; i++) {
        CLQ_REQUIRE(calls[i].plan != NULL, CLQ_ERROR_NULL, "calls[%zu].plan is NULL: it must be a plan", i);
        CLQ_REQUIRE(calls[i].plan->context == calls[0].plan->context, CLQ_ERROR_VALUE,
                    "calls[%zu].plan is of the context %p: it must be of that of calls[0].plan, %p", i,
                    (void *)calls[i].plan->context, (void *)calls[0].plan->context);
    }
end:
    return status;
}

/* Bound, and with all that may fail but to enqueue it. */
static clq_status take(const struct clq_plan_call *call, bool enqueues)
{
    clq_status status = CLQ_OK;
    clq_plan *plan = call->plan;

    CLQ_REQUIRE(!plan->is_taken, CLQ_ERROR_VALUE,
                "plan is that of another one of calls: it must stand there once");
    CLQ_TRY(clq__plan_bind(plan, call->num_bindings, call->bindings));
    if (enqueues)
        status = clq__plan_take(plan);
    plan->is_taken = status == CLQ_OK;
    if (status != CLQ_OK)
        clq__plan_unbind(plan);
end:
    return status;
}

/* The plan that was taken last is given back first. */
static void give_all(size_t num, const struct clq_plan_call *calls, bool unbinds)
{
    while (num > 0) {
        clq_plan *plan = calls[--num].plan;

        clq__plan_give(plan);
        if (unbinds)
            clq__plan_unbind(plan);
    }
}

/* All of them, or none. */
static clq_status take_all(size_t num, const struct clq_plan_call *calls, bool enqueues)
{
    clq_status status = CLQ_OK;

    for (size_t i = 0; i < num; i++) {
        status = take(&calls[i], enqueues);
        if (status == CLQ_OK)
            continue;
        give_all(i, calls, true);
        return clq__error_within(status, "calls", i);
    }
    return status;
}

/* The events of calls that run in any order, and of those there was no more room for, one of them all. */
struct ends {
    cl_event events[MOST_ENDS];
    cl_uint num;
};

static void release_ends(struct ends *ends)
{
    while (ends->num > 0)
        clq__event_release(ends->events[--ends->num]);
}

static clq_status join_ends(struct ends *ends, cl_command_queue queue)
{
    clq_status status = CLQ_OK;
    cl_event all = NULL;

    CLQ_TRY(clq__launch_nothing(queue, ends->num, ends->events, &all));
    release_ends(ends);
    ends->events[ends->num++] = all;
end:
    return status;
}

static clq_status enqueue_one(const struct clq_plan_call *call, cl_command_queue queue, cl_uint num_wait,
                              const cl_event *wait, cl_event *done)
{
    return clq__plan_enqueue(&call->plan->call, call->plan->context, queue, num_wait, wait, done);
}

static clq_status refuse(clq_status status, size_t number)
{
    clq__error_within(status, "calls", number);
    return number > 0 ? clq__error_and(status, "; those before it were enqueued") : status;
}

/* Each waits for the one before it: the first one alone for the list, and the last one alone has an event. */
static clq_status enqueue_in_order(size_t num, const struct clq_plan_call *calls, cl_command_queue queue,
                                   cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    for (size_t i = 0; i < num; i++) {
        const bool first = i == 0, last = i + 1 == num;
        const clq_status status =
            enqueue_one(&calls[i], queue, first ? num_wait : 0, first ? wait : NULL, last ? done : NULL);

        if (status != CLQ_OK)
            return refuse(status, i);
    }
    return CLQ_OK;
}

static clq_status enqueue_gathered(size_t num, const struct clq_plan_call *calls, cl_command_queue queue,
                                   cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    struct ends ends = {.num = 0};

    for (size_t i = 0; i < num; i++) {
        if (done != NULL && ends.num == MOST_ENDS)
            CLQ_TRY(join_ends(&ends, queue));
        status = enqueue_one(&calls[i], queue, num_wait, wait, done != NULL ? &ends.events[ends.num] : NULL);
        if (status != CLQ_OK) {
            status = refuse(status, i);
            goto end;
        }
        ends.num += done != NULL;
    }
    if (done != NULL)
        status = clq__launch_nothing(queue, ends.num, ends.events, done);
    if (status != CLQ_OK)
        clq__error_and(status, "; all calls were enqueued");
end:
    release_ends(&ends);
    return status;
}

clq_status clq_plan_enqueue_all(cl_command_queue queue, size_t num_calls, const struct clq_plan_call *calls,
                                cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    bool in_order = true;

    CLQ_TRY(check_list(num_calls, calls));
    CLQ_TRY(clq__call_check(calls[0].plan->context, queue, false, num_wait, wait));
    if (num_wait > 0 || done != NULL)
        CLQ_TRY(clq__queue_in_order(queue, &in_order));
    CLQ_TRY(take_all(num_calls, calls, true));
    status = in_order ? enqueue_in_order(num_calls, calls, queue, num_wait, wait, done)
                      : enqueue_gathered(num_calls, calls, queue, num_wait, wait, done);
    give_all(num_calls, calls, false);
end:
    return status;
}

clq_status clq_plan_enqueue(clq_plan *plan, cl_command_queue queue, size_t num_bindings,
                            const struct clq_binding *bindings, cl_uint num_wait, const cl_event *wait,
                            cl_event *done)
{
    clq_status status = CLQ_OK;
    const struct clq_plan_call call = {plan, num_bindings, bindings};

    CLQ_REQUIRE(plan != NULL, CLQ_ERROR_NULL, "plan is NULL: it must be a plan");
    CLQ_TRY(clq__call_check(plan->context, queue, false, num_wait, wait));
    CLQ_TRY(take(&call, true));
    status = enqueue_one(&call, queue, num_wait, wait, done);
    clq__plan_give(plan);
end:
    return status;
}

static clq_status check_record(struct _cl_command_buffer_khr *command_buffer, cl_uint num_wait,
                               const cl_uint *wait)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE(command_buffer != NULL, CLQ_ERROR_NULL,
                "command_buffer is NULL: it must be a command buffer");
    CLQ_REQUIRE((num_wait == 0) == (wait == NULL), CLQ_ERROR_NULL,
                "num_wait is %u and wait is %s: there must be a list where it has a length",
                (unsigned)num_wait, wait == NULL ? "NULL" : "not NULL");
end:
    return status;
}

/* The sync point of each that is a command. */
static clq_status record_each(size_t num, const struct clq_plan_call *calls, struct clq__recorder *recorder,
                              cl_uint *points, cl_uint *num_points)
{
    for (size_t i = 0; i < num; i++) {
        clq_plan *plan = calls[i].plan;
        const clq_status status = clq__record_make(&plan->records, recorder, plan->context, &plan->call);

        if (status != CLQ_OK && num > 1)
            return clq__error_within(status, "calls", i);
        if (status != CLQ_OK)
            return status;
        if (recorder->commands > 0)
            points[(*num_points)++] = recorder->last;
    }
    return CLQ_OK;
}

static clq_status record_all(size_t num, const struct clq_plan_call *calls,
                             struct _cl_command_buffer_khr *command_buffer, cl_uint num_wait,
                             const cl_uint *wait, cl_uint *done)
{
    clq_status status = CLQ_OK;
    struct clq__recorder recorder;
    cl_uint *points = NULL, num_points = 0;

    CLQ_TRY(clq__recorder_init(&recorder, calls[0].plan->context, command_buffer, num_wait, wait));
    points = calloc(num, sizeof *points);
    CLQ_REQUIRE(points != NULL, CLQ_ERROR_MEMORY, "malloc of %zu sync points failed", num);
    CLQ_TRY(record_each(num, calls, &recorder, points, &num_points));
    CLQ_REQUIRE(done == NULL || num_points > 0, CLQ_ERROR_VALUE,
                "done is not NULL: it must be NULL for a plan that has nothing to do, which is no command");
    if (done != NULL && num_points == 1)
        *done = points[0];
    else if (done != NULL)
        CLQ_TRY(clq__record_barrier(&recorder, num_points, points, done));
end:
    free(points);
    return status;
}

clq_status clq_plan_record(clq_plan *plan, struct _cl_command_buffer_khr *command_buffer, size_t num_bindings,
                           const struct clq_binding *bindings, cl_uint num_wait, const cl_uint *wait,
                           cl_uint *done)
{
    clq_status status = CLQ_OK;
    const struct clq_plan_call call = {plan, num_bindings, bindings};

    CLQ_REQUIRE(plan != NULL, CLQ_ERROR_NULL, "plan is NULL: it must be a plan");
    CLQ_TRY(check_record(command_buffer, num_wait, wait));
    CLQ_TRY(clq__plan_bind(plan, num_bindings, bindings));
    CLQ_TRY(record_all(1, &call, command_buffer, num_wait, wait, done));
end:
    return status;
}

clq_status clq_plan_record_all(struct _cl_command_buffer_khr *command_buffer, size_t num_calls,
                               const struct clq_plan_call *calls, cl_uint num_wait, const cl_uint *wait,
                               cl_uint *done)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(check_list(num_calls, calls));
    CLQ_TRY(check_record(command_buffer, num_wait, wait));
    CLQ_TRY(take_all(num_calls, calls, false));
    status = record_all(num_calls, calls, command_buffer, num_wait, wait, done);
    give_all(num_calls, calls, false);
end:
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Events: the user's, and waiting. */
#include "queue.h"

static cl_event CL_API_CALL create_user(cl_context context, cl_int *code)
{
    cl_event event = NULL;
    cl_int made = CL_INVALID_CONTEXT;

    stub_lock();
    if (stub_is(context, STUB_CONTEXT)) {
        event = stub_new(STUB_EVENT, sizeof *event);
        event->context = stub_hold(context);
        event->type = CL_COMMAND_USER;
        event->status = CL_SUBMITTED;
        made = CL_SUCCESS;
    }
    return stub_unlock_made(event, made, code);
}

void stub_end_event(cl_event event)
{
    stub_drop(event->queue);
    stub_drop(event->context);
}

/* What was flushed already goes on at once. */
static cl_int set_status(cl_event event, cl_int status)
{
    if (!stub_is(event, STUB_EVENT) || event->queue != NULL)
        return CL_INVALID_EVENT;
    if (status > CL_COMPLETE)
        return CL_INVALID_VALUE;
    if (event->status <= CL_COMPLETE)
        return CL_INVALID_OPERATION;
    stub_event_end(event, status);
    while (stub_run_one())
        ;
    stub_announce_change();
    return CL_SUCCESS;
}

static cl_int CL_API_CALL set_user_status(cl_event event, cl_int status)
{
    stub_lock();
    return stub_unlock(set_status(event, status));
}

static cl_int wait_for(cl_uint count, const cl_event *events)
{
    cl_int code = CL_SUCCESS;

    if (count == 0 || events == NULL)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++) {
        if (!stub_is(events[i], STUB_EVENT))
            return CL_INVALID_EVENT;
        if (events[i]->context != events[0]->context)
            return CL_INVALID_CONTEXT;
    }
    for (cl_uint i = 0; i < count; i++) {
        stub_wait(events[i]);
        if (events[i]->status < 0)
            code = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    }
    return code;
}

static cl_int CL_API_CALL wait_for_events(cl_uint count, const cl_event *events)
{
    stub_lock();
    return stub_unlock(wait_for(count, events));
}

static cl_int answer(cl_event event, cl_event_info what, size_t size, void *value, size_t *size_ret)
{
    if (!stub_is(event, STUB_EVENT))
        return CL_INVALID_EVENT;
    switch (what) {
    case CL_EVENT_COMMAND_QUEUE:
        return STUB_ANSWER(cl_command_queue, event->queue);
    case CL_EVENT_CONTEXT:
        return STUB_ANSWER(cl_context, event->context);
    case CL_EVENT_COMMAND_TYPE:
        return STUB_ANSWER(cl_command_type, event->type);
    case CL_EVENT_COMMAND_EXECUTION_STATUS:
        return STUB_ANSWER(cl_int, event->status);
    case CL_EVENT_REFERENCE_COUNT:
        return STUB_ANSWER(cl_uint, (cl_uint)event->object.references);
    default:
        return CL_INVALID_VALUE;
    }
}

static cl_int CL_API_CALL info(cl_event event, cl_event_info what, size_t size, void *value, size_t *size_ret)
{
    stub_lock();
    return stub_unlock(answer(event, what, size, value, size_ret));
}

static cl_int CL_API_CALL retain(cl_event event)
{
    stub_lock();
    return stub_unlock(stub_retain(event, STUB_EVENT, CL_INVALID_EVENT));
}

/* Commands that wait for a user's event can never run once nobody can set its status. */
static cl_int CL_API_CALL release(cl_event event)
{
    stub_lock();
    if (stub_is(event, STUB_EVENT))
        stub_counts.abandoned_events += event->queue == NULL && event->status > CL_COMPLETE &&
                                        event->object.references == 1 && event->object.uses > 0;
    return stub_unlock(stub_release(event, STUB_EVENT, CL_INVALID_EVENT));
}

void stub_place_events(cl_icd_dispatch *table)
{
    table->clCreateUserEvent = create_user;
    table->clSetUserEventStatus = set_user_status;
    table->clWaitForEvents = wait_for_events;
    table->clGetEventInfo = info;
    table->clRetainEvent = retain;
    table->clReleaseEvent = release;
}

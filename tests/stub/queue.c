/* SPDX-License-Identifier: Apache-2.0 */
/* Queues: what they take. */
#include "queue.h"

#include <stddef.h>

cl_command_queue stub_queues;

cl_int stub_enqueue_check(cl_command_queue queue, cl_uint num_wait, const cl_event *wait)
{
    if (!stub_is(queue, STUB_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if ((num_wait > 0) != (wait != NULL))
        return CL_INVALID_EVENT_WAIT_LIST;
    for (cl_uint i = 0; i < num_wait; i++) {
        if (!stub_is(wait[i], STUB_EVENT))
            return CL_INVALID_EVENT_WAIT_LIST;
        if (wait[i]->context != queue->context)
            return CL_INVALID_CONTEXT;
    }
    return CL_SUCCESS;
}

static cl_command_queue CL_API_CALL create(cl_context context, cl_device_id device,
                                           cl_command_queue_properties properties, cl_int *code)
{
    cl_command_queue queue = NULL;
    cl_int made = CL_SUCCESS;

    stub_lock();
    if (!stub_is(context, STUB_CONTEXT))
        made = CL_INVALID_CONTEXT;
    else if (!stub_has_device(context, device))
        made = CL_INVALID_DEVICE;
    else if (properties & ~(cl_command_queue_properties)(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE |
                                                         CL_QUEUE_PROFILING_ENABLE))
        made = CL_INVALID_VALUE;
    else if (properties & CL_QUEUE_PROFILING_ENABLE ||
             (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE && !device->unordered))
        made = CL_INVALID_QUEUE_PROPERTIES;
    if (made == CL_SUCCESS) {
        queue = stub_new(STUB_QUEUE, sizeof *queue);
        queue->context = stub_hold(context);
        queue->device = device;
        queue->properties = properties;
        queue->next = stub_queues;
        stub_queues = queue;
    }
    return stub_unlock_made(queue, made, code);
}

void stub_end_queue(cl_command_queue queue)
{
    cl_command_queue *at = &stub_queues;

    while (*at != queue)
        at = &(*at)->next;
    *at = queue->next;
    stub_drop(queue->context);
}

static cl_int answer(cl_command_queue queue, cl_command_queue_info what, size_t size, void *value,
                     size_t *size_ret)
{
    if (!stub_is(queue, STUB_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    switch (what) {
    case CL_QUEUE_CONTEXT:
        return STUB_ANSWER(cl_context, queue->context);
    case CL_QUEUE_DEVICE:
        return STUB_ANSWER(cl_device_id, queue->device);
    case CL_QUEUE_REFERENCE_COUNT:
        return STUB_ANSWER(cl_uint, (cl_uint)queue->object.references);
    case CL_QUEUE_PROPERTIES:
        return STUB_ANSWER(cl_command_queue_properties, queue->properties);
    default:
        return CL_INVALID_VALUE;
    }
}

static cl_int CL_API_CALL info(cl_command_queue queue, cl_command_queue_info what, size_t size, void *value,
                               size_t *size_ret)
{
    stub_lock();
    return stub_unlock(answer(queue, what, size, value, size_ret));
}

static cl_int CL_API_CALL retain(cl_command_queue queue)
{
    stub_lock();
    return stub_unlock(stub_retain(queue, STUB_QUEUE, CL_INVALID_COMMAND_QUEUE));
}

static cl_int flush(cl_command_queue queue)
{
    if (!stub_is(queue, STUB_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    stub_submit(queue);
    while (stub_run_one())
        ;
    return CL_SUCCESS;
}

/* A release flushes. */
static cl_int CL_API_CALL release(cl_command_queue queue)
{
    cl_int code;

    stub_lock();
    stub_hold(queue);
    code = flush(queue);
    if (code == CL_SUCCESS)
        code = stub_release(queue, STUB_QUEUE, CL_INVALID_COMMAND_QUEUE);
    stub_drop(queue);
    return stub_unlock(code);
}

static cl_int CL_API_CALL flush_queue(cl_command_queue queue)
{
    stub_lock();
    return stub_unlock(flush(queue));
}

static cl_int CL_API_CALL finish(cl_command_queue queue)
{
    cl_int code = CL_INVALID_COMMAND_QUEUE;

    stub_lock();
    if (stub_is(queue, STUB_QUEUE)) {
        stub_finish(queue);
        code = CL_SUCCESS;
    }
    return stub_unlock(code);
}

static cl_int enqueue_marker(cl_command_queue queue, cl_command_type type, cl_uint num_wait,
                             const cl_event *wait, cl_event *event)
{
    const cl_int code = stub_enqueue_check(queue, num_wait, wait);
    struct stub_command *command;

    if (code != CL_SUCCESS)
        return code;
    command = stub_command_new(queue, type, num_wait, wait);
    command->behind_all = num_wait == 0;
    command->barrier = type == CL_COMMAND_BARRIER;
    return stub_enqueue(command, false, event);
}

static cl_int CL_API_CALL marker(cl_command_queue queue, cl_uint num_wait, const cl_event *wait,
                                 cl_event *event)
{
    stub_lock();
    return stub_unlock(enqueue_marker(queue, CL_COMMAND_MARKER, num_wait, wait, event));
}

static cl_int CL_API_CALL barrier(cl_command_queue queue, cl_uint num_wait, const cl_event *wait,
                                  cl_event *event)
{
    stub_lock();
    return stub_unlock(enqueue_marker(queue, CL_COMMAND_BARRIER, num_wait, wait, event));
}

void stub_place_queues(cl_icd_dispatch *table)
{
    table->clCreateCommandQueue = create;
    table->clRetainCommandQueue = retain;
    table->clReleaseCommandQueue = release;
    table->clGetCommandQueueInfo = info;
    table->clFlush = flush_queue;
    table->clFinish = finish;
    table->clEnqueueMarkerWithWaitList = marker;
    table->clEnqueueBarrierWithWaitList = barrier;
}

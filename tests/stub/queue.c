/* SPDX-License-Identifier: Apache-2.0 */
/* Queues: what they take, and which of their commands runs next. */
#include "kernel.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static cl_command_queue queues; /* all that have not ended */

static bool is_ordered(cl_command_queue queue)
{
    return !(queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

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

struct stub_command *stub_command_new(cl_command_queue queue, cl_command_type type, cl_uint num_wait,
                                      const cl_event *wait)
{
    struct stub_command *const command = stub_allocate(sizeof *command);

    command->queue = stub_hold(queue);
    command->event = stub_new(STUB_EVENT, sizeof *command->event);
    command->event->context = stub_hold(queue->context);
    command->event->queue = stub_hold(queue);
    command->event->type = type;
    command->event->status = CL_QUEUED;
    command->event->command = command;
    stub_hold(command->event);
    command->num_wait = num_wait;
    command->wait = stub_allocate(num_wait * sizeof *wait);
    for (cl_uint i = 0; i < num_wait; i++)
        command->wait[i] = stub_hold(wait[i]);
    return command;
}

void stub_command_free(struct stub_command *command)
{
    for (cl_uint i = 0; i < command->num_wait; i++)
        stub_drop(command->wait[i]);
    free(command->wait);
    if (command->event->type == CL_COMMAND_UNMAP_MEM_OBJECT)
        stub_mapping_free(command->mapping);
    stub_launch_drop(command->launch);
    stub_drop(command->src);
    stub_drop(command->dst);
    stub_drop(command->event);
    stub_drop(command->queue);
    free(command);
}

cl_int stub_enqueue(struct stub_command *command, bool blocks, cl_event *event)
{
    struct stub_command **last = &command->queue->first;
    const cl_event made = command->event;
    cl_int code = CL_SUCCESS;

    while (*last != NULL)
        last = &(*last)->next;
    *last = command;
    stub_counts.pending++;
    if (blocks) {
        stub_wait(made);
        code = made->status < 0 ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS;
    }
    if (event != NULL && code == CL_SUCCESS)
        *event = made;
    else
        stub_release(made, STUB_EVENT, CL_INVALID_EVENT);
    return code;
}

/* Whether all of it is over; *failed: one of them with an error. */
static bool wait_list_is_over(const struct stub_command *command, bool *failed)
{
    *failed = false;
    for (cl_uint i = 0; i < command->num_wait; i++) {
        if (command->wait[i]->status > CL_COMPLETE)
            return false;
        *failed = *failed || command->wait[i]->status < 0;
    }
    return true;
}

static bool may_run(const struct stub_command *command)
{
    bool failed;

    if (!command->submitted || command->running || !wait_list_is_over(command, &failed))
        return false;
    return (!is_ordered(command->queue) && !command->behind_all) || command == command->queue->first;
}

static uint64_t next_random(void)
{
    static uint64_t state;

    if (state == 0)
        state = strtoull(getenv("CLQ_STUB_SEED"), NULL, 0) * 2 + 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return state >> 33;
}

/* The last one of those that may run; by chance, each of them with the same probability. */
static struct stub_command *choose(void)
{
    const bool by_chance = getenv("CLQ_STUB_SEED") != NULL;
    struct stub_command *chosen = NULL;
    uint64_t count = 0;

    for (cl_command_queue queue = queues; queue != NULL; queue = queue->next)
        for (struct stub_command *command = queue->first; command != NULL; command = command->next) {
            if (may_run(command) && (!by_chance || next_random() % ++count == 0))
                chosen = command;
            if (is_ordered(queue) || command->barrier)
                break; /* nothing that stands behind it may run */
        }
    return chosen;
}

static void remove_command(struct stub_command *command)
{
    struct stub_command **at = &command->queue->first;

    while (*at != command)
        at = &(*at)->next;
    *at = command->next;
}

bool stub_run_one(void)
{
    struct stub_command *const command = choose();
    bool failed;

    if (command == NULL)
        return false;
    wait_list_is_over(command, &failed);
    command->running = true;
    command->event->status = CL_RUNNING;
    if (command->run != NULL && !failed) {
        stub_unlock(CL_SUCCESS);
        command->run(command);
        stub_lock();
    }
    remove_command(command);
    command->event->status = failed ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_COMPLETE;
    command->event->command = NULL;
    stub_counts.pending--;
    stub_command_free(command);
    stub_announce_change();
    return true;
}

void stub_submit(cl_command_queue queue)
{
    for (struct stub_command *command = queue->first; command != NULL; command = command->next) {
        command->submitted = true;
        if (command->event->status == CL_QUEUED)
            command->event->status = CL_SUBMITTED;
    }
}

/* What a submitted command waits for must be submitted too, or the wait may never end: the caller has to
 * flush. Here it is counted, and the wait goes on. */
static void submit_what_is_awaited(void)
{
    bool found = true;

    while (found) {
        found = false;
        for (cl_command_queue queue = queues; queue != NULL; queue = queue->next)
            for (struct stub_command *command = queue->first; command != NULL; command = command->next)
                for (cl_uint i = 0; command->submitted && i < command->num_wait; i++) {
                    const struct stub_command *const awaited = command->wait[i]->command;

                    if (awaited == NULL || awaited->submitted)
                        continue;
                    stub_counts.unflushed_waits++;
                    stub_submit(awaited->queue);
                    found = true;
                }
    }
}

void stub_wait(cl_event event)
{
    stub_hold(event);
    if (event->queue != NULL) /* what is awaited runs before older commands of other queues, where it may */
        stub_submit(event->queue);
    while (event->status > CL_COMPLETE) {
        if (stub_run_one()) /* all commands are looked at only where none can run: there may be very many */
            continue;
        submit_what_is_awaited();
        if (!stub_run_one())
            stub_await_change();
    }
    stub_drop(event);
}

void stub_finish(cl_command_queue queue)
{
    stub_hold(queue);
    stub_submit(queue);
    while (queue->first != NULL) {
        if (stub_run_one())
            continue;
        submit_what_is_awaited();
        if (!stub_run_one())
            stub_await_change();
    }
    stub_drop(queue);
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
        queue->next = queues;
        queues = queue;
    }
    return stub_unlock_made(queue, made, code);
}

void stub_end_queue(cl_command_queue queue)
{
    cl_command_queue *at = &queues;

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

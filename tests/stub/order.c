/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the queues' commands runs next.
 *
 * A command whose wait list is open sleeps at an event of that list, so that a long chain of commands is not
 * looked through for each one that runs. */
#include "kernel.h"

#include <stdint.h>
#include <stdlib.h>

static bool is_ordered(cl_command_queue queue)
{
    return !(queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
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

/* Its place is behind those that are awake and were enqueued before. */
static void wake(struct stub_command *command)
{
    struct stub_command **at = &command->queue->awake;

    while (*at != NULL && (*at)->number < command->number)
        at = &(*at)->next_beside;
    command->next_beside = *at;
    *at = command;
}

/* The first event of its wait list that is not over, or NULL. */
static cl_event awaited_by(const struct stub_command *command)
{
    for (cl_uint i = 0; i < command->num_wait; i++)
        if (command->wait[i]->status > CL_COMPLETE)
            return command->wait[i];
    return NULL;
}

/* A barrier stays awake, for it holds up what is behind it. */
static bool may_sleep(const struct stub_command *command)
{
    return !command->barrier && awaited_by(command) != NULL;
}

static void sleep_at(cl_event event, struct stub_command *command)
{
    command->next_beside = event->asleep;
    event->asleep = command;
}

void stub_event_end(cl_event event, cl_int status)
{
    struct stub_command *next = event->asleep;

    event->status = status;
    event->asleep = NULL;
    while (next != NULL) {
        struct stub_command *const command = next;

        next = command->next_beside;
        wake(command);
    }
}

static void append(struct stub_command *command)
{
    cl_command_queue queue = command->queue;

    command->number = queue->enqueued++;
    command->previous = queue->last;
    *(queue->last != NULL ? &queue->last->next : &queue->first) = command;
    queue->last = command;
    if (may_sleep(command))
        sleep_at(awaited_by(command), command);
    else
        wake(command);
}

cl_int stub_enqueue(struct stub_command *command, bool blocks, cl_event *event)
{
    const cl_event made = command->event;
    cl_int code = CL_SUCCESS;

    append(command);
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

static bool has_failed(const struct stub_command *command)
{
    for (cl_uint i = 0; i < command->num_wait; i++)
        if (command->wait[i]->status < 0)
            return true;
    return false;
}

static bool may_run(const struct stub_command *command)
{
    if (!command->submitted || command->running || awaited_by(command) != NULL)
        return false;
    return (!is_ordered(command->queue) && !command->behind_all) || command == command->queue->first;
}

static uint64_t next_random(void)
{
    static uint64_t state;

    if (state == 0)
        state = stub_platform()->seed * 2 + 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return state >> 33;
}

/* The last one of those that may run; by chance, each of them with the same probability. */
static struct stub_command *choose(void)
{
    const bool by_chance = stub_platform()->seed != 0;
    struct stub_command *chosen = NULL;
    uint64_t count = 0;

    for (cl_command_queue queue = stub_queues; queue != NULL; queue = queue->next)
        for (struct stub_command **at = &queue->awake, *command; (command = *at) != NULL;) {
            if (may_sleep(command)) {
                *at = command->next_beside;
                sleep_at(awaited_by(command), command);
                continue;
            }
            if (may_run(command) && (!by_chance || next_random() % ++count == 0))
                chosen = command;
            if (is_ordered(queue) || command->barrier)
                break; /* nothing that stands behind it may run */
            at = &command->next_beside;
        }
    return chosen;
}

static void remove_command(struct stub_command *command)
{
    cl_command_queue queue = command->queue;
    struct stub_command **at = &queue->awake;

    while (*at != command)
        at = &(*at)->next_beside;
    *at = command->next_beside;
    *(command->previous != NULL ? &command->previous->next : &queue->first) = command->next;
    *(command->next != NULL ? &command->next->previous : &queue->last) = command->previous;
}

bool stub_run_one(void)
{
    struct stub_command *const command = choose();
    const bool failed = command != NULL && has_failed(command);

    if (command == NULL)
        return false;
    command->running = true;
    command->event->status = CL_RUNNING;
    if (command->run != NULL && !failed) {
        stub_unlock(CL_SUCCESS);
        command->run(command);
        stub_lock();
    }
    remove_command(command);
    stub_event_end(command->event, failed ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_COMPLETE);
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
        for (cl_command_queue queue = stub_queues; queue != NULL; queue = queue->next)
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

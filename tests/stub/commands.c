/* SPDX-License-Identifier: Apache-2.0 */
/* Command buffers (cl_khr_command_buffer) in the form of either version: until 0.9.4, and since 0.9.5, where
 * commands that fill, copy and wait have properties.
 *
 * A replay enqueues each command by itself behind the events of its sync points, so that in a queue without
 * an order a sync point that is missing shows. */
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

enum { INVALID_COMMANDS = -1138, INVALID_POINTS = -1139 }; /* codes of the extension */

struct entry {
    struct stub_command *command; /* is never enqueued itself */
    cl_uint num_wait, *wait;      /* sync points: a command's place in the list, from 1 */
};

struct _cl_command_buffer_khr {
    struct stub_object object;
    cl_command_queue queue;
    bool finalized;
    cl_uint count;
    struct entry *entries;
    cl_event last; /* of the last replay */
};

typedef struct _cl_command_buffer_khr *commands_id;

void stub_end_commands(commands_id commands)
{
    for (cl_uint i = 0; i < commands->count; i++) {
        stub_command_free(commands->entries[i].command);
        free(commands->entries[i].wait);
    }
    free(commands->entries);
    stub_drop(commands->last);
    stub_drop(commands->queue);
}

static commands_id CL_API_CALL create(cl_uint num_queues, const cl_command_queue *queues,
                                      const void *properties, cl_int *code)
{
    commands_id commands = NULL;
    cl_int made = CL_SUCCESS;

    stub_lock();
    if (num_queues != 1 || queues == NULL || properties != NULL)
        made = CL_INVALID_VALUE;
    else if (!stub_is(queues[0], STUB_QUEUE))
        made = CL_INVALID_COMMAND_QUEUE;
    if (made == CL_SUCCESS) {
        commands = stub_new(STUB_COMMANDS, sizeof *commands);
        commands->queue = stub_hold(queues[0]);
    }
    return stub_unlock_made(commands, made, code);
}

static cl_int CL_API_CALL release(commands_id commands)
{
    stub_lock();
    return stub_unlock(stub_release(commands, STUB_COMMANDS, INVALID_COMMANDS));
}

static cl_int CL_API_CALL finalize(commands_id commands)
{
    cl_int code = INVALID_COMMANDS;

    stub_lock();
    if (stub_is(commands, STUB_COMMANDS))
        code = commands->finalized ? CL_INVALID_OPERATION : CL_SUCCESS;
    if (code == CL_SUCCESS)
        commands->finalized = true;
    return stub_unlock(code);
}

/* Of all that records. */
static cl_int check(commands_id commands, cl_command_queue queue, const void *properties, cl_uint num_wait,
                    const cl_uint *wait, const void *handle)
{
    if (!stub_is(commands, STUB_COMMANDS))
        return INVALID_COMMANDS;
    if (commands->finalized)
        return CL_INVALID_OPERATION;
    if (queue != NULL)
        return CL_INVALID_COMMAND_QUEUE;
    if (properties != NULL || handle != NULL)
        return CL_INVALID_VALUE;
    if ((num_wait > 0) != (wait != NULL))
        return INVALID_POINTS;
    for (cl_uint i = 0; i < num_wait; i++)
        if (wait[i] == 0 || wait[i] > commands->count)
            return INVALID_POINTS;
    return CL_SUCCESS;
}

static cl_int add(commands_id commands, struct stub_command *command, cl_uint num_wait, const cl_uint *wait,
                  cl_uint *point)
{
    struct entry *entry;

    stub_release(command->event, STUB_EVENT, CL_INVALID_EVENT);
    commands->entries = realloc(commands->entries, (commands->count + 1) * sizeof *commands->entries);
    if (commands->entries == NULL)
        abort();
    entry = &commands->entries[commands->count++];
    *entry = (struct entry){command, num_wait, stub_allocate(num_wait * sizeof *wait)};
    if (num_wait > 0)
        memcpy(entry->wait, wait, num_wait * sizeof *wait);
    if (point != NULL)
        *point = commands->count;
    return CL_SUCCESS;
}

/* Records the command that `make` makes, in a function of the parameters that all of them have. */
#define RECORD(make)                                                                                         \
    struct stub_command *command = NULL;                                                                     \
    cl_int code;                                                                                             \
                                                                                                             \
    stub_lock();                                                                                             \
    code = check(commands, queue, properties, num_wait, wait, handle);                                       \
    if (code == CL_SUCCESS)                                                                                  \
        code = make;                                                                                         \
    return stub_unlock(code == CL_SUCCESS ? add(commands, command, num_wait, wait, point) : code)

static cl_int CL_API_CALL ndrange(commands_id commands, cl_command_queue queue, const void *properties,
                                  cl_kernel kernel, cl_uint dims, const size_t *offset, const size_t *global,
                                  const size_t *local, cl_uint num_wait, const cl_uint *wait, cl_uint *point,
                                  void *handle)
{
    RECORD(stub_make_launch(commands->queue, kernel, dims, offset, global, local, 0, NULL, &command));
}

static cl_int CL_API_CALL fill(commands_id commands, cl_command_queue queue, const void *properties,
                               cl_mem buffer, const void *pattern, size_t pattern_bytes, size_t offset,
                               size_t size, cl_uint num_wait, const cl_uint *wait, cl_uint *point,
                               void *handle)
{
    RECORD(stub_make_fill(commands->queue, buffer, pattern, pattern_bytes, offset, size, 0, NULL, &command));
}

static cl_int CL_API_CALL fill_bare(commands_id commands, cl_command_queue queue, cl_mem buffer,
                                    const void *pattern, size_t pattern_bytes, size_t offset, size_t size,
                                    cl_uint num_wait, const cl_uint *wait, cl_uint *point, void *handle)
{
    return fill(commands, queue, NULL, buffer, pattern, pattern_bytes, offset, size, num_wait, wait, point,
                handle);
}

static cl_int CL_API_CALL copy(commands_id commands, cl_command_queue queue, const void *properties,
                               cl_mem src, cl_mem dst, size_t src_offset, size_t dst_offset, size_t size,
                               cl_uint num_wait, const cl_uint *wait, cl_uint *point, void *handle)
{
    RECORD(stub_make_copy(commands->queue, src, dst, src_offset, dst_offset, size, 0, NULL, &command));
}

static cl_int CL_API_CALL copy_bare(commands_id commands, cl_command_queue queue, cl_mem src, cl_mem dst,
                                    size_t src_offset, size_t dst_offset, size_t size, cl_uint num_wait,
                                    const cl_uint *wait, cl_uint *point, void *handle)
{
    return copy(commands, queue, NULL, src, dst, src_offset, dst_offset, size, num_wait, wait, point, handle);
}

/* What comes behind is not held back: who waits for it names its sync point. */
static cl_int CL_API_CALL barrier(commands_id commands, cl_command_queue queue, const void *properties,
                                  cl_uint num_wait, const cl_uint *wait, cl_uint *point, void *handle)
{
    RECORD((command = stub_command_new(commands->queue, CL_COMMAND_MARKER, 0, NULL), CL_SUCCESS));
}

static cl_int CL_API_CALL barrier_bare(commands_id commands, cl_command_queue queue, cl_uint num_wait,
                                       const cl_uint *wait, cl_uint *point, void *handle)
{
    return barrier(commands, queue, NULL, num_wait, wait, point, handle);
}

/* Does what the other one does, behind another list. */
static struct stub_command *copy_of(const struct stub_command *other, cl_uint num_wait, const cl_event *wait)
{
    struct stub_command *const command = stub_command_new(other->queue, other->event->type, num_wait, wait);

    command->run = other->run;
    command->src = stub_hold(other->src);
    command->dst = stub_hold(other->dst);
    command->src_offset = other->src_offset;
    command->dst_offset = other->dst_offset;
    command->size_bytes = other->size_bytes;
    memcpy(command->pattern, other->pattern, sizeof command->pattern);
    command->pattern_bytes = other->pattern_bytes;
    command->launch = other->launch;
    if (command->launch != NULL) {
        command->launch->uses++;
        stub_launch_record(command->launch);
    }
    return command;
}

/* Each command behind its sync points and the caller's events, which are the first of `events`. */
static void enqueue_each(commands_id commands, cl_uint num_wait, cl_event *events)
{
    cl_event *const wait = stub_allocate((num_wait + commands->count) * sizeof *wait);

    for (cl_uint i = 0; i < commands->count; i++) {
        const struct entry *const entry = &commands->entries[i];
        cl_uint num = num_wait;

        memcpy(wait, events, num_wait * sizeof *wait);
        for (cl_uint p = 0; p < entry->num_wait; p++)
            wait[num++] = events[num_wait + entry->wait[p] - 1];
        stub_enqueue(copy_of(entry->command, num, wait), false, &events[num_wait + i]);
    }
    free(wait);
}

static cl_int replay(commands_id commands, cl_uint num_wait, const cl_event *wait, cl_event *event)
{
    const cl_uint num = num_wait + commands->count;
    cl_event *const events = stub_allocate(num * sizeof *events), done = NULL;
    cl_int code;

    if (num_wait > 0)
        memcpy(events, wait, num_wait * sizeof *wait);
    enqueue_each(commands, num_wait, events);
    code = stub_enqueue(stub_command_new(commands->queue, CL_COMMAND_MARKER, num, events), false, &done);
    for (cl_uint i = num_wait; i < num; i++)
        stub_release(events[i], STUB_EVENT, CL_INVALID_EVENT);
    free(events);
    stub_drop(commands->last);
    commands->last = stub_hold(done);
    if (event != NULL)
        *event = done;
    else
        stub_release(done, STUB_EVENT, CL_INVALID_EVENT);
    return code;
}

/* A replay that has not ended allows no other, which versions before 0.9.8 ask for. */
static cl_int CL_API_CALL enqueue(cl_uint num_queues, cl_command_queue *queues, commands_id commands,
                                  cl_uint num_wait, const cl_event *wait, cl_event *event)
{
    cl_int code = INVALID_COMMANDS;

    stub_lock();
    if (stub_is(commands, STUB_COMMANDS))
        code = num_queues != 0 || queues != NULL ? CL_INVALID_VALUE
               : !commands->finalized || (commands->last != NULL && commands->last->status > CL_COMPLETE)
                   ? CL_INVALID_OPERATION
                   : stub_enqueue_check(commands->queue, num_wait, wait);
    return stub_unlock(code == CL_SUCCESS ? replay(commands, num_wait, wait, event) : code);
}

#define FUNCTION(name) (void (*)(void))(name)

void *stub_find_of_commands(const char *name)
{
    static const struct {
        const char *name;
        void (*full)(void), (*bare)(void);
    } functions[] = {{"clCreateCommandBufferKHR", FUNCTION(create), FUNCTION(create)},
                     {"clFinalizeCommandBufferKHR", FUNCTION(finalize), FUNCTION(finalize)},
                     {"clReleaseCommandBufferKHR", FUNCTION(release), FUNCTION(release)},
                     {"clEnqueueCommandBufferKHR", FUNCTION(enqueue), FUNCTION(enqueue)},
                     {"clCommandNDRangeKernelKHR", FUNCTION(ndrange), FUNCTION(ndrange)},
                     {"clCommandFillBufferKHR", FUNCTION(fill), FUNCTION(fill_bare)},
                     {"clCommandCopyBufferKHR", FUNCTION(copy), FUNCTION(copy_bare)},
                     {"clCommandBarrierWithWaitListKHR", FUNCTION(barrier), FUNCTION(barrier_bare)}};
    const struct stub_extension *const extension =
        stub_extension(&stub_platform()->devices[0], "cl_khr_command_buffer");
    void *found = NULL;

    for (size_t i = 0; extension != NULL && i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, name) == 0)
            *(void (**)(void)) & found =
                extension->version < STUB_VERSION(0, 9, 5) ? functions[i].bare : functions[i].full;
    return found;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Making, counting and ending objects; the lock; what is said at the end of the process. */
#include "device.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_ENDED 16384 /* objects without references that are still recognized */

enum { MISTAKES = 70 }; /* the exit status of a process that made a mistake */

struct stub_counts stub_counts;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct stub_object *ended[MOST_ENDED];
static size_t num_ended;

void stub_lock(void)
{
    pthread_mutex_lock(&lock);
}

cl_int stub_unlock(cl_int code)
{
    stub_counts.refused += code != CL_SUCCESS;
    pthread_mutex_unlock(&lock);
    return code;
}

void *stub_unlock_made(void *object, cl_int made, cl_int *code)
{
    stub_unlock(made);
    if (code != NULL)
        *code = made;
    return made == CL_SUCCESS ? object : NULL;
}

void stub_await_change(void)
{
    pthread_cond_wait(&changed, &lock);
}

void stub_announce_change(void)
{
    pthread_cond_broadcast(&changed);
}

void *stub_allocate(size_t size_bytes)
{
    void *block = calloc(1, size_bytes > 0 ? size_bytes : 1);

    if (block == NULL) {
        fprintf(stderr, "stub: calloc of %zu bytes failed\n", size_bytes);
        abort();
    }
    return block;
}

void *stub_new(enum stub_kind kind, size_t size_bytes)
{
    struct stub_object *object = stub_allocate(size_bytes);

    *object = (struct stub_object){.dispatch = stub_dispatch, .kind = kind, .references = 1};
    stub_counts.live[kind]++;
    return object;
}

bool stub_is(const void *object, enum stub_kind kind)
{
    const struct stub_object *const given = object;

    if (given == NULL || given->kind != kind)
        return false;
    stub_counts.released_uses += given->references == 0;
    return given->references > 0;
}

static void end(struct stub_object *object)
{
    switch (object->kind) {
    case STUB_CONTEXT:
        stub_end_context((cl_context)object);
        break;
    case STUB_QUEUE:
        stub_end_queue((cl_command_queue)object);
        break;
    case STUB_BUFFER:
        stub_end_buffer((cl_mem)object);
        break;
    case STUB_PROGRAM:
        stub_end_program((cl_program)object);
        break;
    case STUB_KERNEL:
        stub_end_kernel((cl_kernel)object);
        break;
    case STUB_EVENT:
        stub_end_event((cl_event)object);
        break;
    case STUB_COMMANDS:
        stub_end_commands((struct _cl_command_buffer_khr *)object);
        break;
    default:
        break;
    }
    free(ended[num_ended % MOST_ENDED]);
    ended[num_ended++ % MOST_ENDED] = object;
}

void *stub_hold(void *object)
{
    if (object != NULL)
        ((struct stub_object *)object)->uses++;
    return object;
}

void stub_drop(void *object)
{
    struct stub_object *const held = object;

    if (held != NULL && --held->uses == 0 && held->references == 0)
        end(held);
}

cl_int stub_retain(void *object, enum stub_kind kind, cl_int invalid)
{
    if (!stub_is(object, kind))
        return invalid;
    ((struct stub_object *)object)->references++;
    return CL_SUCCESS;
}

cl_int stub_release(void *object, enum stub_kind kind, cl_int invalid)
{
    struct stub_object *const given = object;

    if (!stub_is(object, kind))
        return invalid;
    if (--given->references == 0) {
        stub_counts.live[kind]--;
        if (given->uses == 0)
            end(given);
    }
    return CL_SUCCESS;
}

cl_int stub_answer(size_t size, void *value, size_t *size_ret, const void *answer, size_t answer_bytes)
{
    if (value != NULL && size < answer_bytes)
        return CL_INVALID_VALUE;
    if (value != NULL && answer_bytes > 0)
        memcpy(value, answer, answer_bytes);
    if (size_ret != NULL)
        *size_ret = answer_bytes;
    return CL_SUCCESS;
}

static bool complain(size_t count, const char *what)
{
    if (count > 0)
        fprintf(stderr, "stub: %zu %s\n", count, what);
    return count > 0;
}

/* Says what is wrong, and the process fails for it where it may make no mistakes. */
__attribute__((destructor)) static void report(void)
{
    static const char *const names[STUB_KINDS] = {
        [STUB_CONTEXT] = "contexts were not released",         [STUB_QUEUE] = "queues were not released",
        [STUB_BUFFER] = "buffers were not released",           [STUB_PROGRAM] = "programs were not released",
        [STUB_KERNEL] = "kernels were not released",           [STUB_EVENT] = "events were not released",
        [STUB_COMMANDS] = "command buffers were not released",
    };
    const struct stub_counts *const c = &stub_counts;
    bool wrong = complain(c->released_uses, "uses of a released object");

    for (int kind = STUB_CONTEXT; kind < STUB_KINDS; kind++)
        wrong = complain(c->live[kind], names[kind]) || wrong;
    wrong = complain(c->shared_kernels, "launches with an argument of another thread") || wrong;
    wrong = complain(c->abandoned_events, "user events were released while commands waited") || wrong;
    wrong = complain(c->unflushed_waits, "waits for a command of a queue that was not flushed") || wrong;
    wrong = complain(c->mapped_releases, "buffers ended while they were mapped") || wrong;
    wrong = complain(c->pending, "commands were never complete") || wrong;
    if (wrong && !stub_platform()->mistakes) {
        fflush(NULL);
        _exit(MISTAKES);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Counting calls and failing one of them. */
#include "inject.h"

#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool armed, rehearsing;
static enum fault_mode mode;
static size_t at, seen, total;
static struct fault first;
static _Thread_local bool paused;

void inject_arm(enum fault_mode wished, size_t number)
{
    pthread_mutex_lock(&lock);
    mode = wished;
    at = number;
    seen = 0;
    rehearsing = false;
    first = (struct fault){.kind = FAULT_NONE};
    armed = true;
    pthread_mutex_unlock(&lock);
}

struct fault inject_disarm(void)
{
    struct fault result;

    pthread_mutex_lock(&lock);
    armed = false;
    result = first;
    pthread_mutex_unlock(&lock);
    return result;
}

void inject_pause(bool pause)
{
    paused = pause;
}

size_t inject_total(void)
{
    return total;
}

/* A single failure has the code that the call is known for; a device that is gone says the same to all. */
static int code_of(const char *name)
{
    static const struct {
        const char *name;
        int code;
    } known[] = {
        {"clBuildProgram", -11},     /* CL_BUILD_PROGRAM_FAILURE */
        {"clCreateBuffer", -4},      /* CL_MEM_OBJECT_ALLOCATION_FAILURE */
        {"clEnqueueMapBuffer", -12}, /* CL_MAP_FAILURE */
        {"clCreateContext", -2},     /* CL_DEVICE_NOT_AVAILABLE */
    };

    if (mode == FAULT_FROM)
        return -6; /* CL_OUT_OF_HOST_MEMORY */
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].name, name) == 0)
            return known[i].code;
    return -5; /* CL_OUT_OF_RESOURCES */
}

bool inject_here(enum fault_kind kind, const char *name, int *code)
{
    bool fails = false;

    if (paused)
        return false;
    pthread_mutex_lock(&lock);
    if (armed) {
        seen++;
        fails = mode == FAULT_ONCE ? seen == at : mode == FAULT_FROM ? seen >= at : seen % at == 0;
    }
    if (fails) {
        const int injected = kind == FAULT_OPENCL ? code_of(name) : 0;

        if (code != NULL)
            *code = injected;
        if (first.kind == FAULT_NONE)
            first = (struct fault){.kind = kind, .name = name, .code = injected, .rehearsal = rehearsing};
        total++;
    }
    /* but for its callers, the library makes queues only for rehearsals, which it can do without */
    if (strcmp(name, "clCreateCommandQueue") == 0)
        rehearsing = !fails;
    else if (strcmp(name, "clReleaseCommandQueue") == 0)
        rehearsing = false;
    pthread_mutex_unlock(&lock);
    return fails;
}

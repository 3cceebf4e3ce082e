/* SPDX-License-Identifier: Apache-2.0 */
/* An OpenCL driver that compiles nothing, for tests of everything that is not a kernel's result: checks,
 * faults, queues, wait lists, caches. The OpenCL loader loads it as any driver (OCL_ICD_VENDORS). It has
 * memory, queues and events that work; a kernel does nothing,
 * unless the test gives the function that runs it (tests/seam/on_stub.h).
 *
 * A test asks it with stub_of(platform). */
#ifndef CLQUANT_STUB_H
#define CLQUANT_STUB_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define STUB_NAME     "clquant stub" /* of the platform, unless the test gives another, and of its vendor */
#define STUB_FUNCTION "clqStub"

enum stub_parameter { STUB_PARAMETER_VALUE, STUB_PARAMETER_BUFFER, STUB_PARAMETER_LOCAL };

struct stub_argument {
    enum stub_parameter kind;
    size_t size_bytes;  /* of the value, of the buffer's bytes, or of the local memory */
    const void *value;  /* a value's bytes; NULL for others */
    cl_mem buffer;      /* NULL is an argument too */
    void *buffer_bytes; /* while the kernel runs */
};

/* One kernel, as it was enqueued. */
struct stub_launch {
    const char *kernel, *options, *source;
    cl_uint dims;
    size_t offset[3], global[3], local[3]; /* local is 0 where the caller leaves it to the driver */
    cl_uint num_wait;
    cl_command_queue queue;
    bool engine; /* a field of the device */
    cl_uint num_arguments;
    const struct stub_argument *arguments;
};

/* Is called when a kernel runs, from whichever thread waits; several may run at once. */
typedef void (*stub_run_function)(const struct stub_launch *launch, void *user);

enum stub_kind {
    STUB_PLATFORM,
    STUB_DEVICE,
    STUB_CONTEXT,
    STUB_QUEUE,
    STUB_BUFFER,
    STUB_PROGRAM,
    STUB_KERNEL,
    STUB_EVENT,
    STUB_COMMANDS, /* a command buffer */
    STUB_KINDS
};

/* What happened since the process began. The first group is always somebody's mistake. */
struct stub_counts {
    size_t live[STUB_KINDS]; /* objects that are not released; at the end of the process none should be */
    size_t released_uses;    /* uses and releases of an object whose last reference was given back */
    size_t shared_kernels;   /* launches with an argument that another thread had set */
    size_t abandoned_events; /* user events that were released while commands waited for them */
    size_t unflushed_waits;  /* waits for a command that waits for one of a queue that was never flushed */
    size_t mapped_releases;  /* buffers that ended while they were mapped */
    size_t pending;          /* commands that are not complete */

    size_t refused;          /* calls that returned an error */
    size_t unused_arguments; /* arguments that were set again, or released, before a launch used them */
    size_t kept_arguments;   /* arguments that a launch has from the one before */
    size_t builds, launches;
};

struct stub_api {
    struct stub_counts (*counts)(void);
    /* From now on a kernel is run by this; NULL: it does nothing. */
    void (*run_with)(stub_run_function run, void *user);
    /* From now on out-of-order queues run a command by chance; 0: the last one that may run. */
    void (*shuffle)(cl_ulong seed);
    /* Begins a record of launches, in the order in which they are enqueued; false ends it and forgets it. */
    void (*record)(bool on);
    size_t (*recorded)(void);
    const struct stub_launch *(*launch)(size_t i); /* lives until the record ends; NULL past the last */
};
typedef const struct stub_api *(*stub_function)(void);

/* NULL: this is another driver. */
static inline const struct stub_api *stub_of(cl_platform_id platform)
{
    char vendor[sizeof STUB_NAME] = "";
    stub_function function = NULL;
    void *address;

    if (clGetPlatformInfo(platform, CL_PLATFORM_VENDOR, sizeof vendor, vendor, NULL) != CL_SUCCESS ||
        strcmp(vendor, STUB_NAME) != 0)
        return NULL;
    address = clGetExtensionFunctionAddressForPlatform(platform, STUB_FUNCTION);
    memcpy(&function, &address, sizeof function);
    return function != NULL ? function() : NULL;
}

#endif

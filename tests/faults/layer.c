/* SPDX-License-Identifier: Apache-2.0 */
/* The fault layer. Every OpenCL function that the library calls stands in one of the lists below; the test
 * "faults.list" fails when the library calls another. */
#include "layer.h"

#include "builds.h"
#include "layer/layer.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_OBJECTS 16384

struct object {
    const void *handle;
    long references;
    char name[96];    /* of a kernel */
    pthread_t setter; /* of a kernel: who set its first argument and has not enqueued it yet */
    bool set;
    bool has_null; /* of a kernel: one of the arguments so far is a NULL buffer */
    bool is_event;
    bool awaited; /* of an event: something waits for it, or has */
    bool tied;    /* of an event: it is the user's, or its command follows on one that is */
};

static struct layer layer;
static struct object objects[MAX_OBJECTS]; /* a handle's place is never given up, so that a probe finds it */
static size_t num_objects;
static cl_icd_dispatch target; /* with builds.c above the driver */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct object *place_of(const void *handle)
{
    size_t i = ((uintptr_t)handle >> 4) % MAX_OBJECTS;

    while (objects[i].handle != NULL && objects[i].handle != handle)
        i = (i + 1) % MAX_OBJECTS;
    num_objects += objects[i].handle == NULL;
    objects[i].handle = handle;
    return &objects[i];
}

/* Drivers give handles anew: the objects without references are forgotten before the table fills, for a probe
 * of a full one does not end. */
static void make_room(void)
{
    static struct object kept[MAX_OBJECTS];
    size_t count = 0;

    if (num_objects < MAX_OBJECTS / 2)
        return;
    for (size_t i = 0; i < MAX_OBJECTS; i++)
        if (objects[i].references != 0)
            kept[count++] = objects[i];
    if (count >= MAX_OBJECTS / 2) {
        fprintf(stderr, "%zu OpenCL objects are alive: the fault layer has no room for more\n", count);
        abort();
    }
    for (size_t i = 0; i < MAX_OBJECTS; i++)
        objects[i] = (struct object){0};
    num_objects = 0;
    for (size_t i = 0; i < count; i++)
        *place_of(kept[i].handle) = kept[i];
}

static void track(const void *handle)
{
    pthread_mutex_lock(&lock);
    make_room();
    place_of(handle)->references++;
    layer.live++;
    pthread_mutex_unlock(&lock);
}

static void track_event(const void *handle, bool tied)
{
    struct object *object;

    track(handle);
    pthread_mutex_lock(&lock);
    object = place_of(handle);
    object->is_event = true;
    object->awaited = false;
    object->tied = tied;
    pthread_mutex_unlock(&lock);
}

static bool untrack(const void *handle)
{
    struct object *object;
    bool held;

    pthread_mutex_lock(&lock);
    object = place_of(handle);
    held = object->references > 0;
    if (held) {
        object->references--;
        layer.live--;
        if (object->references == 0) {
            layer.unawaited += object->is_event && !object->awaited;
            object->is_event = false;
        }
    } else {
        layer.over_released++;
    }
    pthread_mutex_unlock(&lock);
    return held;
}

static bool fails(const char *name, cl_int *code)
{
    pthread_mutex_lock(&lock);
    layer.calls++;
    pthread_mutex_unlock(&lock);
    return layer.fails != NULL && layer.fails(name, code);
}

static cl_int answered(const char *name, cl_int code)
{
    if (code == CL_SUCCESS)
        return code;
    pthread_mutex_lock(&lock);
    layer.refused++;
    layer.refused_name = name;
    layer.refused_code = code;
    pthread_mutex_unlock(&lock);
    return code;
}

/* Whether what waits for these follows on a user event. */
static bool await(cl_uint num, const cl_event *wait)
{
    bool tied = false;

    pthread_mutex_lock(&lock);
    for (cl_uint i = 0; i < num && wait != NULL; i++) {
        struct object *object = place_of(wait[i]);

        object->awaited = true;
        tied = tied || object->tied;
    }
    pthread_mutex_unlock(&lock);
    return tied;
}

/* A command, or the kernel of one. */
static bool await_in(cl_command_queue queue, const char *command, cl_kernel kernel, cl_uint num,
                     const cl_event *wait)
{
    const bool tied = await(num, wait);

    pthread_mutex_lock(&lock);
    if (queue == layer.callers[0] || queue == layer.callers[1]) {
        const size_t length = strlen(layer.commands);

        layer.adrift += !tied;
        snprintf(layer.commands + length, sizeof layer.commands - length, "%s ",
                 kernel != NULL ? place_of(kernel)->name : command);
    }
    pthread_mutex_unlock(&lock);
    return tied;
}

/* Arguments and enqueue of one call are one thread's; after a failure the kernel is free for another. */
static void touch_kernel(cl_kernel kernel, bool ends)
{
    struct object *object;

    pthread_mutex_lock(&lock);
    object = place_of(kernel);
    if (object->set && !pthread_equal(object->setter, pthread_self()))
        layer.shared++;
    object->setter = pthread_self();
    object->set = !ends;
    pthread_mutex_unlock(&lock);
}

static bool is_zeros(const unsigned char *bytes, size_t size)
{
    while (size > 0 && bytes[size - 1] == 0)
        size--;
    return size == 0;
}

/* The first of a call's arguments is its first buffer, and the last one is what there is to do. */
static void note_argument(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    const bool is_buffer = size == sizeof(cl_mem), zeros = value != NULL && is_zeros(value, size);
    struct object *object;

    pthread_mutex_lock(&lock);
    object = place_of(kernel);
    if (is_buffer)
        object->has_null = zeros || (index > 0 && object->has_null);
    else
        layer.given_null += object->has_null && !zeros;
    pthread_mutex_unlock(&lock);
}

#define STATUS_CALLS(X)                                                                                      \
    X(clFinish, (cl_command_queue a), (a))                                                                   \
    X(clGetPlatformIDs, (cl_uint a, cl_platform_id * b, cl_uint * c), (a, b, c))                             \
    X(clGetPlatformInfo, (cl_platform_id a, cl_platform_info b, size_t c, void *d, size_t *e),               \
      (a, b, c, d, e))                                                                                       \
    X(clGetDeviceIDs, (cl_platform_id a, cl_device_type b, cl_uint c, cl_device_id * d, cl_uint * e),        \
      (a, b, c, d, e))                                                                                       \
    X(clGetDeviceInfo, (cl_device_id a, cl_device_info b, size_t c, void *d, size_t *e), (a, b, c, d, e))    \
    X(clGetContextInfo, (cl_context a, cl_context_info b, size_t c, void *d, size_t *e), (a, b, c, d, e))    \
    X(clGetKernelWorkGroupInfo,                                                                              \
      (cl_kernel a, cl_device_id b, cl_kernel_work_group_info c, size_t d, void *e, size_t *f),              \
      (a, b, c, d, e, f))                                                                                    \
    X(clGetCommandQueueInfo, (cl_command_queue a, cl_command_queue_info b, size_t c, void *d, size_t *e),    \
      (a, b, c, d, e))                                                                                       \
    X(clGetEventInfo, (cl_event a, cl_event_info b, size_t c, void *d, size_t *e), (a, b, c, d, e))          \
    X(clGetMemObjectInfo, (cl_mem a, cl_mem_info b, size_t c, void *d, size_t *e), (a, b, c, d, e))          \
    X(clGetProgramInfo, (cl_program a, cl_program_info b, size_t c, void *d, size_t *e), (a, b, c, d, e))    \
    X(clGetProgramBuildInfo,                                                                                 \
      (cl_program a, cl_device_id b, cl_program_build_info c, size_t d, void *e, size_t *f),                 \
      (a, b, c, d, e, f))                                                                                    \
    X(clBuildProgram,                                                                                        \
      (cl_program a, cl_uint b, const cl_device_id *c, const char *d,                                        \
       void(CL_CALLBACK * e)(cl_program, void *), void *f),                                                  \
      (a, b, c, d, e, f))

/* These name their queue and wait list; the word is that of `commands`. */
#define EVENT_CALLS(X)                                                                                       \
    X(clEnqueueReadBuffer, "transfer",                                                                       \
      (cl_command_queue queue, cl_mem a, cl_bool b, size_t c, size_t d, void *e, cl_uint num,                \
       const cl_event *wait, cl_event *event),                                                               \
      (queue, a, b, c, d, e, num, wait, event))                                                              \
    X(clEnqueueWriteBuffer, "transfer",                                                                      \
      (cl_command_queue queue, cl_mem a, cl_bool b, size_t c, size_t d, const void *e, cl_uint num,          \
       const cl_event *wait, cl_event *event),                                                               \
      (queue, a, b, c, d, e, num, wait, event))                                                              \
    X(clEnqueueFillBuffer, "fill",                                                                           \
      (cl_command_queue queue, cl_mem a, const void *b, size_t c, size_t d, size_t e, cl_uint num,           \
       const cl_event *wait, cl_event *event),                                                               \
      (queue, a, b, c, d, e, num, wait, event))                                                              \
    X(clEnqueueCopyBuffer, "copy",                                                                           \
      (cl_command_queue queue, cl_mem a, cl_mem b, size_t c, size_t d, size_t e, cl_uint num,                \
       const cl_event *wait, cl_event *event),                                                               \
      (queue, a, b, c, d, e, num, wait, event))                                                              \
    X(clEnqueueUnmapMemObject, "transfer",                                                                   \
      (cl_command_queue queue, cl_mem a, void *b, cl_uint num, const cl_event *wait, cl_event *event),       \
      (queue, a, b, num, wait, event))                                                                       \
    X(clEnqueueMarkerWithWaitList, "marker",                                                                 \
      (cl_command_queue queue, cl_uint num, const cl_event *wait, cl_event *event),                          \
      (queue, num, wait, event))

#define MAKE_CALLS(X)                                                                                        \
    X(cl_context, clCreateContext,                                                                           \
      (const cl_context_properties *a, cl_uint b, const cl_device_id *c,                                     \
       void(CL_CALLBACK * d)(const char *, const void *, size_t, void *), void *e, cl_int *code),            \
      (a, b, c, d, e, &made))                                                                                \
    X(cl_command_queue, clCreateCommandQueue,                                                                \
      (cl_context a, cl_device_id b, cl_command_queue_properties c, cl_int * code), (a, b, c, &made))        \
    X(cl_mem, clCreateBuffer, (cl_context a, cl_mem_flags b, size_t c, void *d, cl_int *code),               \
      (a, b, c, d, &made))                                                                                   \
    X(cl_mem, clCreateSubBuffer,                                                                             \
      (cl_mem a, cl_mem_flags b, cl_buffer_create_type c, const void *d, cl_int *code), (a, b, c, d, &made)) \
    X(cl_program, clCreateProgramWithSource,                                                                 \
      (cl_context a, cl_uint b, const char **c, const size_t *d, cl_int *code), (a, b, c, d, &made))         \
    X(cl_program, clCreateProgramWithBinary,                                                                 \
      (cl_context a, cl_uint b, const cl_device_id *c, const size_t *d, const unsigned char **e, cl_int *f,  \
       cl_int *code),                                                                                        \
      (a, b, c, d, e, f, &made))

#define REFERENCE_CALLS(X)                                                                                   \
    X(Context, cl_context)                                                                                   \
    X(Device, cl_device_id)                                                                                  \
    X(CommandQueue, cl_command_queue)                                                                        \
    X(MemObject, cl_mem)                                                                                     \
    X(Program, cl_program)                                                                                   \
    X(Kernel, cl_kernel)                                                                                     \
    X(Event, cl_event)

#define STATUS_WRAPPER(name, parameters, arguments)                                                          \
    static cl_int CL_API_CALL wrap_##name parameters                                                         \
    {                                                                                                        \
        cl_int code;                                                                                         \
                                                                                                             \
        return fails(#name, &code) ? code : answered(#name, target.name arguments);                          \
    }
STATUS_CALLS(STATUS_WRAPPER)

#define EVENT_WRAPPER(name, command, parameters, arguments)                                                  \
    static cl_int CL_API_CALL wrap_##name parameters                                                         \
    {                                                                                                        \
        cl_int code;                                                                                         \
                                                                                                             \
        bool tied;                                                                                           \
                                                                                                             \
        if (fails(#name, &code))                                                                             \
            return code;                                                                                     \
        tied = await_in(queue, command, NULL, num, wait);                                                    \
        code = answered(#name, target.name arguments);                                                       \
        if (code == CL_SUCCESS && event != NULL)                                                             \
            track_event(*event, tied);                                                                       \
        return code;                                                                                         \
    }
EVENT_CALLS(EVENT_WRAPPER)

#define MAKE_WRAPPER(type, name, parameters, arguments)                                                      \
    static type CL_API_CALL wrap_##name parameters                                                           \
    {                                                                                                        \
        cl_int made = CL_SUCCESS;                                                                            \
        type object = NULL;                                                                                  \
                                                                                                             \
        if (!fails(#name, &made)) {                                                                          \
            object = target.name arguments;                                                                  \
            answered(#name, made);                                                                           \
        }                                                                                                    \
        if (object != NULL)                                                                                  \
            track(object);                                                                                   \
        if (code != NULL)                                                                                    \
            *code = made;                                                                                    \
        return object;                                                                                       \
    }
MAKE_CALLS(MAKE_WRAPPER)

#define REFERENCE_WRAPPERS(kind, type)                                                                       \
    static cl_int CL_API_CALL wrap_clRetain##kind(type object)                                               \
    {                                                                                                        \
        cl_int code;                                                                                         \
                                                                                                             \
        if (fails("clRetain" #kind, &code))                                                                  \
            return code;                                                                                     \
        code = answered("clRetain" #kind, target.clRetain##kind(object));                                    \
        if (code == CL_SUCCESS)                                                                              \
            track(object);                                                                                   \
        return code;                                                                                         \
    }                                                                                                        \
    static cl_int CL_API_CALL wrap_clRelease##kind(type object)                                              \
    {                                                                                                        \
        cl_int code = untrack(object) ? answered("clRelease" #kind, target.clRelease##kind(object))          \
                                      : CL_INVALID_VALUE,                                                    \
               injected;                                                                                     \
                                                                                                             \
        return fails("clRelease" #kind, &injected) ? injected : code;                                        \
    }
REFERENCE_CALLS(REFERENCE_WRAPPERS)

static cl_kernel CL_API_CALL wrap_clCreateKernel(cl_program program, const char *name, cl_int *code)
{
    cl_int made = CL_SUCCESS;
    cl_kernel kernel = NULL;

    if (!fails("clCreateKernel", &made)) {
        kernel = target.clCreateKernel(program, name, &made);
        answered("clCreateKernel", made);
    }
    if (kernel != NULL) {
        track(kernel);
        pthread_mutex_lock(&lock);
        snprintf(place_of(kernel)->name, sizeof place_of(kernel)->name, "%s", name);
        pthread_mutex_unlock(&lock);
    }
    if (code != NULL)
        *code = made;
    return kernel;
}

static cl_event CL_API_CALL wrap_clCreateUserEvent(cl_context context, cl_int *code)
{
    cl_event event = target.clCreateUserEvent(context, code);

    if (event != NULL)
        track_event(event, true);
    return event;
}

/* A function that it fails to find is NULL, as of a driver that has none. */
static void *CL_API_CALL wrap_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform,
                                                                       const char *name)
{
    cl_int code;

    return fails("clGetExtensionFunctionAddressForPlatform", &code)
               ? NULL
               : target.clGetExtensionFunctionAddressForPlatform(platform, name);
}

static cl_int CL_API_CALL wrap_clWaitForEvents(cl_uint num, const cl_event *wait)
{
    cl_int code;

    await(num, wait);
    return fails("clWaitForEvents", &code) ? code
                                           : answered("clWaitForEvents", target.clWaitForEvents(num, wait));
}

static void *CL_API_CALL wrap_clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                                 cl_map_flags flags, size_t offset, size_t size, cl_uint num,
                                                 const cl_event *wait, cl_event *event, cl_int *code)
{
    cl_int made = CL_SUCCESS;
    void *host = NULL;

    if (!fails("clEnqueueMapBuffer", &made)) {
        const bool tied = await_in(queue, "transfer", NULL, num, wait);

        host =
            target.clEnqueueMapBuffer(queue, buffer, blocking, flags, offset, size, num, wait, event, &made);
        answered("clEnqueueMapBuffer", made);
        if (made == CL_SUCCESS && event != NULL)
            track_event(*event, tied);
    }
    if (code != NULL)
        *code = made;
    return host;
}

static cl_int CL_API_CALL wrap_clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    cl_int code;

    note_argument(kernel, index, size, value);
    if (!fails("clSetKernelArg", &code))
        code = answered("clSetKernelArg", target.clSetKernelArg(kernel, index, size, value));
    touch_kernel(kernel, code != CL_SUCCESS);
    return code;
}

static cl_int CL_API_CALL wrap_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dims,
                                                      const size_t *offset, const size_t *global,
                                                      const size_t *local, cl_uint num, const cl_event *wait,
                                                      cl_event *event)
{
    cl_int code;

    if (!fails("clEnqueueNDRangeKernel", &code)) {
        const bool tied = await_in(queue, NULL, kernel, num, wait);

        code = answered(
            "clEnqueueNDRangeKernel",
            target.clEnqueueNDRangeKernel(queue, kernel, dims, offset, global, local, num, wait, event));
        if (code == CL_SUCCESS && event != NULL)
            track_event(*event, tied);
    }
    touch_kernel(kernel, true);
    return code;
}

struct layer *clq_layer(void)
{
    return &layer;
}

long clq_layer_references(const void *object)
{
    long references;

    pthread_mutex_lock(&lock);
    references = place_of(object)->references;
    pthread_mutex_unlock(&lock);
    return references;
}

#define PLACE_STATUS(name, ...)     above->name = wrap_##name;
#define PLACE_MAKE(type, name, ...) above->name = wrap_##name;
#define PLACE_REFERENCES(kind, type)                                                                         \
    above->clRetain##kind = wrap_clRetain##kind, above->clRelease##kind = wrap_clRelease##kind;

void layer_place(cl_icd_dispatch *above)
{
    target = layer_below;
    builds_below(&target);
    layer.builds_once_in = builds_once_in;
    STATUS_CALLS(PLACE_STATUS)
    EVENT_CALLS(PLACE_STATUS)
    MAKE_CALLS(PLACE_MAKE)
    REFERENCE_CALLS(PLACE_REFERENCES)
    above->clCreateKernel = wrap_clCreateKernel;
    above->clCreateUserEvent = wrap_clCreateUserEvent;
    above->clWaitForEvents = wrap_clWaitForEvents;
    above->clGetExtensionFunctionAddressForPlatform = wrap_clGetExtensionFunctionAddressForPlatform;
    above->clEnqueueMapBuffer = wrap_clEnqueueMapBuffer;
    above->clSetKernelArg = wrap_clSetKernelArg;
    above->clEnqueueNDRangeKernel = wrap_clEnqueueNDRangeKernel;
}

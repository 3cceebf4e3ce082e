/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <string.h>

typedef struct _cl_command_buffer_khr *command_buffer;
typedef command_buffer(CL_API_CALL *create_function)(cl_uint, const cl_command_queue *, const void *,
                                                     cl_int *);
typedef cl_int(CL_API_CALL *buffer_function)(command_buffer);
typedef cl_int(CL_API_CALL *enqueue_function)(cl_uint, cl_command_queue *, command_buffer, cl_uint,
                                              const cl_event *, cl_event *);

/* False where the driver has no such function. */
static bool find(const struct bench *bench, const char *name, void *function)
{
    cl_platform_id platform = NULL;
    void *found = NULL;

    clGetDeviceInfo(clq_context_device(bench->context), CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    found = clGetExtensionFunctionAddressForPlatform(platform, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

bool commands_exist(const struct bench *bench)
{
    static char text[65536];
    create_function create = NULL;

    return clGetDeviceInfo(clq_context_device(bench->context), CL_DEVICE_EXTENSIONS, sizeof text, text,
                           NULL) == CL_SUCCESS &&
           strstr(text, "cl_khr_command_buffer") != NULL && find(bench, "clCreateCommandBufferKHR", &create);
}

bool commands_create(struct bench *bench, command_buffer *commands)
{
    create_function create = NULL;
    cl_int code = CL_INVALID_OPERATION;

    if (find(bench, "clCreateCommandBufferKHR", &create))
        *commands = create(1, &bench->queue, NULL, &code);
    return device_check(bench, "clCreateCommandBufferKHR", code);
}

bool commands_finalize(struct bench *bench, command_buffer commands)
{
    buffer_function finalize = NULL;

    return device_check(bench, "clFinalizeCommandBufferKHR",
                        find(bench, "clFinalizeCommandBufferKHR", &finalize) ? finalize(commands)
                                                                             : CL_INVALID_OPERATION);
}

bool commands_enqueue(struct bench *bench, command_buffer commands)
{
    enqueue_function enqueue = NULL;

    return device_check(bench, "clEnqueueCommandBufferKHR",
                        find(bench, "clEnqueueCommandBufferKHR", &enqueue)
                            ? enqueue(0, NULL, commands, 0, NULL, NULL)
                            : CL_INVALID_OPERATION);
}

void commands_release(const struct bench *bench, command_buffer commands)
{
    buffer_function release = NULL;

    if (commands && find(bench, "clReleaseCommandBufferKHR", &release))
        release(commands);
}

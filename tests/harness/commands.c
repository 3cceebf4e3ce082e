/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <stdlib.h>
#include <string.h>

typedef struct _cl_command_buffer_khr *command_buffer;
typedef command_buffer(CL_API_CALL *create_function)(cl_uint, const cl_command_queue *, const void *,
                                                     cl_int *);
typedef cl_int(CL_API_CALL *buffer_function)(command_buffer);
typedef cl_int(CL_API_CALL *enqueue_function)(cl_uint, cl_command_queue *, command_buffer, cl_uint,
                                              const cl_event *, cl_event *);

static void find(cl_device_id device, const char *name, void *function)
{
    cl_platform_id platform = NULL;
    void *found = NULL;

    clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    found = clGetExtensionFunctionAddressForPlatform(platform, name);
    memcpy(function, &found, sizeof found);
}

bool commands_exist(cl_device_id device)
{
    static char text[65536];

    return clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof text, text, NULL) == CL_SUCCESS &&
           strstr(text, "cl_khr_command_buffer") != NULL;
}

command_buffer commands_create(cl_device_id device, cl_command_queue queue)
{
    create_function create = NULL;
    cl_int code = CL_SUCCESS;

    find(device, "clCreateCommandBufferKHR", &create);
    return create(1, &queue, NULL, &code);
}

cl_int commands_finalize(cl_device_id device, command_buffer commands)
{
    buffer_function finalize = NULL;

    find(device, "clFinalizeCommandBufferKHR", &finalize);
    return finalize(commands);
}

cl_int commands_enqueue(cl_device_id device, command_buffer commands, cl_uint num_wait, const cl_event *wait,
                        cl_event *done)
{
    enqueue_function enqueue = NULL;

    find(device, "clEnqueueCommandBufferKHR", &enqueue);
    return enqueue(0, NULL, commands, num_wait, wait, done);
}

void commands_release(cl_device_id device, command_buffer commands)
{
    buffer_function release = NULL;

    find(device, "clReleaseCommandBufferKHR", &release);
    release(commands);
}

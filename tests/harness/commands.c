/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <stdlib.h>
#include <string.h>

typedef struct _cl_command_buffer_khr *command_buffer;
typedef command_buffer(CL_API_CALL *create_function)(cl_uint, const cl_command_queue *, const void *,
                                                     cl_int *);
typedef cl_int(CL_API_CALL *buffer_function)(command_buffer);
typedef cl_int(CL_API_CALL *copy_function)(command_buffer, cl_command_queue, const void *, cl_mem, cl_mem,
                                           size_t, size_t, size_t, cl_uint, const cl_uint *, cl_uint *,
                                           void *);
typedef cl_int(CL_API_CALL *bare_copy_function)(command_buffer, cl_command_queue, cl_mem, cl_mem, size_t,
                                                size_t, size_t, cl_uint, const cl_uint *, cl_uint *, void *);
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

/* Since version 0.9.5 they stand behind the queue; a driver that says no version has an older one. */
static bool has_properties(cl_device_id device)
{
    enum { EXTENSIONS_WITH_VERSION = 0x1060, VERSION_0_9_5 = 9 << 12 | 5 };
    struct {
        cl_uint version;
        char name[64];
    } all[256];
    size_t size = 0;
    bool has = false;

    if (clGetDeviceInfo(device, EXTENSIONS_WITH_VERSION, sizeof all, all, &size) == CL_SUCCESS)
        for (size_t i = 0; i < size / sizeof all[0]; i++)
            has |= strcmp(all[i].name, "cl_khr_command_buffer") == 0 && all[i].version >= VERSION_0_9_5;
    return has;
}

cl_int commands_copy(cl_device_id device, command_buffer commands, cl_mem src, cl_mem dst, size_t size,
                     cl_uint num_wait, const cl_uint *wait, cl_uint *point)
{
    copy_function copy = NULL;
    bare_copy_function bare = NULL;

    if (has_properties(device)) {
        find(device, "clCommandCopyBufferKHR", &copy);
        return copy(commands, NULL, NULL, src, dst, 0, 0, size, num_wait, wait, point, NULL);
    }
    find(device, "clCommandCopyBufferKHR", &bare);
    return bare(commands, NULL, src, dst, 0, 0, size, num_wait, wait, point, NULL);
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

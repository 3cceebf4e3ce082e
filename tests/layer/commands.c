/* SPDX-License-Identifier: Apache-2.0 */
/* newer_commands: of a driver that has cl_khr_command_buffer of a version before 0.9.5 the version is 1.0.0,
 * and the functions that fill, copy and wait have properties, of which there are none. */
#include "layer.h"

#include <string.h>

/* By their own declarations, for those of CL/cl_ext.h are of either form. */
typedef struct _cl_command_buffer_khr *command_buffer;
typedef cl_int(CL_API_CALL *fill_function)(command_buffer, cl_command_queue, cl_mem, const void *, size_t,
                                           size_t, size_t, cl_uint, const cl_uint *, cl_uint *, void *);
typedef cl_int(CL_API_CALL *copy_function)(command_buffer, cl_command_queue, cl_mem, cl_mem, size_t, size_t,
                                           size_t, cl_uint, const cl_uint *, cl_uint *, void *);
typedef cl_int(CL_API_CALL *barrier_function)(command_buffer, cl_command_queue, cl_uint, const cl_uint *,
                                              cl_uint *, void *);

static fill_function own_fill;
static copy_function own_copy;
static barrier_function own_barrier;

static cl_int CL_API_CALL fill(command_buffer commands, cl_command_queue queue, const void *properties,
                               cl_mem buffer, const void *pattern, size_t pattern_bytes, size_t offset,
                               size_t size, cl_uint num_wait, const cl_uint *wait, cl_uint *point,
                               void *handle)
{
    return properties != NULL ? CL_INVALID_VALUE
                              : own_fill(commands, queue, buffer, pattern, pattern_bytes, offset, size,
                                         num_wait, wait, point, handle);
}

static cl_int CL_API_CALL copy(command_buffer commands, cl_command_queue queue, const void *properties,
                               cl_mem src, cl_mem dst, size_t src_offset, size_t dst_offset, size_t size,
                               cl_uint num_wait, const cl_uint *wait, cl_uint *point, void *handle)
{
    return properties != NULL ? CL_INVALID_VALUE
                              : own_copy(commands, queue, src, dst, src_offset, dst_offset, size, num_wait,
                                         wait, point, handle);
}

static cl_int CL_API_CALL barrier(command_buffer commands, cl_command_queue queue, const void *properties,
                                  cl_uint num_wait, const cl_uint *wait, cl_uint *point, void *handle)
{
    return properties != NULL ? CL_INVALID_VALUE
                              : own_barrier(commands, queue, num_wait, wait, point, handle);
}

static void *CL_API_CALL find(cl_platform_id platform, const char *name)
{
    static const struct {
        const char *name;
        void (*newer)(void);
        void *own;
    } functions[] = {{"clCommandFillBufferKHR", (void (*)(void))fill, &own_fill},
                     {"clCommandCopyBufferKHR", (void (*)(void))copy, &own_copy},
                     {"clCommandBarrierWithWaitListKHR", (void (*)(void))barrier, &own_barrier}};
    void *found = layer_below.clGetExtensionFunctionAddressForPlatform(platform, name);

    for (size_t i = 0; i < sizeof functions / sizeof *functions && found != NULL; i++)
        if (strcmp(functions[i].name, name) == 0) {
            memcpy(functions[i].own, &found, sizeof found);
            memcpy(&found, &functions[i].newer, sizeof found);
            break;
        }
    return found;
}

void layer_newer_commands(void *extensions, size_t size_bytes)
{
    cl_name_version *const all = extensions;

    for (size_t i = 0; i < size_bytes / sizeof *all; i++)
        if (strcmp(all[i].name, "cl_khr_command_buffer") == 0)
            all[i].version = CL_MAKE_VERSION(1, 0, 0);
}

void layer_place_commands(cl_icd_dispatch *above)
{
    if (layer_option("newer_commands") != NULL)
        above->clGetExtensionFunctionAddressForPlatform = find;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A layer between the OpenCL loader and a driver that has cl_khr_command_buffer of a version before 0.9.5:
 * under it the version is 1.0.0, and the functions that fill, copy and wait have properties, of which there
 * are none. */
#undef CL_TARGET_OPENCL_VERSION /* the tree's is 120; a layer knows every function */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>
#include <string.h>

/* By their own declarations, for those of CL/cl_ext.h are of either form. */
typedef struct _cl_command_buffer_khr *command_buffer;
typedef cl_int(CL_API_CALL *fill_function)(command_buffer, cl_command_queue, cl_mem, const void *, size_t,
                                           size_t, size_t, cl_uint, const cl_uint *, cl_uint *, void *);
typedef cl_int(CL_API_CALL *copy_function)(command_buffer, cl_command_queue, cl_mem, cl_mem, size_t, size_t,
                                           size_t, cl_uint, const cl_uint *, cl_uint *, void *);
typedef cl_int(CL_API_CALL *barrier_function)(command_buffer, cl_command_queue, cl_uint, const cl_uint *,
                                              cl_uint *, void *);

static cl_icd_dispatch target, wrapped;
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
    void *found = target.clGetExtensionFunctionAddressForPlatform(platform, name);

    for (size_t i = 0; i < sizeof functions / sizeof *functions && found != NULL; i++)
        if (strcmp(functions[i].name, name) == 0) {
            memcpy(functions[i].own, &found, sizeof found);
            memcpy(&found, &functions[i].newer, sizeof found);
            break;
        }
    return found;
}

static cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info what, size_t size, void *value,
                                      size_t *size_ret)
{
    size_t bytes = 0;
    const cl_int code = target.clGetDeviceInfo(device, what, size, value, &bytes);
    cl_name_version *const all = value;

    if (size_ret != NULL)
        *size_ret = bytes;
    if (code == CL_SUCCESS && what == CL_DEVICE_EXTENSIONS_WITH_VERSION && value != NULL)
        for (size_t i = 0; i < bytes / sizeof *all; i++)
            if (strcmp(all[i].name, "cl_khr_command_buffer") == 0)
                all[i].version = CL_MAKE_VERSION(1, 0, 0);
    return code;
}

cl_int CL_API_CALL clInitLayer(cl_uint num_entries, const cl_icd_dispatch *dispatch, cl_uint *num_entries_ret,
                               const cl_icd_dispatch **layer_dispatch)
{
    if (num_entries < sizeof target / sizeof(void *))
        return CL_INVALID_VALUE;
    target = wrapped = *dispatch;
    wrapped.clGetDeviceInfo = device_info;
    wrapped.clGetExtensionFunctionAddressForPlatform = find;
    *num_entries_ret = sizeof wrapped / sizeof(void *);
    *layer_dispatch = &wrapped;
    return CL_SUCCESS;
}

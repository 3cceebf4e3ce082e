/* SPDX-License-Identifier: Apache-2.0 */
/* What a device promises, and what it takes.
 *
 *   no_divide, no_denorm, no_fma   its float32 does not promise this
 *   no_pocl     no platform is PoCL, so that its CPUs run the portable kernels with all else they promise
 *   no_read     nothing can be read back from it; mapped buffers can
 *   groups=N    a kernel takes no more work-items in a group */
#include "layer.h"

#include <stdlib.h>
#include <string.h>

static cl_device_fp_config without(cl_device_fp_config promised)
{
    if (layer_option("no_divide") != NULL)
        promised &= ~(cl_device_fp_config)CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
    if (layer_option("no_denorm") != NULL)
        promised &= ~(cl_device_fp_config)CL_FP_DENORM;
    if (layer_option("no_fma") != NULL)
        promised &= ~(cl_device_fp_config)CL_FP_FMA;
    return promised;
}

static void change(cl_device_info what, void *value, size_t size_bytes)
{
    const cl_bool no = CL_FALSE;
    cl_device_fp_config promised;

    switch (what) {
    case CL_DEVICE_COMPILER_AVAILABLE:
    case CL_DEVICE_LINKER_AVAILABLE:
        if (layer_option("no_compiler") != NULL)
            memcpy(value, &no, sizeof no);
        break;
    case CL_DEVICE_SINGLE_FP_CONFIG:
        memcpy(&promised, value, sizeof promised);
        promised = without(promised);
        memcpy(value, &promised, sizeof promised);
        break;
    case CL_DEVICE_EXTENSIONS_WITH_VERSION:
        if (layer_option("newer_commands") != NULL)
            layer_newer_commands(value, size_bytes);
        break;
    default:
        break;
    }
}

static cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info what, size_t size, void *value,
                                      size_t *size_ret)
{
    size_t bytes = 0;
    const cl_int code = layer_below.clGetDeviceInfo(device, what, size, value, &bytes);

    if (size_ret != NULL)
        *size_ret = bytes;
    if (code == CL_SUCCESS && value != NULL)
        change(what, value, bytes);
    return code;
}

static cl_int CL_API_CALL platform_info(cl_platform_id platform, cl_platform_info what, size_t size,
                                        void *value, size_t *size_ret)
{
    const cl_int code = layer_below.clGetPlatformInfo(platform, what, size, value, size_ret);

    if (code == CL_SUCCESS && what == CL_PLATFORM_NAME && value != NULL)
        *(char *)value = '-';
    return code;
}

static size_t most_items(void)
{
    return strtoul(layer_option("groups"), NULL, 10);
}

static cl_int CL_API_CALL kernel_info(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what,
                                      size_t size, void *value, size_t *size_ret)
{
    const cl_int code = layer_below.clGetKernelWorkGroupInfo(kernel, device, what, size, value, size_ret);
    const size_t most = most_items();

    if (code == CL_SUCCESS && what == CL_KERNEL_WORK_GROUP_SIZE && value != NULL)
        memcpy(value, &most, sizeof most);
    return code;
}

static cl_int CL_API_CALL enqueue(cl_command_queue queue, cl_kernel kernel, cl_uint dims,
                                  const size_t *offset, const size_t *global, const size_t *local,
                                  cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    if (local == NULL || local[0] > most_items())
        return CL_INVALID_WORK_GROUP_SIZE;
    return layer_below.clEnqueueNDRangeKernel(queue, kernel, dims, offset, global, local, num_wait, wait,
                                              done);
}

static cl_int CL_API_CALL read_nothing(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                                       size_t size, void *bytes, cl_uint num_wait, const cl_event *wait,
                                       cl_event *done)
{
    (void)queue, (void)buffer, (void)blocking, (void)offset, (void)size, (void)bytes;
    (void)num_wait, (void)wait, (void)done;
    return CL_OUT_OF_RESOURCES;
}

void layer_place_device(cl_icd_dispatch *above)
{
    above->clGetDeviceInfo = device_info;
    if (layer_option("no_pocl") != NULL)
        above->clGetPlatformInfo = platform_info;
    if (layer_option("no_read") != NULL)
        above->clEnqueueReadBuffer = read_nothing;
    if (layer_option("groups") != NULL) {
        above->clGetKernelWorkGroupInfo = kernel_info;
        above->clEnqueueNDRangeKernel = enqueue;
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A layer between the OpenCL loader and the driver, under which a device does not promise what $CLQ_MODEST
 * names: divide, denorm, fma; and a kernel takes no more work-items in a group than groups=N says. With pocl
 * among the names no platform is PoCL, so that its CPUs run the portable kernels with whatever else they
 * promise. */
#undef CL_TARGET_OPENCL_VERSION /* the tree's is 120; a layer knows every function */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>
#include <stdlib.h>
#include <string.h>

static cl_icd_dispatch target, wrapped;

static cl_device_fp_config without(cl_device_fp_config promised)
{
    static const struct {
        const char *name;
        cl_device_fp_config flag;
    } flags[] = {
        {"divide", CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT}, {"denorm", CL_FP_DENORM}, {"fma", CL_FP_FMA}};
    const char *names = getenv("CLQ_MODEST");

    for (size_t i = 0; names != NULL && i < sizeof flags / sizeof *flags; i++)
        if (strstr(names, flags[i].name) != NULL)
            promised &= ~flags[i].flag;
    return promised;
}

static cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info what, size_t size, void *value,
                                      size_t *size_ret)
{
    const cl_int code = target.clGetDeviceInfo(device, what, size, value, size_ret);

    if (code == CL_SUCCESS && what == CL_DEVICE_SINGLE_FP_CONFIG && value != NULL) {
        cl_device_fp_config promised;

        memcpy(&promised, value, sizeof promised);
        promised = without(promised);
        memcpy(value, &promised, sizeof promised);
    }
    return code;
}

static cl_int CL_API_CALL platform_info(cl_platform_id platform, cl_platform_info what, size_t size,
                                        void *value, size_t *size_ret)
{
    const cl_int code = target.clGetPlatformInfo(platform, what, size, value, size_ret);
    const char *names = getenv("CLQ_MODEST");

    if (code == CL_SUCCESS && what == CL_PLATFORM_NAME && value != NULL && names != NULL &&
        strstr(names, "pocl") != NULL)
        *(char *)value = '-';
    return code;
}

/* 0: as many as the driver says. */
static size_t most_items(void)
{
    const char *names = getenv("CLQ_MODEST"), *at = names != NULL ? strstr(names, "groups=") : NULL;

    return at != NULL ? strtoul(at + strlen("groups="), NULL, 10) : 0;
}

static cl_int CL_API_CALL kernel_info(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what,
                                      size_t size, void *value, size_t *size_ret)
{
    const cl_int code = target.clGetKernelWorkGroupInfo(kernel, device, what, size, value, size_ret);
    const size_t most = most_items();

    if (code == CL_SUCCESS && what == CL_KERNEL_WORK_GROUP_SIZE && value != NULL && most > 0)
        memcpy(value, &most, sizeof most);
    return code;
}

static cl_int CL_API_CALL enqueue(cl_command_queue queue, cl_kernel kernel, cl_uint dims,
                                  const size_t *offset, const size_t *global, const size_t *local,
                                  cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    if (most_items() > 0 && (local == NULL || local[0] > most_items()))
        return CL_INVALID_WORK_GROUP_SIZE;
    return target.clEnqueueNDRangeKernel(queue, kernel, dims, offset, global, local, num_wait, wait, done);
}

cl_int CL_API_CALL clInitLayer(cl_uint num_entries, const cl_icd_dispatch *dispatch, cl_uint *num_entries_ret,
                               const cl_icd_dispatch **layer_dispatch)
{
    if (num_entries < sizeof target / sizeof(void *))
        return CL_INVALID_VALUE;
    target = wrapped = *dispatch;
    wrapped.clGetDeviceInfo = device_info;
    wrapped.clGetPlatformInfo = platform_info;
    wrapped.clGetKernelWorkGroupInfo = kernel_info;
    wrapped.clEnqueueNDRangeKernel = enqueue;
    *num_entries_ret = sizeof wrapped / sizeof(void *);
    *layer_dispatch = &wrapped;
    return CL_SUCCESS;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A layer between the OpenCL loader and the driver, under which no device has a compiler: it says so, and
 * nothing is built from source. Binaries are as ever. */
#undef CL_TARGET_OPENCL_VERSION /* the tree's is 120; a layer knows every function */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>
#include <string.h>

static cl_icd_dispatch target, wrapped;

static cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info what, size_t size, void *value,
                                      size_t *size_ret)
{
    const cl_bool no = CL_FALSE;
    const cl_int code = target.clGetDeviceInfo(device, what, size, value, size_ret);

    if (code == CL_SUCCESS && value != NULL &&
        (what == CL_DEVICE_COMPILER_AVAILABLE || what == CL_DEVICE_LINKER_AVAILABLE))
        memcpy(value, &no, sizeof no);
    return code;
}

static cl_program CL_API_CALL refuse(cl_context context, cl_uint count, const char **strings,
                                     const size_t *lengths, cl_int *code)
{
    (void)context, (void)count, (void)strings, (void)lengths;
    if (code != NULL)
        *code = CL_COMPILER_NOT_AVAILABLE;
    return NULL;
}

cl_int CL_API_CALL clInitLayer(cl_uint num_entries, const cl_icd_dispatch *dispatch, cl_uint *num_entries_ret,
                               const cl_icd_dispatch **layer_dispatch)
{
    if (num_entries < sizeof target / sizeof(void *))
        return CL_INVALID_VALUE;
    target = wrapped = *dispatch;
    wrapped.clGetDeviceInfo = device_info;
    wrapped.clCreateProgramWithSource = refuse;
    *num_entries_ret = sizeof wrapped / sizeof(void *);
    *layer_dispatch = &wrapped;
    return CL_SUCCESS;
}

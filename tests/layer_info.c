/* SPDX-License-Identifier: Apache-2.0 */
/* What a layer between the OpenCL loader and the driver answers about itself; the tests' layers share it. */
#undef CL_TARGET_OPENCL_VERSION /* the tree's is 120; a layer knows every function */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>

cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t size, void *value, size_t *size_ret)
{
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;

    if (what != CL_LAYER_API_VERSION || (value != NULL && size < sizeof version))
        return CL_INVALID_VALUE;
    if (value != NULL)
        *(cl_layer_api_version *)value = version;
    if (size_ret != NULL)
        *size_ret = sizeof version;
    return CL_SUCCESS;
}

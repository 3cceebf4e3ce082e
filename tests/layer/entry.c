/* SPDX-License-Identifier: Apache-2.0 */
/* What the loader calls in a layer. */
#include "layer.h"

cl_icd_dispatch layer_below;

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

cl_int CL_API_CALL clInitLayer(cl_uint num_entries, const cl_icd_dispatch *dispatch, cl_uint *num_entries_ret,
                               const cl_icd_dispatch **layer_dispatch)
{
    static cl_icd_dispatch above;

    if (num_entries < sizeof above / sizeof(void *))
        return CL_INVALID_VALUE;
    layer_below = above = *dispatch;
    layer_place(&above);
    *num_entries_ret = sizeof above / sizeof(void *);
    *layer_dispatch = &above;
    return CL_SUCCESS;
}

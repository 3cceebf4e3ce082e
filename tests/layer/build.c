/* SPDX-License-Identifier: Apache-2.0 */
/* Devices that compile nothing.
 *
 *   no_compiler    they say so, and nothing is built from source; binaries are as ever
 *   no_build=LOG   their compiler refuses every source, and says LOG of it, which may be empty */
#include "layer.h"

#include <string.h>

static cl_program CL_API_CALL refuse(cl_context context, cl_uint count, const char **strings,
                                     const size_t *lengths, cl_int *code)
{
    (void)context, (void)count, (void)strings, (void)lengths;
    if (code != NULL)
        *code = CL_COMPILER_NOT_AVAILABLE;
    return NULL;
}

static cl_int CL_API_CALL build(cl_program program, cl_uint count, const cl_device_id *devices,
                                const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                                void *user)
{
    (void)program, (void)count, (void)devices, (void)options, (void)notify, (void)user;
    return CL_BUILD_PROGRAM_FAILURE;
}

static cl_int CL_API_CALL build_info(cl_program program, cl_device_id device, cl_program_build_info what,
                                     size_t size, void *value, size_t *size_ret)
{
    const char *log = layer_option("no_build");
    const size_t size_bytes = strlen(log) + 1;

    (void)program, (void)device;
    if (what != CL_PROGRAM_BUILD_LOG || (value != NULL && size < size_bytes))
        return CL_INVALID_VALUE;
    if (value != NULL)
        memcpy(value, log, size_bytes);
    if (size_ret != NULL)
        *size_ret = size_bytes;
    return CL_SUCCESS;
}

void layer_place_build(cl_icd_dispatch *above)
{
    if (layer_option("no_compiler") != NULL)
        above->clCreateProgramWithSource = refuse;
    if (layer_option("no_build") != NULL) {
        above->clBuildProgram = build;
        above->clGetProgramBuildInfo = build_info;
    }
}

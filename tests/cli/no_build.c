/* SPDX-License-Identifier: Apache-2.0 */
/* Loaded before the command: a device whose compiler takes no source, and writes of it what LOG says,
 * or nothing. */
#include <CL/cl.h>
#include <stdlib.h>
#include <string.h>

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
                      void(CL_CALLBACK *notify)(cl_program, void *), void *user)
{
    (void)program, (void)count, (void)devices, (void)options, (void)notify, (void)user;
    return CL_BUILD_PROGRAM_FAILURE;
}

cl_int clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info what, size_t size,
                             void *value, size_t *size_ret)
{
    const char *log = getenv("LOG");
    const size_t size_bytes = (log ? strlen(log) : 0) + 1;

    (void)program, (void)device;
    if (what != CL_PROGRAM_BUILD_LOG || (value && size < size_bytes))
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, log ? log : "", size_bytes);
    if (size_ret)
        *size_ret = size_bytes;
    return CL_SUCCESS;
}

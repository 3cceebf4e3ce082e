/* SPDX-License-Identifier: Apache-2.0 */
/* Devices that compile nothing.
 *
 *   no_compiler    they say so, and nothing is built from source; binaries are as ever
 *   no_build=LOG   their compiler refuses every source, and says LOG of it, which may be empty
 *   unbuilt        every program of a context is the same small one, whose kernel answers to every name: what
 *                  the operators ask for is the same, in no time */
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

/* The reference that is kept here holds the context too: no later one has its address. */
static cl_program CL_API_CALL create_stand_in(cl_context context, cl_uint count, const char **strings,
                                              const size_t *lengths, cl_int *code)
{
    static cl_program stand_in;
    static cl_context context_of_it;
    const char *source = "__kernel void stand_in(void) {}";

    (void)count, (void)strings, (void)lengths;
    *code = CL_SUCCESS;
    if (context_of_it != context) {
        stand_in = layer_below.clCreateProgramWithSource(context, 1, &source, NULL, code);
        context_of_it = context;
        if (*code == CL_SUCCESS)
            *code = layer_below.clBuildProgram(stand_in, 0, NULL, NULL, NULL, NULL);
    }
    if (*code == CL_SUCCESS)
        *code = layer_below.clRetainProgram(stand_in);
    return *code == CL_SUCCESS ? stand_in : NULL;
}

static cl_kernel CL_API_CALL create_stand_in_kernel(cl_program program, const char *name, cl_int *code)
{
    (void)name;
    return layer_below.clCreateKernel(program, "stand_in", code);
}

static cl_int CL_API_CALL build(cl_program program, cl_uint count, const cl_device_id *devices,
                                const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                                void *user)
{
    (void)program, (void)count, (void)devices, (void)options, (void)notify, (void)user;
    return layer_option("no_build") != NULL ? CL_BUILD_PROGRAM_FAILURE : CL_SUCCESS;
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
    if (layer_option("unbuilt") != NULL) {
        above->clCreateProgramWithSource = create_stand_in;
        above->clBuildProgram = build;
        above->clCreateKernel = create_stand_in_kernel;
    }
}

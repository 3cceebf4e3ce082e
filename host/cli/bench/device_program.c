/* SPDX-License-Identifier: Apache-2.0 */
/* Building bench.cl. */
#include "device_program.h"

#include <stdio.h>

/* Written by CMakeLists.txt from bench.cl. */
static const char text[] = {
#include "bench_cl.inc"
};

bool device_kernel(struct bench *bench, const char *name, size_t reads, size_t writes, size_t args_longs,
                   cl_kernel *kernel)
{
    cl_device_id device = clq_context_device(bench->context);
    const char *source = text;
    size_t length = sizeof text;
    char options[128];
    cl_int code = CL_SUCCESS;
    cl_program program =
        clCreateProgramWithSource(clq_context_cl(bench->context), 1, &source, &length, &code);

    if (!device_check(bench, "clCreateProgramWithSource", code))
        return false;
    snprintf(options, sizeof options, "-cl-std=CL1.2 -DREADS=%zu -DWRITES=%zu -DARGS_LONGS=%zu", reads,
             writes, args_longs);
    code = clBuildProgram(program, 1, &device, options, NULL, NULL);
    if (device_check(bench, "clBuildProgram of bench.cl", code)) {
        *kernel = clCreateKernel(program, name, &code);
        device_check(bench, "clCreateKernel of bench.cl", code);
    }
    clReleaseProgram(program);
    return code == CL_SUCCESS;
}

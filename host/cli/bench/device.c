/* SPDX-License-Identifier: Apache-2.0 */
/* Opening the device that is measured, and building bench.cl. */
#include "../build_log.h"
#include "bench.h"

#include <operator.h>

#include <stdio.h>

/* Written by CMakeLists.txt from bench.cl. */
static const char source[] = {
#include "bench_cl.inc"
};

bool library_check(struct bench *bench, clq_status status)
{
    bench->failure.code = status;
    return status == CLQ_OK || fail(&bench->failure, STATUS_SYSTEM, "bench: %s", clq_error_detail());
}

bool device_check(struct bench *bench, const char *call, cl_int code)
{
    return code == CL_SUCCESS ||
           fail(&bench->failure, STATUS_SYSTEM, "bench: %s failed with %s", call, clq_status_name(code));
}

bool device_wait(struct bench *bench, cl_event done)
{
    const cl_int code = clWaitForEvents(1, &done);

    clReleaseEvent(done);
    return device_check(bench, "clWaitForEvents", code);
}

bool bench_open_device(struct bench *bench)
{
    const struct clq_context_desc desc = {.device_text = bench->device_text};
    cl_device_type type = 0;
    cl_int code = CL_SUCCESS;

    if (!library_check(bench, clq_context_create(&desc, &bench->context)))
        return false;
    clGetDeviceInfo(clq_context_device(bench->context), CL_DEVICE_TYPE, sizeof type, &type, NULL);
    bench->library = (struct library){.context = bench->context, .error_detail = clq_error_detail};
    for (int i = 0; i < OPERATIONS; i++)
        bench->library.calls[i] = operator_find(operation_rows[i].name)->enqueue;
    bench->queue =
        clCreateCommandQueue(clq_context_cl(bench->context), clq_context_device(bench->context), 0, &code);
    if (!device_check(bench, "clCreateCommandQueue", code))
        return false;
    if (type & CL_DEVICE_TYPE_CPU) {
        bench->pool = pool_create();
        if (!bench->pool)
            return fail(&bench->failure, STATUS_SYSTEM, "bench: no thread for every processor");
    }
    return true;
}

void bench_close_device(struct bench *bench)
{
    pool_destroy(bench->pool);
    if (bench->queue)
        clReleaseCommandQueue(bench->queue);
    clq_context_destroy(bench->context);
}

bool device_kernel(struct bench *bench, const char *name, size_t reads, size_t writes, cl_kernel *kernel)
{
    cl_device_id device = clq_context_device(bench->context);
    const char *text = source;
    const size_t length = sizeof source;
    char options[128];
    cl_int code = CL_SUCCESS;
    cl_program program = clCreateProgramWithSource(clq_context_cl(bench->context), 1, &text, &length, &code);

    if (!device_check(bench, "clCreateProgramWithSource", code))
        return false;
    snprintf(options, sizeof options, "-cl-std=CL1.2 -DREADS=%zu -DWRITES=%zu", reads, writes);
    code = clBuildProgram(program, 1, &device, options, NULL, NULL);
    if (device_check(bench, "clBuildProgram of bench.cl", code)) {
        *kernel = clCreateKernel(program, name, &code);
        device_check(bench, "clCreateKernel of bench.cl", code);
    } else {
        bench->log = take_program_log(program, device);
    }
    clReleaseProgram(program);
    return code == CL_SUCCESS;
}

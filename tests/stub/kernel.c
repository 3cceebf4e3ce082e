/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels and their arguments. */
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

static cl_kernel CL_API_CALL create(cl_program program, const char *name, cl_int *code)
{
    const struct stub_signature *found = NULL;
    cl_kernel kernel = NULL;
    cl_int made = CL_SUCCESS;

    stub_lock();
    if (!stub_is(program, STUB_PROGRAM))
        made = CL_INVALID_PROGRAM;
    else if (!program->built)
        made = CL_INVALID_PROGRAM_EXECUTABLE;
    else if (name == NULL)
        made = CL_INVALID_VALUE;
    for (size_t i = 0; made == CL_SUCCESS && i < program->num_signatures; i++)
        if (strcmp(program->signatures[i].name, name) == 0)
            found = &program->signatures[i];
    if (made == CL_SUCCESS && found == NULL)
        made = CL_INVALID_KERNEL_NAME;
    if (made == CL_SUCCESS) {
        kernel = stub_new(STUB_KERNEL, sizeof *kernel);
        kernel->program = stub_hold(program);
        kernel->signature = *found;
    }
    return stub_unlock_made(kernel, made, code);
}

void stub_end_kernel(cl_kernel kernel)
{
    for (cl_uint i = 0; i < kernel->signature.count; i++) {
        stub_counts.unused_arguments += kernel->arguments[i].fresh;
        free(kernel->arguments[i].value);
    }
    stub_drop(kernel->program);
}

static cl_int check(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    enum stub_parameter kind;

    if (!stub_is(kernel, STUB_KERNEL))
        return CL_INVALID_KERNEL;
    if (index >= kernel->signature.count)
        return CL_INVALID_ARG_INDEX;
    kind = kernel->signature.kinds[index];
    if (kind == STUB_PARAMETER_LOCAL)
        return value != NULL ? CL_INVALID_ARG_VALUE : size == 0 ? CL_INVALID_ARG_SIZE : CL_SUCCESS;
    if (kind == STUB_PARAMETER_VALUE) {
        const size_t wanted = kernel->signature.sizes[index];

        return value == NULL ? CL_INVALID_ARG_VALUE
               : wanted != 0 ? (size == wanted ? CL_SUCCESS : CL_INVALID_ARG_SIZE)
               : size == 0   ? CL_INVALID_ARG_SIZE
                             : CL_SUCCESS;
    }
    if (size != sizeof(cl_mem))
        return CL_INVALID_ARG_SIZE;
    if (value == NULL || *(const cl_mem *)value == NULL)
        return CL_SUCCESS;
    if (!stub_is(*(const cl_mem *)value, STUB_BUFFER))
        return CL_INVALID_MEM_OBJECT;
    return (*(const cl_mem *)value)->context == kernel->program->context ? CL_SUCCESS : CL_INVALID_MEM_OBJECT;
}

static cl_int set(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    const cl_int code = check(kernel, index, size, value);
    struct stub_held_argument *argument;

    if (code != CL_SUCCESS)
        return code;
    argument = &kernel->arguments[index];
    stub_counts.unused_arguments += argument->fresh;
    free(argument->value);
    *argument =
        (struct stub_held_argument){.set = true, .fresh = true, .setter = pthread_self(), .size_bytes = size};
    if (kernel->signature.kinds[index] == STUB_PARAMETER_VALUE)
        argument->value = memcpy(stub_allocate(size), value, size);
    else if (kernel->signature.kinds[index] == STUB_PARAMETER_BUFFER && value != NULL)
        argument->buffer = *(const cl_mem *)value;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL set_argument(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    stub_lock();
    return stub_unlock(set(kernel, index, size, value));
}

size_t stub_kernel_groups(cl_kernel kernel, cl_device_id device)
{
    return device->kernels > 0 && kernel->program->number % 2 == 0 ? device->kernels : device->groups;
}

static cl_int answer_group(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what, size_t size,
                           void *value, size_t *size_ret)
{
    if (!stub_is(kernel, STUB_KERNEL))
        return CL_INVALID_KERNEL;
    if (device == NULL && kernel->program->num_devices == 1)
        device = kernel->program->devices[0];
    if (!stub_has_device(kernel->program->context, device))
        return CL_INVALID_DEVICE;
    switch (what) {
    case CL_KERNEL_WORK_GROUP_SIZE:
        return STUB_ANSWER(size_t, stub_kernel_groups(kernel, device));
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        return STUB_ANSWER(size_t, 1);
    default:
        return CL_INVALID_VALUE;
    }
}

static cl_int CL_API_CALL group_info(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what,
                                     size_t size, void *value, size_t *size_ret)
{
    stub_lock();
    return stub_unlock(answer_group(kernel, device, what, size, value, size_ret));
}

static cl_int CL_API_CALL retain(cl_kernel kernel)
{
    stub_lock();
    return stub_unlock(stub_retain(kernel, STUB_KERNEL, CL_INVALID_KERNEL));
}

static cl_int CL_API_CALL release(cl_kernel kernel)
{
    stub_lock();
    return stub_unlock(stub_release(kernel, STUB_KERNEL, CL_INVALID_KERNEL));
}

void stub_place_kernels(cl_icd_dispatch *table)
{
    table->clCreateKernel = create;
    table->clRetainKernel = retain;
    table->clReleaseKernel = release;
    table->clSetKernelArg = set_argument;
    table->clGetKernelWorkGroupInfo = group_info;
}

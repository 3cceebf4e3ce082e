/* SPDX-License-Identifier: Apache-2.0 */
/* Enqueueing kernels. */
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

static cl_int check_sizes(cl_device_id device, size_t groups, cl_uint dims, const size_t *global,
                          const size_t *local)
{
    size_t items = 1;

    if (dims < 1 || dims > 3)
        return CL_INVALID_WORK_DIMENSION;
    for (cl_uint i = 0; i < dims; i++) {
        if (global == NULL || global[i] == 0)
            return CL_INVALID_GLOBAL_WORK_SIZE;
        if (local == NULL)
            continue;
        if (local[i] == 0 || global[i] % local[i] != 0)
            return CL_INVALID_WORK_GROUP_SIZE;
        if (local[i] > device->groups)
            return CL_INVALID_WORK_ITEM_SIZE;
        items *= local[i];
    }
    return items > groups ? CL_INVALID_WORK_GROUP_SIZE : CL_SUCCESS;
}

static cl_int check(cl_command_queue queue, cl_kernel kernel, cl_uint dims, const size_t *global,
                    const size_t *local)
{
    cl_uint device = 0;

    if (!stub_is(kernel, STUB_KERNEL))
        return CL_INVALID_KERNEL;
    if (kernel->program->context != queue->context)
        return CL_INVALID_CONTEXT;
    while (device < kernel->program->num_devices && kernel->program->devices[device] != queue->device)
        device++;
    if (device == kernel->program->num_devices)
        return CL_INVALID_PROGRAM_EXECUTABLE;
    for (cl_uint i = 0; i < kernel->signature.count; i++) {
        const struct stub_held_argument *const argument = &kernel->arguments[i];

        if (!argument->set || (argument->buffer != NULL && !stub_is(argument->buffer, STUB_BUFFER)))
            return CL_INVALID_KERNEL_ARGS;
    }
    return check_sizes(queue->device, stub_kernel_groups(kernel, queue->device), dims, global, local);
}

/* All arguments of one launch are one thread's; each is the launch's own from here on. */
static struct stub_launch_copy *copy_launch(cl_kernel kernel)
{
    struct stub_launch_copy *const copy = stub_allocate(sizeof *copy);
    bool shared = false;

    copy->kernel = stub_hold(kernel);
    copy->uses = 1;
    copy->launch = (struct stub_launch){.kernel = kernel->signature.name,
                                        .options = kernel->program->options,
                                        .source = kernel->program->source,
                                        .num_arguments = kernel->signature.count,
                                        .arguments = copy->arguments};
    for (cl_uint i = 0; i < kernel->signature.count; i++) {
        struct stub_held_argument *const held = &kernel->arguments[i];
        struct stub_argument *const argument = &copy->arguments[i];

        *argument = (struct stub_argument){.kind = kernel->signature.kinds[i],
                                           .size_bytes = held->size_bytes,
                                           .buffer = stub_hold(held->buffer)};
        if (argument->kind == STUB_PARAMETER_VALUE)
            argument->value = memcpy(stub_allocate(held->size_bytes), held->value, held->size_bytes);
        if (argument->kind == STUB_PARAMETER_BUFFER)
            argument->size_bytes = held->buffer != NULL ? held->buffer->size_bytes : 0;
        shared = shared || !pthread_equal(held->setter, pthread_self());
        stub_counts.kept_arguments += !held->fresh;
        held->fresh = false;
    }
    stub_counts.shared_kernels += shared;
    stub_counts.launches++;
    return copy;
}

void stub_launch_drop(struct stub_launch_copy *launch)
{
    if (launch == NULL || --launch->uses > 0)
        return;
    for (cl_uint i = 0; i < launch->launch.num_arguments; i++) {
        free((void *)launch->arguments[i].value);
        stub_drop(launch->arguments[i].buffer);
    }
    stub_drop(launch->kernel);
    free(launch);
}

cl_int stub_make_launch(cl_command_queue queue, cl_kernel kernel, cl_uint dims, const size_t *offset,
                        const size_t *global, const size_t *local, cl_uint num_wait, const cl_event *wait,
                        struct stub_command **made)
{
    cl_int code = stub_enqueue_check(queue, num_wait, wait);
    struct stub_command *command;

    if (code == CL_SUCCESS)
        code = check(queue, kernel, dims, global, local);
    if (code != CL_SUCCESS)
        return code;
    command = stub_command_new(queue, CL_COMMAND_NDRANGE_KERNEL, num_wait, wait);
    command->run = stub_launch_run;
    command->launch = copy_launch(kernel);
    command->launch->launch.dims = dims;
    command->launch->launch.num_wait = num_wait;
    command->launch->launch.queue = queue;
    command->launch->launch.engine = queue->device->engine;
    for (cl_uint i = 0; i < dims; i++) {
        command->launch->launch.offset[i] = offset != NULL ? offset[i] : 0;
        command->launch->launch.global[i] = global[i];
        command->launch->launch.local[i] = local != NULL ? local[i] : 0;
    }
    *made = command;
    return code;
}

static cl_int CL_API_CALL enqueue_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint dims,
                                         const size_t *offset, const size_t *global, const size_t *local,
                                         cl_uint num_wait, const cl_event *wait, cl_event *event)
{
    struct stub_command *command;
    cl_int code;

    stub_lock();
    code = stub_make_launch(queue, kernel, dims, offset, global, local, num_wait, wait, &command);
    if (code != CL_SUCCESS)
        return stub_unlock(code);
    stub_launch_record(command->launch);
    return stub_unlock(stub_enqueue(command, false, event));
}

void stub_place_launches(cl_icd_dispatch *table)
{
    table->clEnqueueNDRangeKernel = enqueue_kernel;
}

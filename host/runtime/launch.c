/* SPDX-License-Identifier: Apache-2.0 */
/* Enqueueing kernels. */
#include "runtime/launch.h"

#include "base/error.h"
#include "runtime/program.h"

#include <assert.h>
#include <string.h>

/* Runs the kernel once with nothing to do, in a queue of its own, so that no wait list holds it up: a driver
 * may compile for the local size only when a kernel runs (PoCL: 100 ms), and the binary has to hold that.
 * A failure here is left to the call itself. */
static void rehearse(clq_context *context, cl_kernel kernel, const struct clq__launch *launch)
{
    static const unsigned char zeros[CLQ__LAUNCH_ARGS_BYTES];
    const cl_mem nothing = NULL;
    cl_event done = NULL;
    cl_int code = CL_SUCCESS;
    cl_command_queue queue = clCreateCommandQueue(context->cl, context->device.id, 0, &code);

    if (queue == NULL)
        return;
    assert(launch->args_bytes <= sizeof zeros);
    for (cl_uint i = 0; i < launch->num_buffers && code == CL_SUCCESS; i++)
        code = clSetKernelArg(kernel, i, sizeof(cl_mem), &nothing);
    if (code == CL_SUCCESS)
        code = clSetKernelArg(kernel, launch->num_buffers, launch->args_bytes, zeros);
    if (code == CL_SUCCESS && clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &launch->local, &launch->local,
                                                     0, NULL, &done) == CL_SUCCESS)
        clq__event_end(done);
    clReleaseCommandQueue(queue);
}

/* The launch's kernel, its program's binary kept; the one that the launch keeps, where it keeps one. */
static clq_status take(clq_context *context, const struct clq__launch *launch, struct clq__kept *taken)
{
    clq_status status = CLQ_OK;

    if (launch->kept != NULL && launch->kept->kernel != NULL &&
        launch->kept->variant.bits == launch->variant.bits) {
        *taken = *launch->kept;
        return CLQ_OK;
    }
    *taken = (struct clq__kept){.variant = launch->variant};
    CLQ_TRY(clq__kernel_take(context, &launch->variant, &taken->program, &taken->kernel));
    status = clq__program_takes(taken->program, launch->local);
    if (status != CLQ_OK) {
        clq__kernel_give(context, taken->program, taken->kernel);
        goto end;
    }
    if (launch->kept != NULL) {
        clq__kept_release(context, launch->kept);
        *launch->kept = *taken;
    }
end:
    return status;
}

static void give(clq_context *context, const struct clq__launch *launch, const struct clq__kept *taken)
{
    if (launch->kept == NULL)
        clq__kernel_give(context, taken->program, taken->kernel);
}

void clq__kept_release(clq_context *context, struct clq__kept *kept)
{
    if (kept->kernel != NULL)
        clq__kernel_give(context, kept->program, kept->kernel);
    *kept = (struct clq__kept){0};
}

clq_status clq__launch_build(clq_context *context, const struct clq__launch *launch)
{
    clq_status status = CLQ_OK;
    struct clq__kept taken;

    CLQ_TRY(take(context, launch, &taken));
    rehearse(context, taken.kernel, launch);
    clq__program_keep(context, taken.program);
    give(context, launch, &taken);
end:
    return status;
}

clq_status clq__launch_ready(clq_context *context, const struct clq__launch *launch)
{
    clq_status status = CLQ_OK;
    struct clq__kept taken;

    CLQ_TRY(take(context, launch, &taken));
    give(context, launch, &taken);
end:
    return status;
}

/* NULL is what OpenCL has for a buffer that is not touched, and some drivers refuse a kernel with it: these
 * get another of its buffers. Not all, for every buffer costs a call: three of them cost 0.16 of 1.4 us. */
static const cl_mem *stand_in(const struct clq__launch *launch)
{
    unsigned i = 0;

    while (launch->buffers[i] == NULL && i + 1 < launch->num_buffers)
        i++;
    return &launch->buffers[i];
}

/* For a kept kernel those that it has not: each costs a call. */
static clq_status set_buffers(const clq_context *context, const struct clq__launch *launch, cl_kernel kernel)
{
    clq_status status = CLQ_OK;
    struct clq__kept *kept = launch->kept;

    for (cl_uint i = 0; i < launch->num_buffers; i++) {
        const cl_mem *buffer = &launch->buffers[i];

        if (*buffer == NULL && !context->device.takes_null)
            buffer = stand_in(launch);
        if (kept != NULL && kept->given >> i & 1 && kept->buffers[i] == *buffer)
            continue;
        CLQ_TRY_CL(clSetKernelArg(kernel, i, sizeof(cl_mem), buffer));
        if (kept != NULL) {
            kept->buffers[i] = *buffer;
            kept->given |= 1u << i;
        }
    }
end:
    return status;
}

static clq_status enqueue(cl_command_queue queue, cl_kernel kernel, size_t global, size_t local,
                          cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;

    CLQ_TRY_CL(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, num_wait, wait, done));
end:
    return status;
}

static clq_status set_arguments(const clq_context *context, const struct clq__launch *launch,
                                cl_kernel kernel)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(set_buffers(context, launch, kernel));
    CLQ_TRY_CL(clSetKernelArg(kernel, launch->num_buffers, launch->args_bytes, launch->args));
    if (launch->kept != NULL)
        launch->kept->is_set = true;
end:
    return status;
}

/* Takes the kernel, which is to be given back unless this fails, and sets what is not set. */
static clq_status take_ready(clq_context *context, const struct clq__launch *launch, struct clq__kept *taken)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(take(context, launch, taken));
    if (taken->is_set)
        goto end;
    if (clq__program_is_new(taken->program)) {
        rehearse(context, taken->kernel, launch);
        clq__program_keep(context, taken->program);
        if (launch->kept != NULL)
            launch->kept->given = 0;
    }
    status = set_arguments(context, launch, taken->kernel);
    if (status != CLQ_OK)
        give(context, launch, taken);
end:
    return status;
}

clq_status clq__launch_set(clq_context *context, const struct clq__launch *launch, cl_kernel *kernel)
{
    clq_status status = CLQ_OK;
    struct clq__kept taken;

    CLQ_TRY(take_ready(context, launch, &taken));
    *kernel = taken.kernel;
end:
    return status;
}

void clq__launch_slice(const struct clq__launch *whole, int64_t number, struct clq__sliced *sliced)
{
    sliced->launch = *whole;
    sliced->launch.slices = 1;
    sliced->launch.args = sliced->args;
    sliced->launch.groups = whole->slice(whole, number, sliced->args);
    if (whole->kept != NULL)
        whole->kept->is_set = false;
}

/* One after the other: the first waits for what is given. */
static clq_status launch_slices(clq_context *context, cl_command_queue queue, const struct clq__launch *whole,
                                cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    struct clq__sliced sliced;
    cl_event before = NULL, now = NULL;

    for (int64_t i = 0; i < whole->slices; i++) {
        const bool last = i + 1 == whole->slices;

        clq__launch_slice(whole, i, &sliced);
        CLQ_TRY(clq__launch(context, queue, &sliced.launch, i > 0 ? 1 : num_wait, i > 0 ? &before : wait,
                            last ? done : &now));
        clq__event_release(before);
        before = now;
        now = NULL;
    }
end:
    clq__event_release(before);
    return status;
}

clq_status clq__launch(clq_context *context, cl_command_queue queue, const struct clq__launch *launch,
                       cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    struct clq__kept taken;
    const size_t global = launch->groups * launch->local;

    if (launch->slices > 1)
        return launch_slices(context, queue, launch, num_wait, wait, done);
    CLQ_TRY(take_ready(context, launch, &taken));
    status = enqueue(queue, taken.kernel, global, launch->local, num_wait, wait, done);
    give(context, launch, &taken);
end:
    return status;
}

clq_status clq__wait_check(cl_context context, cl_uint num_wait, const cl_event *wait)
{
    clq_status status = CLQ_OK;
    cl_context owner = NULL;

    CLQ_REQUIRE((num_wait > 0) == (wait != NULL), CL_INVALID_EVENT_WAIT_LIST,
                "num_wait is %u and wait is %s: a wait list has both or neither", num_wait,
                wait != NULL ? "not NULL" : "NULL");
    /* PoCL 3.1 takes NULL for an event that has ended, and waits for ever for one of another context */
    for (cl_uint i = 0; i < num_wait; i++) {
        CLQ_REQUIRE(wait[i] != NULL, CL_INVALID_EVENT_WAIT_LIST, "wait[%u] is NULL: it must be an event", i);
        status = clGetEventInfo(wait[i], CL_EVENT_CONTEXT, sizeof owner, &owner, NULL);
        CLQ_REQUIRE(status == CL_SUCCESS, status,
                    "wait[%u] is %p: it must be an event, but clGetEventInfo says %s (%d)", i,
                    (void *)wait[i], clq_status_name(status), (int)status);
        CLQ_REQUIRE(owner == context, CL_INVALID_CONTEXT,
                    "wait[%u] is %p, of the cl_context %p: it must be of the queue's, %p", i, (void *)wait[i],
                    (void *)owner, (void *)context);
    }
end:
    return status;
}

/* A driver sees what is wrong with a queue only where a chain of commands has begun, and PoCL 3.1 ends the
 * process at one of another device. */
static clq_status queue_check(const clq_context *context, cl_command_queue queue)
{
    clq_status status = CLQ_OK;
    cl_context cl = NULL;
    cl_device_id device = NULL;

    CLQ_TRY_CL(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof cl, &cl, NULL));
    CLQ_REQUIRE(cl == context->cl, CLQ_ERROR_VALUE,
                "queue is %p, of the cl_context %p: it must be one of clq_context_cl's, %p", (void *)queue,
                (void *)cl, (void *)context->cl);
    CLQ_TRY_CL(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL));
    CLQ_REQUIRE(device == context->device.id, CLQ_ERROR_VALUE,
                "queue is %p, of another device: it must be one of clq_context_device's, \"%s\"",
                (void *)queue, context->device.name);
end:
    return status;
}

clq_status clq__call_check(const clq_context *context, cl_command_queue queue, bool build_only,
                           cl_uint num_wait, const cl_event *wait)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE(context != NULL, CLQ_ERROR_NULL, "context is NULL: it must be a context");
    CLQ_REQUIRE(queue != NULL || build_only, CLQ_ERROR_NULL, "queue is NULL: it must be a command queue");
    if (!build_only)
        CLQ_TRY(queue_check(context, queue));
    CLQ_TRY(clq__wait_check(context->cl, num_wait, wait));
end:
    return status;
}

clq_status clq__queue_in_order(cl_command_queue queue, bool *in_order)
{
    clq_status status = CLQ_OK;
    cl_command_queue_properties properties = 0;

    CLQ_TRY_CL(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL));
    *in_order = !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
end:
    return status;
}

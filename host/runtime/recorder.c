/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/recorder.h"

#include "base/error.h"
#include "runtime/context.h"
#include "runtime/extension.h"

#include <string.h>

#define NAME "cl_khr_command_buffer"

/* ISO C has no conversion between pointers to objects and to functions;
 * they are of one size wherever there is OpenCL. */
static bool find(cl_platform_id platform, const char *name, void *function)
{
    void *found = clGetExtensionFunctionAddressForPlatform(platform, name);

    memcpy(function, &found, sizeof found);
    return found != NULL;
}

clq_status clq__recorder_init(struct clq__recorder *recorder, clq_context *context,
                              clq__command_buffer buffer, cl_uint num_wait, const cl_uint *wait)
{
    clq_status status = CLQ_OK;
    const struct clq__device *device = &context->device;

    *recorder =
        (struct clq__recorder){.context = context, .buffer = buffer, .num_wait = num_wait, .wait = wait};
    CLQ_REQUIRE(clq__extension_exists(device->id, NAME), CLQ_ERROR_DEVICE,
                "device \"%s\" does not have " NAME ": it must, to record a plan", device->name);
    recorder->bare = clq__extension_version(device->id, NAME) < CLQ__VERSION(0, 9, 5);
    CLQ_REQUIRE(find(device->platform, "clCommandNDRangeKernelKHR", &recorder->ndrange) &&
                    find(device->platform, "clCommandFillBufferKHR", &recorder->fill) &&
                    find(device->platform, "clCommandCopyBufferKHR", &recorder->copy) &&
                    find(device->platform, "clCommandBarrierWithWaitListKHR", &recorder->barrier),
                CLQ_ERROR_DEVICE,
                "device \"%s\" has " NAME
                ", and its driver not all functions of it: it must, to record a plan",
                device->name);
end:
    return status;
}

void clq__recorder_restart(struct clq__recorder *recorder, clq_context *context)
{
    recorder->context = context;
    recorder->commands = 0;
}

/* The commands that a command waits for. */
static cl_uint num_wait_of(const struct clq__recorder *recorder)
{
    return recorder->commands > 0 ? 1 : recorder->num_wait;
}

static const cl_uint *wait_of(const struct clq__recorder *recorder)
{
    return recorder->commands > 0 ? &recorder->last : recorder->wait;
}

static clq_status check(const char *function, cl_int code)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE(code == CL_SUCCESS, code, "%s failed with %s (%d)", function, clq_status_name(code),
                (int)code);
end:
    return status;
}

/* The next command waits for this one. */
static void add(struct clq__recorder *recorder, cl_uint point)
{
    recorder->last = point;
    recorder->commands++;
}

clq_status clq__record_launch(struct clq__recorder *recorder, const struct clq__launch *launch)
{
    clq_status status = CLQ_OK;
    const size_t global = launch->groups * launch->local;
    cl_kernel kernel = NULL;
    cl_uint point = 0;

    CLQ_TRY(clq__launch_set(recorder->context, launch, &kernel));
    CLQ_TRY(check("clCommandNDRangeKernelKHR",
                  recorder->ndrange(recorder->buffer, NULL, NULL, kernel, 1, NULL, &global, &launch->local,
                                    num_wait_of(recorder), wait_of(recorder), &point, NULL)));
    add(recorder, point);
end:
    return status;
}

clq_status clq__record_clear(struct clq__recorder *recorder, cl_mem buffer, size_t offset_bytes,
                             size_t size_bytes)
{
    clq_status status = CLQ_OK;
    const cl_uint zero = 0, num_wait = num_wait_of(recorder), *wait = wait_of(recorder);
    cl_uint point = 0;
    const cl_int code = recorder->bare
                            ? recorder->fill.bare(recorder->buffer, NULL, buffer, &zero, sizeof zero,
                                                  offset_bytes, size_bytes, num_wait, wait, &point, NULL)
                            : recorder->fill.full(recorder->buffer, NULL, NULL, buffer, &zero, sizeof zero,
                                                  offset_bytes, size_bytes, num_wait, wait, &point, NULL);

    CLQ_TRY(check("clCommandFillBufferKHR", code));
    add(recorder, point);
end:
    return status;
}

clq_status clq__record_copy(struct clq__recorder *recorder, cl_mem src, size_t src_offset_bytes, cl_mem dst,
                            size_t dst_offset_bytes, size_t size_bytes)
{
    clq_status status = CLQ_OK;
    const cl_uint num_wait = num_wait_of(recorder), *wait = wait_of(recorder);
    cl_uint point = 0;
    const cl_int code = recorder->bare
                            ? recorder->copy.bare(recorder->buffer, NULL, src, dst, src_offset_bytes,
                                                  dst_offset_bytes, size_bytes, num_wait, wait, &point, NULL)
                            : recorder->copy.full(recorder->buffer, NULL, NULL, src, dst, src_offset_bytes,
                                                  dst_offset_bytes, size_bytes, num_wait, wait, &point, NULL);

    CLQ_TRY(check("clCommandCopyBufferKHR", code));
    add(recorder, point);
end:
    return status;
}

clq_status clq__record_barrier(struct clq__recorder *recorder, cl_uint num, const cl_uint *points,
                               cl_uint *point)
{
    return check("clCommandBarrierWithWaitListKHR",
                 recorder->bare
                     ? recorder->barrier.bare(recorder->buffer, NULL, num, points, point, NULL)
                     : recorder->barrier.full(recorder->buffer, NULL, NULL, num, points, point, NULL));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Queues for those who call the library from a language that has not loaded OpenCL itself. */
#include <clquant/context.h>

#include "base/error.h"
#include "runtime/context.h"

clq_status clq_queue_create(clq_context *context, cl_command_queue_properties properties,
                            cl_command_queue *queue)
{
    clq_status status = CLQ_OK;
    cl_command_queue_properties offered = 0;

    CLQ_REQUIRE(queue != NULL, CLQ_ERROR_NULL, "queue is NULL: it must point to a cl_command_queue");
    *queue = NULL;
    CLQ_REQUIRE(context != NULL, CLQ_ERROR_NULL, "context is NULL: it must be a context");
    CLQ_TRY_CL(
        clGetDeviceInfo(context->device.id, CL_DEVICE_QUEUE_PROPERTIES, sizeof offered, &offered, NULL));
    CLQ_REQUIRE((properties & ~offered) == 0, CLQ_ERROR_VALUE,
                "properties is 0x%llx: it must be made of those that device \"%s\" offers, 0x%llx",
                (unsigned long long)properties, context->device.name, (unsigned long long)offered);
    *queue = clCreateCommandQueue(context->cl, context->device.id, properties, &status);
    CLQ_REQUIRE(*queue != NULL, status, "clCreateCommandQueue for device \"%s\" failed with %s (%d)",
                context->device.name, clq_status_name(status), (int)status);
    status = CLQ_OK;
end:
    return status;
}

void clq_queue_destroy(cl_command_queue queue)
{
    if (queue != NULL)
        clReleaseCommandQueue(queue);
}

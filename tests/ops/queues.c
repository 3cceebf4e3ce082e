/* SPDX-License-Identifier: Apache-2.0 */
/* Queues and events of the harness's device. */
#include "queues.h"

cl_event user_event(void)
{
    cl_int status;
    const cl_event event = clCreateUserEvent(harness.cl, &status);

    expect_cl(status, "clCreateUserEvent");
    return event;
}

void complete(cl_event event)
{
    expect_cl(clSetUserEventStatus(event, CL_COMPLETE), "clSetUserEventStatus");
}

bool is_complete(cl_event event)
{
    cl_int status = CL_QUEUED;

    expect_cl(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL),
              "clGetEventInfo");
    return status == CL_COMPLETE;
}

void wait_for(cl_event event)
{
    expect_cl(clWaitForEvents(1, &event), "clWaitForEvents");
    clReleaseEvent(event);
}

void user_events(cl_event *wait, cl_uint waits)
{
    for (cl_uint i = 0; i < waits; i++)
        wait[i] = user_event();
}

void complete_each(const cl_event *wait, cl_uint waits, cl_event done)
{
    for (cl_uint i = waits; i-- > 0;) {
        assert_false(is_complete(done));
        complete(wait[i]);
    }
    wait_for(done);
    for (cl_uint i = 0; i < waits; i++)
        clReleaseEvent(wait[i]);
}

cl_command_queue queue_of(cl_command_queue_properties properties)
{
    cl_command_queue_properties has = 0;
    cl_command_queue queue;
    cl_int status;

    expect_cl(clGetDeviceInfo(harness.device, CL_DEVICE_QUEUE_PROPERTIES, sizeof(has), &has, NULL),
              "clGetDeviceInfo");
    if ((has & properties) != properties)
        return NULL;
    queue = clCreateCommandQueue(harness.cl, harness.device, properties, &status);
    expect_cl(status, "clCreateCommandQueue");
    return queue;
}

cl_command_queue out_of_order_queue(void)
{
    const cl_command_queue queue = queue_of(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);

    if (!queue) {
        print_message("this device has no out-of-order queue\n");
        skip();
    }
    return queue;
}

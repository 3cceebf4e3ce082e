/* SPDX-License-Identifier: Apache-2.0 */
/* Loaded before the command: a device from which nothing can be read back.
 * Mapped buffers are not concerned. */
#include <CL/cl.h>

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                           size_t size, void *bytes, cl_uint wait_count, const cl_event *wait,
                           cl_event *event)
{
    (void)queue, (void)buffer, (void)blocking, (void)offset, (void)size, (void)bytes;
    (void)wait_count, (void)wait, (void)event;
    return CL_OUT_OF_RESOURCES;
}

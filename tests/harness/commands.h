/* SPDX-License-Identifier: Apache-2.0 */
/* Command buffers, by the functions of cl_khr_command_buffer. */
#ifndef CLQUANT_HARNESS_COMMANDS_H
#define CLQUANT_HARNESS_COMMANDS_H

#include <CL/cl.h>
#include <stdbool.h>

struct _cl_command_buffer_khr;

/* Whether the device has the extension, with all functions. */
bool commands_exist(cl_device_id device);
/* For the queue; NULL where it fails. */
struct _cl_command_buffer_khr *commands_create(cl_device_id device, cl_command_queue queue);
/* Records the copy of a buffer's first bytes, in the form of the extension's version. */
cl_int commands_copy(cl_device_id device, struct _cl_command_buffer_khr *commands, cl_mem src, cl_mem dst,
                     size_t size, cl_uint num_wait, const cl_uint *wait, cl_uint *point);
cl_int commands_finalize(cl_device_id device, struct _cl_command_buffer_khr *commands);
cl_int commands_enqueue(cl_device_id device, struct _cl_command_buffer_khr *commands, cl_uint num_wait,
                        const cl_event *wait, cl_event *done);
void commands_release(cl_device_id device, struct _cl_command_buffer_khr *commands);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The extensions of a device, and their versions. */
#ifndef CLQ_RUNTIME_EXTENSION_H
#define CLQ_RUNTIME_EXTENSION_H

#include <CL/cl.h>
#include <stdbool.h>

/* As cl_version has it (OpenCL 3.0, cl_khr_extended_versioning). */
#define CLQ__VERSION(major, minor, patch) ((cl_uint)(major) << 22 | (cl_uint)(minor) << 12 | (cl_uint)(patch))

/* Whether the driver names the extension; false where it does not answer. */
bool clq__extension_exists(cl_device_id device, const char *name);

/* 0 where the driver does not say, as before OpenCL 3.0. */
cl_uint clq__extension_version(cl_device_id device, const char *name);

#endif

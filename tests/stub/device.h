/* SPDX-License-Identifier: Apache-2.0 */
/* The stub's devices, as the environment describes them:
 *
 *   CLQ_STUB="type=cpu,groups=16|type=gpu"   two devices; without it there is one, a GPU
 *
 *   platform   the platform's name (of the first device's text)
 *   name, vendor, driver
 *   type       cpu, gpu or accelerator
 *   version    of OpenCL, such as 1.2
 *   extensions names joined by +, each with its version where that is not 1.0.0: NAME@0.9.4; a device of
 *              OpenCL 3.0 answers the versions too, and the platform's functions are of the first device's
 *   fp         of float32, joined by +: denorm nearest zero inf fma divide
 *   alloc, memory   bytes of the largest buffer, and of all
 *   groups     work-items in the largest group
 *   kernels    the same of a kernel, of those whose program is the second, fourth and so on; groups where it
 *              is left out
 *   units      compute units
 *   compiler, little, unordered   0 or 1: has a compiler, is little-endian, has out-of-order queues
 *   seed       of the platform: out-of-order queues run a command by chance instead of the last one that may
 *   mistakes   1: of the platform: what the stub finds wrong does not fail the process
 *   engine     1: a CPU's own kernels run as programs of the host (tests/engine) */
#ifndef CLQUANT_STUB_DEVICE_H
#define CLQUANT_STUB_DEVICE_H

#include "object.h"

#define STUB_MOST_DEVICES    4
#define STUB_MOST_EXTENSIONS 4

/* As cl_version has it. */
#define STUB_VERSION(major, minor, patch) ((cl_uint)(major) << 22 | (cl_uint)(minor) << 12 | (cl_uint)(patch))

/* As cl_name_version has it. */
struct stub_extension {
    cl_uint version;
    char name[64];
};

struct _cl_platform_id {
    struct stub_object object;
    char name[64];
    cl_bool mistakes;
    cl_ulong seed; /* 0: no chance */
    cl_uint num_devices;
    struct _cl_device_id *devices;
};

struct _cl_device_id {
    struct stub_object object;
    char name[64], vendor[64], version[64], driver[64];
    cl_device_type type;
    cl_device_fp_config fp;
    cl_ulong alloc, memory;
    size_t groups, kernels;
    cl_uint units;
    cl_bool compiler, little, unordered, engine;
    size_t num_extensions;
    struct stub_extension extensions[STUB_MOST_EXTENSIONS];
};

/* NULL: the device does not have it. */
const struct stub_extension *stub_extension(cl_device_id device, const char *name);

/* Read from the environment at the first call. */
cl_platform_id stub_platform(void);
void stub_place_devices(cl_icd_dispatch *table);

#endif

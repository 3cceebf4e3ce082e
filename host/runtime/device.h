/* SPDX-License-Identifier: Apache-2.0 */
/* A device's traits: what the choice of a variant and the key of the binary cache need to know of it. */
#ifndef CLQ_RUNTIME_DEVICE_H
#define CLQ_RUNTIME_DEVICE_H

#include <clquant/context.h>
#include <stdbool.h>

/* The name of its platform. */
#define CLQ__POCL "Portable Computing Language"

/* How a device that promises correctly rounded quotients makes one. */
enum clq__division {
    CLQ__DIVIDES_BRIEFLY,  /* by some ten instructions and a branch */
    CLQ__DIVIDES_AT_ONCE,  /* in hardware */
    CLQ__DIVIDES_AT_LENGTH /* by about 200 instructions */
};

struct clq__device {
    cl_device_id id;
    cl_platform_id platform;
    char platform_name[128], platform_version[128], name[128], vendor[128], version[128], driver[128];
    size_t max_group_items;
    uint32_t compute_units;
    bool compiler;   /* builds kernels from source */
    bool group_form; /* many small work-items on neighbouring elements, instead of a few on long runs */
    bool native_arithmetic; /* promises correctly rounded division and subnormals */
    bool subnormals, fma;   /* promises these */
    enum clq__division division;
    bool prefetch;         /* takes __builtin_prefetch */
    bool amd;              /* such a processor, of AMD's: what is fast differs (cl/cpu/x86.clh) */
    bool takes_null;       /* for a buffer that the kernel does not touch */
    bool retains_buffers;  /* kernels do, so none is kept */
    bool large_buffers;    /* past 4 GiB only where builds and allocations ask for it */
    bool ends_loops;       /* after some rounds, see CLQ__MOST_ROUNDS */
    bool takes_its_groups; /* kernels do, whatever CL_KERNEL_WORK_GROUP_SIZE says */
};

/* Reads the traits; form and arithmetic are the caller's wishes (enum clq_form, clq_arithmetic).
 * CLQ_ERROR_DEVICE where the device is not one that kernels can run on. */
clq_status clq__device_init(struct clq__device *device, cl_device_id id, uint32_t form, uint32_t arithmetic);

/* Whether it would take the device, as far as the driver answers; no failure is told. */
bool clq__device_runs(cl_device_id id);

/* The flags of clCreateBuffer for a buffer of so many bytes. */
cl_mem_flags clq__device_buffer_flags(const struct clq__device *device, size_t size_bytes);

/* Whether it has a compiler, without which it runs what is kept or was added as a binary. */
bool clq__device_compiles(cl_device_id id);

#endif

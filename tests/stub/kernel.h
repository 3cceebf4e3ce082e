/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels, their arguments, and their launches. */
#ifndef CLQUANT_STUB_KERNEL_H
#define CLQUANT_STUB_KERNEL_H

#include "program.h"

#include <pthread.h>

struct stub_held_argument {
    bool set, fresh; /* fresh: no launch has used it */
    pthread_t setter;
    size_t size_bytes;
    unsigned char *value; /* a value's bytes */
    cl_mem buffer;        /* not retained: it is the caller's to keep */
};

struct _cl_kernel {
    struct stub_object object;
    cl_program program;
    struct stub_signature signature;
    struct stub_held_argument arguments[STUB_MOST_PARAMETERS];
};

/* One launch with all that it needs; the command has it, and the record of launches. */
struct stub_launch_copy {
    struct stub_launch launch;
    struct stub_argument arguments[STUB_MOST_PARAMETERS];
    cl_kernel kernel;
    size_t uses;
};

void stub_launch_drop(struct stub_launch_copy *launch);
void stub_launch_run(struct stub_command *command);
/* Keeps it in the record, if there is one. */
void stub_launch_record(struct stub_launch_copy *launch);
extern const struct stub_api stub_api;

/* Work-items in a group that it takes there. */
size_t stub_kernel_groups(cl_kernel kernel, cl_device_id device);

void stub_place_kernels(cl_icd_dispatch *table);
void stub_place_launches(cl_icd_dispatch *table);

#endif

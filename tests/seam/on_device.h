/* SPDX-License-Identifier: Apache-2.0 */
/* A random call's launches on a device. */
#ifndef CLQUANT_SEAM_ON_DEVICE_H
#define CLQUANT_SEAM_ON_DEVICE_H

#include "described.h"

/* Tensors of a call in buffers of the device, and what these hold after it. */
struct on_device {
    clq_context *context;
    cl_command_queue queue; /* in order */
    struct on_device_buffer {
        struct tensor *tensor;
        cl_mem buffer;
        unsigned char *after;
    } buffers[OPERATOR_MOST_TENSORS + 2];
    int count;
};

/* Runs all that the call launches, on copies of its tensors' memory, and reads these back. False, with a
 * sentence, where OpenCL or the library refuses. */
bool on_device_run(struct on_device *run, struct described *described, char *failure, size_t failure_bytes);
/* Once the call has run on the host: the same bytes. */
bool on_device_compare(const struct on_device *run, const struct described *described, char *failure,
                       size_t failure_bytes);
void on_device_clear(struct on_device *run);

#endif

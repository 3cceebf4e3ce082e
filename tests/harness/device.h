/* SPDX-License-Identifier: Apache-2.0 */
/* A device, and a call's tensors in its buffers. */
#ifndef CLQUANT_HARNESS_DEVICE_H
#define CLQUANT_HARNESS_DEVICE_H

#include "call.h"

struct device {
    clq_context *context;
    cl_context cl;
    cl_device_id id;
    cl_platform_id platform;
    cl_command_queue queue; /* in order: for what tests write and read themselves */
    size_t align;           /* of where a sub-buffer begins, in bytes */
};

/* The device that clquant/context.h chooses; on the stub of tests/stub kernels are run by tests/seam. False,
 * with a sentence on standard error, where there is none. */
bool device_open(struct device *device, const struct clq_context_desc *desc);
/* That of a context, which it owns from here on; false where OpenCL refuses a queue. */
bool device_of(struct device *device, clq_context *context);
void device_close(struct device *device);

/* The call's memory in buffers: one each, or as parts of a larger one, or as parts of one for all. Beside
 * parts nothing may be written either. */
struct placed {
    const struct device *device;
    struct call *call;
    struct placed_buffer {
        struct memory *memory;
        cl_mem whole, part;    /* part: NULL where it is the whole */
        size_t origin, beside; /* of the part in the whole, and how many bytes on both sides are watched */
    } buffers[OPERATOR_MOST_TENSORS + 2];
    int count;
    struct bound bound;
};

/* Makes them and binds the descriptor to them; NULL where OpenCL refuses a buffer. */
const void *placed_make(struct placed *placed, const struct device *device, struct call *call);
/* Reads them back to the call's memory; false, with a sentence, where OpenCL refuses,
 * or bytes beside have changed. */
bool placed_read(struct placed *placed, char *failure, size_t failure_bytes);
void placed_clear(struct placed *placed);

/* Every buffer of a descriptor, as a plan of it may be told of others. */
enum { PLACED_MOST_BINDINGS = OPERATOR_MOST_TENSORS + 2 };
size_t placed_bindings(const struct operator_row *op, const void *desc, struct clq_binding *bindings);

#endif

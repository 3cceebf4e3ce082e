/* SPDX-License-Identifier: Apache-2.0 */
/* A layer between the OpenCL loader and the driver: it asks before every call whether to fail it, and counts
 * what lives. The loader loads it (OPENCL_LAYERS); the same process then finds clq_layer() in it. */
#ifndef CLQUANT_FAULTS_LAYER_H
#define CLQUANT_FAULTS_LAYER_H

#include <stdbool.h>
#include <stddef.h>

struct layer {
    /* Asked before each call, NULL for never: true fails it with *code and without the driver. A release is
     * asked about after it was done, so that an injected failure leaves nothing behind. */
    bool (*fails)(const char *name, int *code);

    size_t calls;         /* all, injected ones included */
    size_t live;          /* references that calls through the layer hold: made or retained, not released */
    size_t over_released; /* releases of an object without a reference, which the driver never saw */
    size_t shared;        /* kernel objects that a second thread touched between arguments and enqueue */
    size_t
        given_null; /* kernels that were given work and a NULL buffer beside it; a rehearsal's is all zeros */
    size_t refused; /* calls that the driver itself refused */
    const char *refused_name;
    int refused_code;
    size_t unawaited; /* events that were released although no command and no call had waited for them */

    /* From this call on, the driver builds a text once in this context; NULL: in none. */
    void (*builds_once_in)(const void *context);

    const void *callers[2]; /* queues whose commands must follow, over others or at once, on a user event */
    size_t adrift;          /* and those that did not */
    char commands
        [1024]; /* what was enqueued in them since the first byte was set to 0, each with a space behind:
                               a kernel's name, "fill", "copy", "marker" or "transfer" */
};

struct layer *clq_layer(void);
typedef struct layer *(*clq_layer_function)(void);

/* The references to one object, by the same count. */
long clq_layer_references(const void *object);
typedef long (*clq_layer_references_function)(const void *object);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the paths work on: a device, the caller's own objects, and a call in buffers. */
#ifndef CLQUANT_FAULTS_WORLD_H
#define CLQUANT_FAULTS_WORLD_H

#include "layer.h"
#include "subject.h"

#include <limits.h>

struct world {
    struct layer *layer;
    clq_layer_references_function references;

    /* The caller's; its context is `warm`: it keeps no binaries, and kernels that paths
     * on it use are built. */
    struct device device;
    char platform_name[128];
    cl_command_queue out_of_order; /* NULL: the device has none */
    cl_event ready;                /* a completed event, for wait lists */

    char cold_dir[PATH_MAX], warm_dir[PATH_MAX], shared_dir[PATH_MAX]; /* of disk caches */

    struct subject *subject; /* of the path; NULL: it has none */

    /* what one path made, for its next step and its end */
    clq_context *context;
    DLManagedTensor *tensor;
    cl_mem part;
    cl_event done;
    cl_mem mapped_buffer;
    void *mapped;
    clq_plan *plan, *other; /* of the subject, and of tensors that nobody looks at */
    DLManagedTensor *x, *scales, *y;
};

/* False, with a line on stderr, where there is no device. */
bool world_open(struct world *world, const char *layer, const char *directory);
void world_close(struct world *world);

/* Waits for `done`, if there is one, and forgets it; false where it failed. */
bool world_await(struct world *world);

void world_remove(const char *directory);
/* The files of a directory whose name begins so. */
int world_count_files(const char *directory, const char *prefix);

#endif

/* What the paths work on: a device, the caller's own objects, and one small tensor of each kind. */
#ifndef CLQUANT_FAULTS_WORLD_H
#define CLQUANT_FAULTS_WORLD_H

#include "layer.h"

#include <clquant/clquant.h>
#include <limits.h>
#include <stdbool.h>

#define WORLD_ROWS  4
#define WORLD_COLS  64
#define WORLD_GUARD 64
#define WORLD_BYTES (WORLD_ROWS * WORLD_COLS + 2 * WORLD_GUARD)

/* What y must hold when a path succeeded. */
enum world_result { RESULT_NONE, RESULT_PLAIN, RESULT_WIDENED, RESULT_WORDS, RESULTS };

struct world {
    struct layer *layer;
    clq_layer_references_function references;

    cl_platform_id platform;
    cl_device_id device;
    char platform_name[128];
    cl_context cl; /* the caller's */
    cl_command_queue queue, out_of_order;
    cl_event ready; /* a completed event, for wait lists */
    cl_mem x, scales, half, zero_points, y;
    clq_context *warm; /* its kernels are built, and it keeps no binaries */

    DLTensor tensor_x, tensor_scales, tensor_half, tensor_zero_points, tensor_y, tensor_words, tensor_empty,
        tensor_empty_y;
    unsigned char expected[RESULTS][WORLD_BYTES];

    char cold_dir[PATH_MAX], warm_dir[PATH_MAX], shared_dir[PATH_MAX]; /* of disk caches */

    /* what one path made, for its next step and its end */
    clq_context *context;
    DLManagedTensor *tensor;
    cl_event done;
    void *mapped;
};

/* False, with a line on stderr, where there is no device. */
bool world_open(struct world *world, const char *layer, const char *directory);
void world_close(struct world *world);

/* Fills y with a pattern; then what y holds: RESULT_NONE for the pattern, -1 for anything else. */
void world_fill(struct world *world);
int world_result(struct world *world);

void world_remove(const char *directory);
/* The files of a directory whose name begins so. */
int world_count_files(const char *directory, const char *prefix);

#endif

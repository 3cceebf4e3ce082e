/* SPDX-License-Identifier: Apache-2.0 */
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
#define WORLD_SPACE 2560 /* of y, for the largest of its tensors */
#define WORLD_BYTES (WORLD_SPACE + 2 * WORLD_GUARD)

/* What y must hold when a path succeeded. */
enum world_result {
    RESULT_NONE,
    RESULT_PLAIN,
    RESULT_WIDENED,
    RESULT_WORDS,
    RESULT_GROUPS,
    RESULT_PLACED, /* at starts */
    RESULT_OWNED,  /* at pairs, which overlap */
    RESULT_HASHED,
    RESULT_COPIED, /* and nothing placed: what a call leaves that failed behind its copy */
    RESULT_COPIED_PLACED,
    RESULT_APART, /* the same of an input with gaps */
    RESULT_APART_OWNED,
    RESULT_SCALES,          /* of the columns */
    RESULT_SCALES_FINISHED, /* of rows that repeat: two kernels */
    RESULT_SCALES_OF_NONE,
    RESULT_DYNAMIC,
    RESULT_SMOOTHED,
    RESULT_DYNAMIC_PLACED,
    RESULT_DYNAMIC_OWNED,
    RESULT_V2,
    RESULT_BACK_WIDENED,
    RESULT_BACK_GATHERED,
    RESULTS
};

#define WORLD_ENTRIES 130 /* so many that a table of last entries is kept */

/* What the operators that read indices work on: y as a cache of three shapes. */
struct world_places {
    cl_mem input, starts, pairs, far_pairs, updates, zero_points, ends, group_half, workspace;
    DLTensor cache, narrow_cache, input_dense, input_apart, tensor_starts, tensor_pairs, tensor_far_pairs,
        few_updates, many_updates, narrow_updates, no_updates, no_pairs, tensor_scales, tensor_half,
        tensor_one, tensor_zero_points, group_scale, tensor_ends;
};

/* What dynamic quantization works on: y holds the data, and behind them the scales and the offsets. */
struct world_dynamic {
    cl_mem x, smooth, starts, pairs, workspace;
    DLTensor tensor_x, tensor_smooth, tensor_y, tensor_scale, tensor_offset, no_x, no_y, no_scale, cache,
        cache_scale, cache_offset, tensor_starts, tensor_pairs, few_updates, many_updates, one_head, var;
};

/* What finding scales works on: scales and zero points go into y. */
struct world_scales {
    DLTensor repeated, no_x, column_scales, column_zeros, row_scales, row_zeros;
};

/* What dequantization works on: x and the updates as integers. */
struct world_back {
    DLTensor q, y, no_q, no_y, cache, cache_scale, entries;
};

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
    cl_mem part_of_y;  /* a sub-buffer */
    clq_context *warm; /* its kernels are built, and it keeps no binaries */

    DLTensor tensor_x, tensor_scales, tensor_half, tensor_zero_points, tensor_y, tensor_words, tensor_empty,
        tensor_empty_y;
    struct world_places places;
    struct world_scales found;
    struct world_dynamic dynamic;
    struct world_back back;
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

/* Of world_places; with what its results must be. */
void world_places_open(struct world *world);
void world_places_close(struct world *world);
void world_scales_open(struct world *world);
void world_dynamic_open(struct world *world);
void world_back_open(struct world *world); /* after places */
void world_dynamic_close(struct world *world);

/* The test ends where its own making fails. */
void world_need(bool condition, const char *what);
DLTensor world_tensor(cl_mem data, DLDataType dtype, int ndim, int64_t *shape, uint64_t offset);
cl_mem world_buffer(struct world *world, size_t size, void *data);

/* Fills y with a pattern; then what y holds: RESULT_NONE for the pattern, -1 for anything else. */
void world_fill(struct world *world);
int world_result(struct world *world);

void world_remove(const char *directory);
/* The files of a directory whose name begins so. */
int world_count_files(const char *directory, const char *prefix);

#endif

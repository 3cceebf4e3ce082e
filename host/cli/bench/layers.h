/* SPDX-License-Identifier: Apache-2.0 */
/* The key and value caches of all layers of a step of decoding: in one buffer, with a layer's stride,
 * and in buffers of their own. */
#ifndef CLQUANT_BENCH_LAYERS_H
#define CLQUANT_BENCH_LAYERS_H

#include "bench.h"

enum { LAYERS_CACHES = 64 }; /* keys and values of 32 layers */

enum layers_buffer { LAYERS_CACHE, LAYERS_SCALES, LAYERS_OFFSETS, LAYERS_UPDATES, LAYERS_BUFFERS };

/* One cache, or all of them as one: [batch, cache, position, head, dim]. */
struct layers_part {
    cl_mem buffers[LAYERS_BUFFERS];
    int64_t cache_shape[5], cache_strides[5], updates_shape[5], updates_strides[5], scales_shape[5],
        scales_strides[5];
    DLTensor cache, scales, offsets, updates;
    union {
        struct clq_quantize_scatter_desc quantize_scatter;
        struct clq_dynamic_quantize_scatter_desc dynamic_quantize_scatter;
    } desc;
    clq_plan *plan;
};

struct layers {
    bool dynamic; /* int4, scales and offsets are found; else int8, scales for each head and channel */
    int64_t batch;
    cl_mem places;
    int64_t places_shape[1];
    DLTensor indices;
    struct layers_part whole, each[LAYERS_CACHES];
};

/* Buffers, descriptors and plans. end accepts what begin left, also where it failed. */
bool layers_begin(struct bench *bench, struct layers *layers, bool dynamic, int64_t batch);
void layers_end(struct layers *layers);

/* The operator's call of one of them. */
bool layers_call(struct bench *bench, const struct layers *layers, const struct layers_part *part);

/* All caches hold one byte everywhere. */
bool layers_clear(struct bench *bench, const struct layers *layers);
/* Refuses buffers of their own that do not hold what the one buffer does. */
bool layers_check(struct bench *bench, const struct layers *layers);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "layers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POSITIONS = 256, HEADS = 8, DIM = 128, RANK = 5 };

/* Of a cache as it lies in memory: [batch, position, head, dim]. */
static int64_t elements_of(const struct layers *layers)
{
    return layers->batch * POSITIONS * HEADS * DIM;
}

static size_t bytes_of(const struct layers *layers, enum layers_buffer buffer)
{
    switch (buffer) {
    case LAYERS_CACHE:
        return (size_t)elements_of(layers) / (layers->dynamic ? 2 : 1);
    case LAYERS_UPDATES:
        return (size_t)(layers->batch * HEADS * DIM) * sizeof(uint16_t);
    default:
        return sizeof(float) * (size_t)(layers->dynamic ? elements_of(layers) / DIM : HEADS * DIM);
    }
}

static cl_mem buffer(struct bench *bench, size_t size_bytes, const void *bytes)
{
    cl_int code = CL_SUCCESS;
    cl_mem made =
        clCreateBuffer(clq_context_cl(bench->context), CL_MEM_READ_WRITE | (bytes ? CL_MEM_COPY_HOST_PTR : 0),
                       size_bytes, (void *)bytes, &code);

    device_check(bench, "clCreateBuffer", code);
    return made;
}

/* Finite float16, or float32 scales, of any sort. */
static void fill(enum layers_buffer which, unsigned char *bytes, size_t size_bytes)
{
    uint32_t state = 1;

    for (size_t at = 0; at + 4 <= size_bytes; at += 4) {
        uint32_t word;

        state = state * 1664525 + 1013904223;
        word = which == LAYERS_UPDATES ? (state & 0x8fff8fff) | 0x30003000 : (state >> 12) | 0x3c000000;
        memcpy(bytes + at, &word, sizeof word);
    }
}

/* The first of them is the whole, and the others are its parts. */
static bool make_buffers(struct bench *bench, struct layers *layers, enum layers_buffer which)
{
    const size_t size_bytes = bytes_of(layers, which);
    unsigned char *bytes = calloc(LAYERS_CACHES, size_bytes);

    if (!bytes)
        return fail(&bench->failure, STATUS_SYSTEM, "bench: no memory for caches of layers");
    fill(which, bytes, LAYERS_CACHES * size_bytes);
    layers->whole.buffers[which] = buffer(bench, LAYERS_CACHES * size_bytes, bytes);
    for (int i = 0; i < LAYERS_CACHES && layers->whole.buffers[which]; i++) {
        layers->each[i].buffers[which] = buffer(bench, size_bytes, bytes + (size_t)i * size_bytes);
        if (!layers->each[i].buffers[which])
            break;
    }
    free(bytes);
    return layers->each[LAYERS_CACHES - 1].buffers[which] != NULL;
}

/* [batch, cache, position, head, dim] of what lies as [cache, batch, position, head, dim], and of one cache
 * without that dimension. */
static DLTensor tensor(cl_mem data, DLDataType dtype, const int64_t sizes[RANK], int64_t shape[RANK],
                       int64_t strides[RANK])
{
    static const int in_memory[RANK] = {1, 0, 2, 3, 4};
    int64_t dense[RANK], step = 1;
    int rank = 0;

    for (int i = RANK - 1; i >= 0; i--) {
        dense[in_memory[i]] = step;
        step *= sizes[in_memory[i]];
    }
    for (int d = 0; d < RANK; d++)
        if (sizes[d] > 0 && (d != 1 || sizes[d] > 1)) {
            shape[rank] = sizes[d];
            strides[rank++] = dense[d];
        }
    return (DLTensor){.data = data,
                      .device = {kDLOpenCL, 0},
                      .ndim = rank,
                      .dtype = dtype,
                      .shape = shape,
                      .strides = strides};
}

/* Of all but the last dimension. */
static DLTensor less_last(DLTensor of)
{
    of.ndim--;
    return of;
}

static void describe(struct layers *layers, struct layers_part *part, int64_t caches)
{
    const int64_t batch = layers->batch;
    const int axis = caches > 1 ? 2 : 1;

    part->cache =
        tensor(part->buffers[LAYERS_CACHE], layers->dynamic ? CLQ_INT4 : CLQ_INT8,
               (int64_t[]){batch, caches, POSITIONS, HEADS, DIM}, part->cache_shape, part->cache_strides);
    part->updates =
        tensor(part->buffers[LAYERS_UPDATES], CLQ_FLOAT16, (int64_t[]){batch, caches, 1, HEADS, DIM},
               part->updates_shape, part->updates_strides);
    if (layers->dynamic) {
        part->scales = less_last(tensor(part->buffers[LAYERS_SCALES], CLQ_FLOAT32,
                                        (int64_t[]){batch, caches, POSITIONS, HEADS, 1}, part->scales_shape,
                                        part->scales_strides));
        part->offsets = part->scales;
        part->offsets.data = part->buffers[LAYERS_OFFSETS];
        part->desc.dynamic_quantize_scatter =
            (struct clq_dynamic_quantize_scatter_desc){.cache = &part->cache,
                                                       .cache_scales = &part->scales,
                                                       .cache_offsets = &part->offsets,
                                                       .indices = &layers->indices,
                                                       .updates = &part->updates,
                                                       .axis = axis};
    } else {
        part->scales =
            tensor(part->buffers[LAYERS_SCALES], CLQ_FLOAT32, (int64_t[]){1, caches, 1, HEADS, DIM},
                   part->scales_shape, part->scales_strides);
        part->desc.quantize_scatter = (struct clq_quantize_scatter_desc){.cache = &part->cache,
                                                                         .indices = &layers->indices,
                                                                         .updates = &part->updates,
                                                                         .scales = &part->scales,
                                                                         .axis = axis};
    }
}

static bool plan(struct bench *bench, const struct layers *layers, struct layers_part *part)
{
    const clq_status status =
        layers->dynamic
            ? clq_dynamic_quantize_scatter_plan(bench->context, &part->desc.dynamic_quantize_scatter,
                                                &part->plan)
            : clq_quantize_scatter_plan(bench->context, &part->desc.quantize_scatter, &part->plan);

    return library_check(bench, status);
}

bool layers_begin(struct bench *bench, struct layers *layers, bool dynamic, int64_t batch)
{
    int32_t places[8];
    bool done;

    *layers = (struct layers){.dynamic = dynamic, .batch = batch, .places_shape = {batch}};
    for (int64_t i = 0; i < batch; i++)
        places[i] = (int32_t)(i * 37 % POSITIONS);
    layers->places = buffer(bench, (size_t)batch * sizeof *places, places);
    layers->indices = clq_tensor_view(layers->places, CLQ_INT32, 1, layers->places_shape);
    done = layers->places != NULL;
    for (int which = 0; which < LAYERS_BUFFERS && done; which++)
        done = make_buffers(bench, layers, (enum layers_buffer)which);
    describe(layers, &layers->whole, LAYERS_CACHES);
    done = done && plan(bench, layers, &layers->whole);
    for (int i = 0; i < LAYERS_CACHES && done; i++) {
        describe(layers, &layers->each[i], 1);
        done = plan(bench, layers, &layers->each[i]);
    }
    return done;
}

static void end_part(struct layers_part *part)
{
    clq_plan_destroy(part->plan);
    for (int i = 0; i < LAYERS_BUFFERS; i++)
        if (part->buffers[i])
            clReleaseMemObject(part->buffers[i]);
}

void layers_end(struct layers *layers)
{
    end_part(&layers->whole);
    for (int i = 0; i < LAYERS_CACHES; i++)
        end_part(&layers->each[i]);
    if (layers->places)
        clReleaseMemObject(layers->places);
}

bool layers_call(struct bench *bench, const struct layers *layers, const struct layers_part *part)
{
    const clq_status status =
        layers->dynamic
            ? clq_dynamic_quantize_scatter(bench->context, bench->queue, &part->desc.dynamic_quantize_scatter,
                                           0, NULL, NULL)
            : clq_quantize_scatter(bench->context, bench->queue, &part->desc.quantize_scatter, 0, NULL, NULL);

    return library_check(bench, status);
}

static bool clear_part(struct bench *bench, const struct layers *layers, const struct layers_part *part,
                       size_t caches)
{
    const cl_uint pattern = 0x55555555;
    cl_int code = CL_SUCCESS;

    for (int i = 0; i <= (layers->dynamic ? LAYERS_OFFSETS : LAYERS_CACHE) && code == CL_SUCCESS; i++)
        code = clEnqueueFillBuffer(bench->queue, part->buffers[i], &pattern, sizeof pattern, 0,
                                   caches * bytes_of(layers, (enum layers_buffer)i), 0, NULL, NULL);
    return device_check(bench, "clEnqueueFillBuffer", code);
}

bool layers_clear(struct bench *bench, const struct layers *layers)
{
    bool done = clear_part(bench, layers, &layers->whole, LAYERS_CACHES);

    for (int i = 0; i < LAYERS_CACHES && done; i++)
        done = clear_part(bench, layers, &layers->each[i], 1);
    return done;
}

static bool read(struct bench *bench, cl_mem from, size_t size_bytes, unsigned char *bytes)
{
    return device_check(
        bench, "clEnqueueReadBuffer",
        clEnqueueReadBuffer(bench->queue, from, CL_TRUE, 0, size_bytes, bytes, 0, NULL, NULL));
}

static bool compare(struct bench *bench, const struct layers *layers, enum layers_buffer which,
                    unsigned char *whole, unsigned char *one)
{
    const size_t size_bytes = bytes_of(layers, which);
    bool done = read(bench, layers->whole.buffers[which], LAYERS_CACHES * size_bytes, whole);

    for (size_t i = 0; i < LAYERS_CACHES && done; i++) {
        done = read(bench, layers->each[i].buffers[which], size_bytes, one);
        if (done && memcmp(one, whole + i * size_bytes, size_bytes) != 0)
            done = fail(&bench->failure, STATUS_SYSTEM,
                        "bench: cache %zu of all layers has other bytes in a buffer of its own", i);
    }
    return done;
}

bool layers_check(struct bench *bench, const struct layers *layers)
{
    bool done = true;

    for (int i = 0; i < LAYERS_UPDATES && done; i++) {
        const enum layers_buffer which = (enum layers_buffer)i;
        unsigned char *whole = malloc(LAYERS_CACHES * bytes_of(layers, which)),
                      *one = malloc(bytes_of(layers, which));

        done = whole && one ? compare(bench, layers, which, whole, one)
                            : fail(&bench->failure, STATUS_SYSTEM, "bench: no memory to compare layers");
        free(whole);
        free(one);
    }
    return done;
}

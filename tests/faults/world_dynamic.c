/* SPDX-License-Identifier: Apache-2.0 */
/* Making what dynamic quantization works on: data, scales and offsets all lie in y. */
#include "world.h"

#include "dynamic.h"

#include <string.h>

#define AT_SCALE  (WORLD_GUARD + 256) /* bytes of y; the data stand at its guard */
#define AT_OFFSET (WORLD_GUARD + 512)
#define ROWS      6

static int64_t shape_x[2] = {ROWS, 8}, shape_rows[1] = {ROWS}, shape_smooth[1] = {8}, shape_none[2] = {0, 8},
               shape_no_rows[1] = {0}, shape_cache[3] = {4, 8, 4}, shape_cache_rows[2] = {4, 8},
               shape_starts[1] = {4}, shape_few[3] = {4, 2, 4}, shape_pairs[2] = {WORLD_ENTRIES, 2},
               shape_many[3] = {WORLD_ENTRIES, 1, 4}, shape_one_head[3] = {4, 1, 8},
               shape_var[4] = {4, 8, 1, 8};

/* The host's side of it. */
static struct {
    float x[WORLD_ENTRIES * 8];
    uint16_t smooth[8];
    int32_t starts[4], pairs[WORLD_ENTRIES][2];
} host;

static void fill(void)
{
    static const int32_t starts[4] = {0, 5, -1, 6}; /* the third drops */

    for (int i = 0; i < WORLD_ENTRIES * 8; i++)
        host.x[i] = (float)(i * 29 % 61) * 1.5f - 40.0f;
    for (int i = 0; i < 8; i++)
        host.smooth[i] = reference_narrow_bf16(0.5f + 0.25f * (float)i);
    memcpy(host.starts, starts, sizeof starts);
    for (int i = 0; i < WORLD_ENTRIES; i++) {
        host.pairs[i][0] = i % 5; /* the fifth batch is none */
        host.pairs[i][1] = i * 3 % 8;
    }
}

static void make(struct world *world)
{
    struct world_dynamic *d = &world->dynamic;

    d->x = world_buffer(world, sizeof host.x, host.x);
    d->smooth = world_buffer(world, sizeof host.smooth, host.smooth);
    d->starts = world_buffer(world, sizeof host.starts, host.starts);
    d->pairs = world_buffer(world, sizeof host.pairs, host.pairs);
    d->workspace = world_buffer(world, sizeof host.x, host.x);
    d->tensor_x = world_tensor(d->x, CLQ_FLOAT32, 2, shape_x, 0);
    d->tensor_smooth = world_tensor(d->smooth, CLQ_BFLOAT16, 1, shape_smooth, 0);
    d->tensor_y = world_tensor(world->y, CLQ_INT8, 2, shape_x, WORLD_GUARD);
    d->tensor_scale = world_tensor(world->y, CLQ_FLOAT32, 1, shape_rows, AT_SCALE);
    d->tensor_offset = world_tensor(world->y, CLQ_FLOAT32, 1, shape_rows, AT_OFFSET);
    d->no_x = world_tensor(d->x, CLQ_FLOAT32, 2, shape_none, 0);
    d->no_y = world_tensor(world->y, CLQ_INT8, 2, shape_none, WORLD_GUARD);
    d->no_scale = world_tensor(world->y, CLQ_FLOAT32, 1, shape_no_rows, AT_SCALE);
    d->cache = world_tensor(world->y, CLQ_INT8, 3, shape_cache, WORLD_GUARD);
    d->cache_scale = world_tensor(world->y, CLQ_FLOAT32, 2, shape_cache_rows, AT_SCALE);
    d->cache_offset = world_tensor(world->y, CLQ_FLOAT32, 2, shape_cache_rows, AT_OFFSET);
    d->tensor_starts = world_tensor(d->starts, CLQ_INT32, 1, shape_starts, 0);
    d->tensor_pairs = world_tensor(d->pairs, CLQ_INT32, 2, shape_pairs, 0);
    d->few_updates = world_tensor(d->x, CLQ_FLOAT32, 3, shape_few, 0);
    d->many_updates = world_tensor(d->x, CLQ_FLOAT32, 3, shape_many, 0);
    d->one_head = world_tensor(d->x, CLQ_FLOAT32, 3, shape_one_head, 0);
    d->var = world_tensor(world->y, CLQ_INT4, 4, shape_var, WORLD_GUARD);
}

static struct reference_tensor of(enum reference_type type, int rank, const int64_t *shape, void *data)
{
    return reference_dense(type, 1, rank, shape, data);
}

static void expect_dense(struct world *world, enum world_result result, void *smooth)
{
    unsigned char *image = world->expected[result];
    const struct reference_tensor x = of(REFERENCE_F32, 2, shape_x, host.x),
                                  half = of(REFERENCE_BF16, 1, shape_smooth, smooth),
                                  y = of(REFERENCE_I8, 2, shape_x, image + WORLD_GUARD),
                                  scale = of(REFERENCE_F32, 1, shape_rows, image + AT_SCALE),
                                  offset = of(REFERENCE_F32, 1, shape_rows, image + AT_OFFSET);

    memcpy(image, world->expected[RESULT_NONE], WORLD_BYTES);
    reference_dynamic_quantize(&(struct reference_dynamic_quantize_desc){
        .x = &x, .smooth_scale = smooth ? &half : NULL, .y = &y, .scale = &scale, .offset = &offset});
}

static void expect_scatter(struct world *world, enum world_result result,
                           const struct reference_tensor *indices, const struct reference_tensor *updates)
{
    unsigned char *image = world->expected[result];
    const struct reference_tensor cache = of(REFERENCE_I8, 3, shape_cache, image + WORLD_GUARD),
                                  scale = of(REFERENCE_F32, 2, shape_cache_rows, image + AT_SCALE),
                                  offset = of(REFERENCE_F32, 2, shape_cache_rows, image + AT_OFFSET);

    memcpy(image, world->expected[RESULT_NONE], WORLD_BYTES);
    reference_dynamic_quantize_scatter(
        &(struct reference_dynamic_quantize_scatter_desc){.cache = &cache,
                                                          .cache_scale = &scale,
                                                          .cache_offset = &offset,
                                                          .indices = indices,
                                                          .updates = updates,
                                                          .axis = 1});
}

static void expect_v2(struct world *world, const struct reference_tensor *indices)
{
    unsigned char *image = world->expected[RESULT_V2];
    const struct reference_tensor x = of(REFERENCE_F32, 3, shape_one_head, host.x),
                                  var = of(REFERENCE_I4, 4, shape_var, image + WORLD_GUARD),
                                  scale = of(REFERENCE_F32, 2, shape_cache_rows, image + AT_SCALE),
                                  offset = of(REFERENCE_F32, 2, shape_cache_rows, image + AT_OFFSET);

    memcpy(image, world->expected[RESULT_NONE], WORLD_BYTES);
    reference_dynamic_quant_update_scatter_v2(&(struct reference_dynamic_quant_update_scatter_v2_desc){
        .x = &x, .indices = indices, .var = &var, .var_scale = &scale, .var_offset = &offset});
}

void world_dynamic_open(struct world *world)
{
    fill();
    make(world);
    {
        const struct reference_tensor starts = of(REFERENCE_I32, 1, shape_starts, host.starts),
                                      pairs = of(REFERENCE_I32, 2, shape_pairs, host.pairs),
                                      few = of(REFERENCE_F32, 3, shape_few, host.x),
                                      many = of(REFERENCE_F32, 3, shape_many, host.x);

        expect_dense(world, RESULT_DYNAMIC, NULL);
        expect_dense(world, RESULT_SMOOTHED, host.smooth);
        expect_scatter(world, RESULT_DYNAMIC_PLACED, &starts, &few);
        expect_scatter(world, RESULT_DYNAMIC_OWNED, &pairs, &many);
        expect_v2(world, &starts);
    }
}

void world_dynamic_close(struct world *world)
{
    const struct world_dynamic *d = &world->dynamic;
    const cl_mem buffers[] = {d->x, d->smooth, d->starts, d->pairs, d->workspace};

    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        clReleaseMemObject(buffers[i]);
}

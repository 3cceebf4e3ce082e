/* SPDX-License-Identifier: Apache-2.0 */
/* Making what the operators that read indices work on. */
#include "world.h"

#include "reference.h"

#include <string.h>

#define INPUT_STEP 136 /* from batch to batch of the input with gaps: 128 elements and some */

static int64_t shape_cache[3] = {8, 16, 8}, shape_narrow[3] = {8, 320, 1},
               strides_apart[3] = {INPUT_STEP, 8, 1}, shape_starts[1] = {6},
               shape_pairs[2] = {WORLD_ENTRIES, 2}, shape_none[2] = {0, 2}, shape_few[3] = {6, 3, 8},
               shape_many[3] = {WORLD_ENTRIES, 1, 8}, shape_empty[3] = {0, 1, 8},
               shape_each[3] = {WORLD_ENTRIES, 1, 1}, shape_last[1] = {8}, shape_one[1] = {1},
               shape_groups[2] = {2, WORLD_COLS}, shape_ends[1] = {2};

/* The host's side of it. */
static struct {
    unsigned char input[8 * INPUT_STEP];
    float updates[WORLD_ENTRIES * 8], scales[WORLD_COLS];
    uint16_t half[2 * WORLD_COLS];
    int8_t zero_points[8];
    int32_t starts[6], pairs[WORLD_ENTRIES][2];
    int64_t far_pairs[WORLD_ENTRIES][2], ends[2];
} host;

static void fill(void)
{
    static const int32_t starts[6] = {0, 13, 5, -1, 7, 14}; /* the fourth and the last drop */

    for (size_t i = 0; i < sizeof host.input; i++)
        host.input[i] = (unsigned char)(i * 7 + 1);
    for (int i = 0; i < WORLD_ENTRIES * 8; i++)
        host.updates[i] = (float)(i % 61) * 1.5f - 40.0f;
    for (int i = 0; i < WORLD_COLS; i++)
        host.scales[i] = 0.125f * (float)(i + 1); /* as world->scales */
    for (int i = 0; i < 2 * WORLD_COLS; i++)
        host.half[i] = (uint16_t)(0x3800 + 8 * i); /* from 0.5 */
    for (int i = 0; i < 8; i++)
        host.zero_points[i] = (int8_t)(3 * i - 10);
    memcpy(host.starts, starts, sizeof starts);
    for (int i = 0; i < WORLD_ENTRIES; i++) {
        host.pairs[i][0] = i * 5 % 9; /* the ninth batch is none */
        host.pairs[i][1] = i * 3 % 16;
        host.far_pairs[i][0] = i % 8;
        host.far_pairs[i][1] = i * 11 % 40;
    }
    host.ends[0] = 1;
    host.ends[1] = 3; /* of four rows */
}

static void make(struct world *world)
{
    struct world_places *p = &world->places;

    p->input = world_buffer(world, sizeof host.input, host.input);
    p->updates = world_buffer(world, sizeof host.updates, host.updates);
    p->zero_points = world_buffer(world, sizeof host.zero_points, host.zero_points);
    p->starts = world_buffer(world, sizeof host.starts, host.starts);
    p->pairs = world_buffer(world, sizeof host.pairs, host.pairs);
    p->far_pairs = world_buffer(world, sizeof host.far_pairs, host.far_pairs);
    p->ends = world_buffer(world, sizeof host.ends, host.ends);
    p->group_half = world_buffer(world, sizeof host.half, host.half);
    p->workspace = world_buffer(world, sizeof host.input, host.input);
    p->cache = world_tensor(world->y, CLQ_INT8, 3, shape_cache, WORLD_GUARD);
    p->narrow_cache = world_tensor(world->y, CLQ_INT8, 3, shape_narrow, WORLD_GUARD);
    p->input_dense = world_tensor(p->input, CLQ_INT8, 3, shape_cache, 0);
    p->input_apart = world_tensor(p->input, CLQ_INT8, 3, shape_cache, 0);
    p->input_apart.strides = strides_apart;
    p->tensor_starts = world_tensor(p->starts, CLQ_INT32, 1, shape_starts, 0);
    p->tensor_pairs = world_tensor(p->pairs, CLQ_INT32, 2, shape_pairs, 0);
    p->tensor_far_pairs = world_tensor(p->far_pairs, CLQ_INT64, 2, shape_pairs, 0);
    p->no_pairs = world_tensor(p->pairs, CLQ_INT32, 2, shape_none, 0);
    p->few_updates = world_tensor(p->updates, CLQ_FLOAT32, 3, shape_few, 0);
    p->many_updates = world_tensor(p->updates, CLQ_FLOAT32, 3, shape_many, 0);
    p->narrow_updates = world_tensor(p->updates, CLQ_FLOAT32, 3, shape_each, 0);
    p->no_updates = world_tensor(p->updates, CLQ_FLOAT32, 3, shape_empty, 0);
    p->tensor_scales = world_tensor(world->scales, CLQ_FLOAT32, 1, shape_last, 0);
    p->tensor_half = world_tensor(p->group_half, CLQ_FLOAT16, 1, shape_last, 0);
    p->tensor_one = world_tensor(world->scales, CLQ_FLOAT32, 1, shape_one, 0);
    p->tensor_zero_points = world_tensor(p->zero_points, CLQ_INT8, 1, shape_last, 0);
    p->group_scale = world_tensor(p->group_half, CLQ_FLOAT16, 2, shape_groups, 0);
    p->tensor_ends = world_tensor(p->ends, CLQ_INT64, 1, shape_ends, 0);
}

static struct reference_tensor of(enum reference_type type, int rank, const int64_t *shape, void *data)
{
    return reference_dense(type, 1, rank, shape, data);
}

/* Over what y holds before; `copied` may be NULL. */
static void expect(struct world *world, enum world_result result, const struct reference_tensor *copied,
                   const struct reference_quantize_scatter_desc *call)
{
    const bool narrow = call != NULL && call->updates->shape[2] == 1;
    unsigned char *image = world->expected[result];
    const struct reference_tensor cache =
        of(REFERENCE_I8, 3, narrow ? shape_narrow : shape_cache, image + WORLD_GUARD);
    struct reference_quantize_scatter_desc desc;

    memcpy(image, world->expected[RESULT_NONE], WORLD_BYTES);
    if (copied != NULL)
        reference_copy(copied, &cache);
    if (call == NULL)
        return;
    desc = *call;
    desc.cache = &cache;
    desc.axis = 1;
    reference_quantize_scatter(&desc);
}

static void expect_all(struct world *world)
{
    const struct reference_tensor dense = of(REFERENCE_I8, 3, shape_cache, host.input),
                                  starts = of(REFERENCE_I32, 1, shape_starts, host.starts),
                                  pairs = of(REFERENCE_I32, 2, shape_pairs, host.pairs),
                                  far_pairs = of(REFERENCE_I64, 2, shape_pairs, host.far_pairs),
                                  few = of(REFERENCE_F32, 3, shape_few, host.updates),
                                  many = of(REFERENCE_F32, 3, shape_many, host.updates),
                                  each = of(REFERENCE_F32, 3, shape_each, host.updates),
                                  scales = of(REFERENCE_F32, 1, shape_last, host.scales),
                                  half = of(REFERENCE_F16, 1, shape_last, host.half),
                                  one = of(REFERENCE_F32, 1, shape_one, host.scales),
                                  zero_points = of(REFERENCE_I8, 1, shape_last, host.zero_points);
    struct reference_tensor apart = dense;
    const struct reference_quantize_scatter_desc
        placed = {.indices = &starts, .updates = &few, .scales = &scales},
        owned = {.indices = &pairs, .updates = &many, .scales = &half, .zero_points = &zero_points},
        hashed = {.indices = &far_pairs, .updates = &each, .scales = &one};

    memcpy(apart.strides, strides_apart, sizeof strides_apart);
    expect(world, RESULT_PLACED, NULL, &placed);
    expect(world, RESULT_OWNED, NULL, &owned);
    expect(world, RESULT_HASHED, NULL, &hashed);
    expect(world, RESULT_COPIED, &dense, NULL);
    expect(world, RESULT_COPIED_PLACED, &dense, &placed);
    expect(world, RESULT_APART, &apart, NULL);
    expect(world, RESULT_APART_OWNED, &apart, &owned);
}

static void expect_groups(struct world *world, void *x)
{
    const int64_t shape[2] = {WORLD_ROWS, WORLD_COLS};
    const struct reference_tensor rows = of(REFERENCE_F32, 2, shape, x),
                                  scale = of(REFERENCE_F16, 2, shape_groups, host.half),
                                  ends = of(REFERENCE_I64, 1, shape_ends, host.ends);
    struct reference_tensor y;

    memcpy(world->expected[RESULT_GROUPS], world->expected[RESULT_NONE], WORLD_BYTES);
    y = of(REFERENCE_I8, 2, shape, world->expected[RESULT_GROUPS] + WORLD_GUARD);
    reference_group_quantize(
        &(struct reference_group_quantize_desc){.x = &rows, .scale = &scale, .group_index = &ends, .y = &y});
}

void world_places_open(struct world *world)
{
    float x[WORLD_ROWS * WORLD_COLS];

    fill();
    make(world);
    world_need(clEnqueueReadBuffer(world->queue, world->x, CL_TRUE, 0, sizeof x, x, 0, NULL, NULL) ==
                   CL_SUCCESS,
               "clEnqueueReadBuffer");
    expect_all(world);
    expect_groups(world, x);
}

void world_places_close(struct world *world)
{
    const struct world_places *p = &world->places;
    const cl_mem buffers[] = {p->input,     p->updates, p->zero_points, p->starts,   p->pairs,
                              p->far_pairs, p->ends,    p->group_half,  p->workspace};

    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        clReleaseMemObject(buffers[i]);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The paths of the way back: a kernel alone, and behind those that widen for it. */
#include "paths.h"

typedef struct clq_dequantize_desc back_desc;

/* Scales and zero points widened, then the kernel. */
static back_desc widened(const struct world *world)
{
    return (back_desc){.q = &world->back.q,
                       .scales = &world->tensor_half,
                       .zero_points = &world->tensor_zero_points,
                       .y = &world->back.y,
                       .axis = 1,
                       .mode = CLQ_DEQUANTIZE_MULTIPLY};
}

static back_desc gathered(const struct world *world)
{
    return (back_desc){.q = &world->back.cache,
                       .scales = &world->back.cache_scale,
                       .indices = &world->places.tensor_starts,
                       .y = &world->back.entries,
                       .axis = 1,
                       .mode = CLQ_DEQUANTIZE_DYNAMIC};
}

static back_desc of_none(const struct world *world)
{
    back_desc desc = widened(world);

    desc.q = &world->back.no_q;
    desc.y = &world->back.no_y;
    return desc;
}

static clq_status run(struct world *world, clq_context *context, cl_command_queue queue, back_desc desc)
{
    return clq_dequantize(context, queue, &desc, 1, &world->ready, &world->done);
}

static clq_status dequantize(struct world *world)
{
    return run(world, world->warm, world->queue, widened(world));
}

static clq_status out_of_order(struct world *world)
{
    return run(world, world->warm, world->out_of_order, widened(world));
}

static clq_status gather(struct world *world)
{
    return run(world, world->warm, world->queue, gathered(world));
}

static clq_status no_event(struct world *world)
{
    const back_desc desc = gathered(world);

    return clq_dequantize(world->warm, world->queue, &desc, 0, NULL, NULL);
}

static clq_status empty(struct world *world)
{
    return run(world, world->warm, world->queue, of_none(world));
}

static clq_status check_indices(struct world *world)
{
    const back_desc desc = gathered(world);

    return clq_dequantize_check_indices(world->warm, world->queue, &desc, 1, &world->ready);
}

static clq_status build(struct world *world)
{
    const back_desc desc = widened(world);

    return clq_dequantize_build(world->context, &desc);
}

static clq_status first_call(struct world *world)
{
    return run(world, world->context, world->queue, widened(world));
}

bool back_paths_prime(struct world *world)
{
    const back_desc a = widened(world), b = gathered(world);

    return clq_dequantize_build(world->warm, &a) == CLQ_OK && clq_dequantize_build(world->warm, &b) == CLQ_OK;
}

const struct path back_paths[] = {
    {"dequantize, widened", 0, CLQ_OK, RESULT_BACK_WIDENED, NULL, dequantize, NULL},
    {"dequantize, widened, out of order", 0, CLQ_OK, RESULT_BACK_WIDENED, NULL, out_of_order, NULL},
    {"dequantize, gathered", 0, CLQ_OK, RESULT_BACK_GATHERED, NULL, gather, NULL},
    {"dequantize, no event", PATH_UNTIED, CLQ_OK, RESULT_BACK_GATHERED, NULL, no_event, NULL},
    {"dequantize, empty", 0, CLQ_OK, RESULT_NONE, NULL, empty, NULL},
    {"dequantize_check_indices", 0, CLQ_ERROR_INDEX, RESULT_NONE, NULL, check_indices, NULL},
    {"dequantize_build", 0, CLQ_OK, RESULT_NONE, path_new_context, build, path_destroy_context},
    {"first call, dequantize", 0, CLQ_OK, RESULT_BACK_WIDENED, path_new_context, first_call,
     path_destroy_context},
};
const size_t num_back_paths = sizeof back_paths / sizeof back_paths[0];

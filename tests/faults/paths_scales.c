/* SPDX-License-Identifier: Apache-2.0 */
/* The paths of finding scales: one kernel, two that follow each other, and the second alone. */
#include "paths.h"

typedef struct clq_find_scales_desc scales_desc;

static scales_desc columns(const struct world *world)
{
    const struct world_scales *s = &world->found;

    return (scales_desc){.x = &world->tensor_x,
                         .scales = &s->column_scales,
                         .zero_points = &s->column_zeros,
                         .dtype = CLQ_UINT8,
                         .axis = 1,
                         .method = CLQ_MINMAX};
}

/* All indices have one range, which finish_scales.cl takes to each. */
static scales_desc repeated(const struct world *world)
{
    scales_desc desc = columns(world);

    desc.x = &world->found.repeated;
    desc.scales = &world->found.row_scales;
    desc.zero_points = &world->found.row_zeros;
    desc.axis = CLQ_AXIS_FIRST;
    return desc;
}

static scales_desc of_none(const struct world *world)
{
    scales_desc desc = columns(world);

    desc.x = &world->found.no_x;
    return desc;
}

static clq_status run(struct world *world, clq_context *context, cl_command_queue queue, scales_desc desc)
{
    return clq_find_scales(context, queue, &desc, 1, &world->ready, &world->done);
}

static clq_status one_kernel(struct world *world)
{
    return run(world, world->warm, world->queue, columns(world));
}

static clq_status two_kernels(struct world *world)
{
    return run(world, world->warm, world->queue, repeated(world));
}

static clq_status out_of_order(struct world *world)
{
    return run(world, world->warm, world->out_of_order, repeated(world));
}

static clq_status no_event(struct world *world)
{
    const scales_desc desc = repeated(world);

    return clq_find_scales(world->warm, world->queue, &desc, 0, NULL, NULL);
}

static clq_status empty(struct world *world)
{
    return run(world, world->warm, world->queue, of_none(world));
}

static clq_status build(struct world *world)
{
    const scales_desc desc = repeated(world);

    return clq_find_scales_build(world->context, &desc);
}

static clq_status first_call(struct world *world)
{
    return run(world, world->context, world->queue, repeated(world));
}

bool scales_paths_prime(struct world *world)
{
    const scales_desc a = columns(world), b = repeated(world);

    return clq_find_scales_build(world->warm, &a) == CLQ_OK &&
           clq_find_scales_build(world->warm, &b) == CLQ_OK;
}

const struct path scales_paths[] = {
    {"scales", 0, CLQ_OK, RESULT_SCALES, NULL, one_kernel, NULL},
    {"scales, finished", 0, CLQ_OK, RESULT_SCALES_FINISHED, NULL, two_kernels, NULL},
    {"scales, finished, out of order", 0, CLQ_OK, RESULT_SCALES_FINISHED, NULL, out_of_order, NULL},
    {"scales, no event", PATH_UNTIED, CLQ_OK, RESULT_SCALES_FINISHED, NULL, no_event, NULL},
    {"scales, empty", 0, CLQ_OK, RESULT_SCALES_OF_NONE, NULL, empty, NULL},
    {"scales_build", 0, CLQ_OK, RESULT_NONE, path_new_context, build, path_destroy_context},
    {"first call, scales", 0, CLQ_OK, RESULT_SCALES_FINISHED, path_new_context, first_call,
     path_destroy_context},
};
const size_t num_scales_paths = sizeof scales_paths / sizeof scales_paths[0];

/* SPDX-License-Identifier: Apache-2.0 */
/* The paths of dynamic quantization: dense, and into caches. */
#include "paths.h"

typedef struct clq_dynamic_quantize_desc dense_desc;
typedef struct clq_dynamic_quantize_scatter_desc scatter_desc;

static dense_desc dense(const struct world *world)
{
    const struct world_dynamic *d = &world->dynamic;

    return (dense_desc){
        .x = &d->tensor_x, .y = &d->tensor_y, .scales = &d->tensor_scale, .offsets = &d->tensor_offset};
}

/* A smooth scale that has to be widened. */
static dense_desc smoothed(const struct world *world)
{
    dense_desc desc = dense(world);

    desc.smooth_scales = &world->dynamic.tensor_smooth;
    return desc;
}

static dense_desc none(const struct world *world)
{
    const struct world_dynamic *d = &world->dynamic;

    return (dense_desc){.x = &d->no_x, .y = &d->no_y, .scales = &d->no_scale, .symmetric = 1};
}

/* The kernel alone, at starts. */
static scatter_desc placed(const struct world *world)
{
    const struct world_dynamic *d = &world->dynamic;

    return (scatter_desc){.cache = &d->cache,
                          .cache_scales = &d->cache_scale,
                          .cache_offsets = &d->cache_offset,
                          .indices = &d->tensor_starts,
                          .updates = &d->few_updates,
                          .axis = 1};
}

/* A table cleared and claimed, the kernel. */
static scatter_desc owned(const struct world *world)
{
    scatter_desc desc = placed(world);

    desc.indices = &world->dynamic.tensor_pairs;
    desc.updates = &world->dynamic.many_updates;
    return desc;
}

static clq_status run(struct world *world, clq_context *context, cl_command_queue queue, scatter_desc desc)
{
    return clq_dynamic_quantize_scatter(context, queue, &desc, 1, &world->ready, &world->done);
}

static clq_status run_dense(struct world *world, clq_context *context, dense_desc desc)
{
    return clq_dynamic_quantize(context, world->queue, &desc, 1, &world->ready, &world->done);
}

static clq_status dynamic(struct world *world)
{
    return run_dense(world, world->warm, dense(world));
}

static clq_status dynamic_smoothed(struct world *world)
{
    return run_dense(world, world->warm, smoothed(world));
}

static clq_status dynamic_no_event(struct world *world)
{
    const dense_desc desc = smoothed(world);

    return clq_dynamic_quantize(world->warm, world->queue, &desc, 0, NULL, NULL);
}

static clq_status dynamic_empty(struct world *world)
{
    return run_dense(world, world->warm, none(world));
}

static clq_status scatter(struct world *world)
{
    return run(world, world->warm, world->queue, placed(world));
}

static clq_status scatter_owned(struct world *world)
{
    return run(world, world->warm, world->queue, owned(world));
}

static clq_status scatter_out_of_order(struct world *world)
{
    return run(world, world->warm, world->out_of_order, owned(world));
}

static clq_status scatter_in_workspace(struct world *world)
{
    scatter_desc desc = owned(world);

    desc.workspace = world->dynamic.workspace;
    desc.workspace_offset_bytes = 4;
    return run(world, world->warm, world->queue, desc);
}

static clq_status scatter_workspace(struct world *world)
{
    const scatter_desc desc = owned(world);
    size_t bytes;

    return clq_dynamic_quantize_scatter_workspace(world->warm, &desc, &bytes);
}

static clq_status scatter_check_indices(struct world *world)
{
    const scatter_desc desc = placed(world);

    return clq_dynamic_quantize_scatter_check_indices(world->warm, world->queue, &desc, 1, &world->ready);
}

static clq_status update_scatter_v2(struct world *world)
{
    const struct world_dynamic *d = &world->dynamic;

    return clq_dynamic_quant_update_scatter_v2(world->warm, world->queue, &d->one_head, &d->tensor_starts,
                                               &d->var, &d->cache_scale, &d->cache_offset, 1, &world->ready,
                                               &world->done);
}

static clq_status first_call(struct world *world)
{
    return run_dense(world, world->context, smoothed(world));
}

bool dynamic_paths_prime(struct world *world)
{
    const dense_desc denses[] = {dense(world), smoothed(world)};
    const scatter_desc scatters[] = {placed(world), owned(world)};

    for (int i = 0; i < 2; i++)
        if (clq_dynamic_quantize_build(world->warm, &denses[i]) != CLQ_OK ||
            clq_dynamic_quantize_scatter_build(world->warm, &scatters[i]) != CLQ_OK)
            return false;
    if (update_scatter_v2(world) != CLQ_OK)
        return false;
    clWaitForEvents(1, &world->done);
    clReleaseEvent(world->done);
    world->done = NULL;
    return true;
}

const struct path dynamic_paths[] = {
    {"dynamic", 0, CLQ_OK, RESULT_DYNAMIC, NULL, dynamic, NULL},
    {"dynamic, smoothed", 0, CLQ_OK, RESULT_SMOOTHED, NULL, dynamic_smoothed, NULL},
    {"dynamic, no event", PATH_UNTIED, CLQ_OK, RESULT_SMOOTHED, NULL, dynamic_no_event, NULL},
    {"dynamic, empty", 0, CLQ_OK, RESULT_NONE, NULL, dynamic_empty, NULL},
    {"dynamic scatter", 0, CLQ_OK, RESULT_DYNAMIC_PLACED, NULL, scatter, NULL},
    {"dynamic scatter, owned", 0, CLQ_OK, RESULT_DYNAMIC_OWNED, NULL, scatter_owned, NULL},
    {"dynamic scatter, out of order", 0, CLQ_OK, RESULT_DYNAMIC_OWNED, NULL, scatter_out_of_order, NULL},
    {"dynamic scatter, in a workspace", 0, CLQ_OK, RESULT_DYNAMIC_OWNED, NULL, scatter_in_workspace, NULL},
    {"dynamic scatter_workspace", 0, CLQ_OK, RESULT_NONE, NULL, scatter_workspace, NULL},
    {"dynamic scatter_check_indices", 0, CLQ_ERROR_INDEX, RESULT_NONE, NULL, scatter_check_indices, NULL},
    {"dynamic_quant_update_scatter_v2", 0, CLQ_OK, RESULT_V2, NULL, update_scatter_v2, NULL},
    {"first call, dynamic", 0, CLQ_OK, RESULT_SMOOTHED, path_new_context, first_call, path_destroy_context},
};
const size_t num_dynamic_paths = sizeof dynamic_paths / sizeof dynamic_paths[0];

/* SPDX-License-Identifier: Apache-2.0 */
/* The paths of the operators that read indices: chains of up to five commands. */
#include "paths.h"

typedef struct clq_quantize_scatter_desc scatter_desc;

/* The kernel alone, at starts. */
static scatter_desc placed(const struct world *world)
{
    const struct world_places *p = &world->places;

    return (scatter_desc){.cache = &p->cache,
                          .indices = &p->tensor_starts,
                          .updates = &p->few_updates,
                          .scales = &p->tensor_scales,
                          .axis = 1};
}

/* Scales and zero points widened, a table cleared and claimed, the kernel. */
static scatter_desc owned(const struct world *world)
{
    const struct world_places *p = &world->places;

    return (scatter_desc){.cache = &p->cache,
                          .indices = &p->tensor_pairs,
                          .updates = &p->many_updates,
                          .scales = &p->tensor_half,
                          .zero_points = &p->tensor_zero_points,
                          .axis = 1};
}

static scatter_desc owned_in_workspace(const struct world *world)
{
    scatter_desc desc = owned(world);

    desc.workspace = world->places.workspace;
    desc.workspace_offset_bytes = 4;
    return desc;
}

static scatter_desc hashed(const struct world *world)
{
    const struct world_places *p = &world->places;

    return (scatter_desc){.cache = &p->narrow_cache,
                          .indices = &p->tensor_far_pairs,
                          .updates = &p->narrow_updates,
                          .scales = &p->tensor_one,
                          .axis = 1};
}

/* The driver's copy before it, or a kernel's. */
static scatter_desc copied(const struct world *world)
{
    scatter_desc desc = placed(world);

    desc.input = &world->places.input_dense;
    return desc;
}

static scatter_desc apart(const struct world *world)
{
    scatter_desc desc = owned(world);

    desc.input = &world->places.input_apart;
    return desc;
}

static scatter_desc empty(const struct world *world)
{
    scatter_desc desc = placed(world);

    desc.indices = &world->places.no_pairs;
    desc.updates = &world->places.no_updates;
    return desc;
}

static clq_status run(struct world *world, clq_context *context, cl_command_queue queue, scatter_desc desc)
{
    return clq_quantize_scatter(context, queue, &desc, 1, &world->ready, &world->done);
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
    return run(world, world->warm, world->queue, owned_in_workspace(world));
}

static clq_status scatter_hashed(struct world *world)
{
    return run(world, world->warm, world->queue, hashed(world));
}

static clq_status scatter_copied(struct world *world)
{
    return run(world, world->warm, world->queue, copied(world));
}

static clq_status scatter_apart(struct world *world)
{
    return run(world, world->warm, world->queue, apart(world));
}

static clq_status scatter_apart_out_of_order(struct world *world)
{
    return run(world, world->warm, world->out_of_order, apart(world));
}

static clq_status scatter_no_event(struct world *world)
{
    const scatter_desc desc = owned(world);

    return clq_quantize_scatter(world->warm, world->queue, &desc, 0, NULL, NULL);
}

static clq_status scatter_empty(struct world *world)
{
    return run(world, world->warm, world->queue, empty(world));
}

static clq_status scatter_empty_copied(struct world *world)
{
    scatter_desc desc = empty(world);

    desc.input = &world->places.input_dense;
    return run(world, world->warm, world->queue, desc);
}

static clq_status scatter_workspace(struct world *world)
{
    const scatter_desc desc = owned(world);
    size_t bytes;

    return clq_quantize_scatter_workspace(world->warm, &desc, &bytes);
}

static clq_status check_indices(struct world *world, scatter_desc desc)
{
    return clq_quantize_scatter_check_indices(world->warm, world->queue, &desc, 1, &world->ready);
}

static clq_status check_right(struct world *world)
{
    return check_indices(world, hashed(world));
}

static clq_status check_wrong(struct world *world)
{
    return check_indices(world, placed(world));
}

static clq_status check_empty(struct world *world)
{
    return check_indices(world, empty(world));
}

static clq_status npu_quant_scatter(struct world *world)
{
    const struct world_places *p = &world->places;

    return clq_npu_quant_scatter(world->warm, world->queue, &p->input_dense, &p->tensor_starts,
                                 &p->few_updates, &p->tensor_scales, NULL, -2, -1, "update", &p->cache, 1,
                                 &world->ready, &world->done);
}

static clq_status npu_quant_scatter_in_place(struct world *world)
{
    const struct world_places *p = &world->places;

    return clq_npu_quant_scatter_(world->warm, world->queue, &p->cache, &p->tensor_starts, &p->few_updates,
                                  &p->tensor_scales, NULL, -2, -1, "update", 1, &world->ready, &world->done);
}

/* Scales of float16, which are widened. */
static struct clq_group_quantize_desc groups(const struct world *world)
{
    const struct world_places *p = &world->places;

    return (struct clq_group_quantize_desc){.x = &world->tensor_x,
                                            .scales = &p->group_scale,
                                            .group_index = &p->tensor_ends,
                                            .y = &world->tensor_y};
}

static clq_status group(struct world *world)
{
    const struct clq_group_quantize_desc desc = groups(world);

    return clq_group_quantize(world->warm, world->queue, &desc, 1, &world->ready, &world->done);
}

static clq_status group_check_indices(struct world *world)
{
    const struct clq_group_quantize_desc desc = groups(world);

    return clq_group_quantize_check_indices(world->warm, world->queue, &desc, 1, &world->ready);
}

static clq_status npu_group_quant(struct world *world)
{
    const struct world_places *p = &world->places;

    return clq_npu_group_quant(world->warm, world->queue, &world->tensor_x, &p->group_scale, &p->tensor_ends,
                               NULL, CLQ_NPU_QINT8, &world->tensor_y, 1, &world->ready, &world->done);
}

static clq_status scatter_build(struct world *world)
{
    const scatter_desc desc = hashed(world);

    return clq_quantize_scatter_build(world->context, &desc);
}

static clq_status first_call(struct world *world)
{
    return run(world, world->context, world->queue, hashed(world));
}

bool place_paths_prime(struct world *world)
{
    const scatter_desc descs[] = {placed(world), owned(world),  owned_in_workspace(world),
                                  hashed(world), copied(world), apart(world)};
    const struct clq_group_quantize_desc desc = groups(world);

    for (size_t i = 0; i < sizeof descs / sizeof descs[0]; i++)
        if (clq_quantize_scatter_build(world->warm, &descs[i]) != CLQ_OK)
            return false;
    return clq_group_quantize_build(world->warm, &desc) == CLQ_OK;
}

#define WRONG CLQ_ERROR_INDEX
const struct path place_paths[] = {
    {"scatter", 0, CLQ_OK, RESULT_PLACED, NULL, scatter, NULL},
    {"scatter, owned", 0, CLQ_OK, RESULT_OWNED, NULL, scatter_owned, NULL},
    {"scatter, owned, out of order", 0, CLQ_OK, RESULT_OWNED, NULL, scatter_out_of_order, NULL},
    {"scatter, owned, in a workspace", 0, CLQ_OK, RESULT_OWNED, NULL, scatter_in_workspace, NULL},
    {"scatter, hashed", 0, CLQ_OK, RESULT_HASHED, NULL, scatter_hashed, NULL},
    {"scatter, copied", PATH_COPIED, CLQ_OK, RESULT_COPIED_PLACED, NULL, scatter_copied, NULL},
    {"scatter, apart", PATH_APART, CLQ_OK, RESULT_APART_OWNED, NULL, scatter_apart, NULL},
    {"scatter, apart, out of order", PATH_APART, CLQ_OK, RESULT_APART_OWNED, NULL, scatter_apart_out_of_order,
     NULL},
    {"scatter, no event", PATH_UNTIED, CLQ_OK, RESULT_OWNED, NULL, scatter_no_event, NULL},
    {"scatter, empty", 0, CLQ_OK, RESULT_NONE, NULL, scatter_empty, NULL},
    {"scatter, empty, copied", PATH_COPIED, CLQ_OK, RESULT_COPIED, NULL, scatter_empty_copied, NULL},
    {"scatter_workspace", 0, CLQ_OK, RESULT_NONE, NULL, scatter_workspace, NULL},
    {"scatter_check_indices", 0, CLQ_OK, RESULT_NONE, NULL, check_right, NULL},
    {"scatter_check_indices, wrong", 0, WRONG, RESULT_NONE, NULL, check_wrong, NULL},
    {"scatter_check_indices, empty", 0, CLQ_OK, RESULT_NONE, NULL, check_empty, NULL},
    {"npu_quant_scatter", PATH_COPIED, CLQ_OK, RESULT_COPIED_PLACED, NULL, npu_quant_scatter, NULL},
    {"npu_quant_scatter_", 0, CLQ_OK, RESULT_PLACED, NULL, npu_quant_scatter_in_place, NULL},
    {"group", 0, CLQ_OK, RESULT_GROUPS, NULL, group, NULL},
    {"group_check_indices", 0, WRONG, RESULT_NONE, NULL, group_check_indices, NULL},
    {"npu_group_quant", 0, CLQ_OK, RESULT_GROUPS, NULL, npu_group_quant, NULL},
    {"scatter_build", 0, CLQ_OK, RESULT_NONE, path_new_context, scatter_build, path_destroy_context},
    {"first call, scatter", 0, CLQ_OK, RESULT_HASHED, path_new_context, first_call, path_destroy_context},
};
const size_t num_place_paths = sizeof place_paths / sizeof place_paths[0];

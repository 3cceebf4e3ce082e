/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of the calls that were drawn. Caches of binaries know nothing of operators,
 * and have paths by hand. */
#include "paths.h"

static clq_status enqueue(struct world *world, cl_command_queue queue)
{
    const struct subject *subject = world->subject;

    return subject->call.op->enqueue(world->device.context, queue, subject->placed.bound.desc, 1,
                                     &world->ready, &world->done);
}

static clq_status in_order(struct world *world)
{
    return enqueue(world, world->device.queue);
}

static clq_status out_of_order(struct world *world)
{
    return enqueue(world, world->out_of_order);
}

static clq_status no_event(struct world *world)
{
    const struct subject *subject = world->subject;

    return subject->call.op->enqueue(world->device.context, world->device.queue, subject->placed.bound.desc,
                                     0, NULL, NULL);
}

clq_status asked_check_indices(struct world *world)
{
    const struct subject *subject = world->subject;

    return subject->call.op->check_indices(world->device.context, world->device.queue,
                                           subject->placed.bound.desc, 1, &world->ready);
}

static clq_status workspace(struct world *world)
{
    const struct subject *subject = world->subject;
    size_t bytes;

    return subject->call.op->workspace_bytes(world->device.context, subject->placed.bound.desc, &bytes);
}

static clq_status make_plan(struct world *world)
{
    const struct subject *subject = world->subject;

    return subject->call.op->plan(world->device.context, subject->placed.bound.desc, &world->plan);
}

static clq_status plan_made(struct world *world)
{
    const clq_status status = make_plan(world);

    clq_plan_destroy(world->plan);
    world->plan = NULL;
    return status;
}

static void destroy_plans(struct world *world)
{
    clq_plan_destroy(world->plan);
    clq_plan_destroy(world->other);
    clq_tensor_destroy(world->x);
    clq_tensor_destroy(world->scales);
    clq_tensor_destroy(world->y);
    world->plan = world->other = NULL;
    world->x = world->scales = world->y = NULL;
}

static bool have_plan(struct world *world)
{
    return make_plan(world) == CLQ_OK;
}

static clq_status planned(struct world *world)
{
    return clq_plan_enqueue(world->plan, world->device.queue, 0, NULL, 1, &world->ready, &world->done);
}

/* What comes first in the list is a plan of its own: where it fails, nothing of the subject is enqueued. */
static bool have_plans(struct world *world)
{
    clq_context *context = world->device.context;
    int64_t shape[] = {5}, one[] = {1};

    return have_plan(world) && clq_tensor_create(context, CLQ_FLOAT32, 1, shape, &world->x) == CLQ_OK &&
           clq_tensor_create(context, CLQ_FLOAT16, 1, one, &world->scales) == CLQ_OK &&
           clq_tensor_create(context, CLQ_INT8, 1, shape, &world->y) == CLQ_OK &&
           clq_quantize_plan(context,
                             &(struct clq_quantize_desc){.x = &world->x->dl_tensor,
                                                         .scales = &world->scales->dl_tensor,
                                                         .y = &world->y->dl_tensor},
                             &world->other) == CLQ_OK;
}

static clq_status listed_in(struct world *world, cl_command_queue queue)
{
    const struct clq_plan_call calls[] = {{.plan = world->other}, {.plan = world->plan}};

    return clq_plan_enqueue_all(queue, 2, calls, 1, &world->ready, &world->done);
}

static clq_status listed(struct world *world)
{
    return listed_in(world, world->device.queue);
}

static clq_status listed_out_of_order(struct world *world)
{
    return listed_in(world, world->out_of_order);
}

#define UNTIED (PATH_UNTIED | PATH_WRITES)
#define CHAINS                                                                                               \
    (CHOSEN_WIDENED | CHOSEN_WIDENED_TWICE | CHOSEN_COPIED | CHOSEN_COPIED_APART | TABLES |                  \
     CHOSEN_FINISHED | CHOSEN_CUT)
#define TEMPORARIES (CHOSEN_WIDENED | CHOSEN_WIDENED_TWICE | TABLES | CHOSEN_FINISHED)
#define INDICES     (CHOSEN_RIGHT | CHOSEN_WRONG)
#define TABLES      (CHOSEN_OWNED | CHOSEN_HASHED)
const struct asked asked[] = {
    [ASKED_CALL] = {{"call", PATH_WRITES, CLQ_OK, NULL, NULL, in_order, NULL}, .kinds = ~0u},
    {{"in a workspace", PATH_WRITES | PATH_ROOMY, CLQ_OK, NULL, NULL, in_order, NULL},
     .kinds = TEMPORARIES,
     .in_workspace = true},
    {{"workspace", 0, CLQ_OK, NULL, NULL, workspace, NULL}, .kinds = TEMPORARIES},
    {{"check_indices", 0, CLQ_OK, NULL, NULL, asked_check_indices, NULL}, .kinds = INDICES},
    {{"out of order", PATH_WRITES, CLQ_OK, NULL, NULL, out_of_order, NULL}, .kinds = CHAINS},
    {{"a plan", PATH_UNTIED, CLQ_OK, NULL, NULL, plan_made, NULL}, .longest = true},
    {{"planned", PATH_WRITES, CLQ_OK, NULL, have_plan, planned, destroy_plans}, .kinds = CHAINS},
    {{"planned in a workspace", PATH_WRITES | PATH_ROOMY, CLQ_OK, NULL, have_plan, planned, destroy_plans},
     .kinds = TEMPORARIES,
     .in_workspace = true},
    /* in order the first of a list waits for all */
    {{"listed", UNTIED, CLQ_OK, NULL, have_plans, listed, destroy_plans}, .longest = true},
    {{"listed, out of order", PATH_WRITES | PATH_GATHERS, CLQ_OK, NULL, have_plans, listed_out_of_order,
      destroy_plans},
     .longest = true},
    {{"no event", UNTIED, CLQ_OK, NULL, NULL, no_event, NULL}, .longest = true},
    {{"build", 0, CLQ_OK, NULL, path_new_context, path_build, path_destroy_context}, .longest = true},
    {{"first call", PATH_WRITES, CLQ_OK, NULL, path_new_context, path_first_call, path_destroy_context},
     .longest = true},
};
const size_t num_asked = sizeof asked / sizeof asked[0];

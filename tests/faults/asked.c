/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of the calls that were drawn. Caches of binaries know nothing of operators, and have paths by hand. */
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

#define UNTIED (PATH_UNTIED | PATH_WRITES)
#define CHAINS                                                                                               \
    (CHOSEN_WIDENED | CHOSEN_WIDENED_TWICE | CHOSEN_COPIED | CHOSEN_COPIED_APART | TABLES |                  \
     CHOSEN_FINISHED | CHOSEN_CUT)
#define INDICES (CHOSEN_RIGHT | CHOSEN_WRONG)
#define TABLES  (CHOSEN_OWNED | CHOSEN_HASHED)
const struct asked asked[] = {
    [ASKED_CALL] = {{"call", PATH_WRITES, CLQ_OK, NULL, NULL, in_order, NULL}, .kinds = ~0u},
    {{"in a workspace", PATH_WRITES, CLQ_OK, NULL, NULL, in_order, NULL},
     .kinds = TABLES,
     .in_workspace = true},
    {{"workspace", 0, CLQ_OK, NULL, NULL, workspace, NULL}, .kinds = TABLES},
    {{"check_indices", 0, CLQ_OK, NULL, NULL, asked_check_indices, NULL}, .kinds = INDICES},
    {{"out of order", PATH_WRITES, CLQ_OK, NULL, NULL, out_of_order, NULL}, .kinds = CHAINS},
    {{"no event", UNTIED, CLQ_OK, NULL, NULL, no_event, NULL}, .longest = true},
    {{"build", 0, CLQ_OK, NULL, path_new_context, path_build, path_destroy_context}, .longest = true},
    {{"first call", PATH_WRITES, CLQ_OK, NULL, path_new_context, path_first_call, path_destroy_context},
     .longest = true},
};
const size_t num_asked = sizeof asked / sizeof asked[0];

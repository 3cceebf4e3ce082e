/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that block, where what they wait for fails: they say so,
 * and neither hang nor give out bytes that nobody read. */
#include "harness.h"

#include <pthread.h>
#include <string.h>
#include <threads.h>

enum { BYTES = 64, ENTRIES = BYTES / 8 };

/* What is moved, and a call that reads the same bytes as indices: starts of entries of one row. */
struct world {
    cl_command_queue queue;
    DLManagedTensor *moved, *cache, *updates, *scale;
};

static DLManagedTensor *make(DLDataType dtype, int rank, const int64_t *shape)
{
    DLManagedTensor *tensor = NULL;

    expect_status(clq_tensor_create(harness.context, dtype, rank, shape, &tensor), CLQ_OK,
                  "clq_tensor_create");
    return tensor;
}

static struct world begin(void)
{
    const int64_t cache[] = {ENTRIES, 4, 8}, updates[] = {ENTRIES, 1, 8};
    const int64_t entries[] = {ENTRIES}, one[] = {1}, starts[ENTRIES] = {0};
    struct world world = {.moved = make(CLQ_INT64, 1, entries),
                          .cache = make(CLQ_INT8, 3, cache),
                          .updates = make(CLQ_FLOAT32, 3, updates),
                          .scale = make(CLQ_FLOAT32, 1, one)};

    expect_status(clq_queue_create(harness.context, 0, &world.queue), CLQ_OK, "clq_queue_create");
    expect_status(
        clq_tensor_write(world.queue, &world.moved->dl_tensor, CL_TRUE, starts, sizeof starts, 0, NULL, NULL),
        CLQ_OK, "write");
    return world;
}

static void end(struct world *world)
{
    clq_queue_destroy(world->queue);
    clq_tensor_destroy(world->moved);
    clq_tensor_destroy(world->cache);
    clq_tensor_destroy(world->updates);
    clq_tensor_destroy(world->scale);
}

/* Bytes that are not the tensor's: where the call fails they are neither there nor overwritten. */
static clq_status writes(struct world *world, cl_uint num_wait, const cl_event *wait)
{
    char bytes[BYTES] = {1}, there[BYTES];
    const clq_status status =
        clq_tensor_write(world->queue, &world->moved->dl_tensor, CL_TRUE, bytes, BYTES, num_wait, wait, NULL);

    expect_status(
        clq_tensor_read(world->queue, &world->moved->dl_tensor, CL_TRUE, there, BYTES, 0, NULL, NULL), CLQ_OK,
        "read back");
    assert_int_equal(there[0], status == CLQ_OK);
    return status;
}

static clq_status reads(struct world *world, cl_uint num_wait, const cl_event *wait)
{
    char bytes[BYTES] = {1};
    const clq_status status =
        clq_tensor_read(world->queue, &world->moved->dl_tensor, CL_TRUE, bytes, BYTES, num_wait, wait, NULL);

    assert_int_equal(bytes[0], status != CLQ_OK);
    return status;
}

static clq_status maps(struct world *world, cl_uint num_wait, const cl_event *wait)
{
    void *host = world;
    const clq_status status = clq_tensor_map(world->queue, &world->moved->dl_tensor, CL_TRUE, CL_MAP_READ,
                                             &host, num_wait, wait, NULL);

    if (status == CLQ_OK)
        expect_status(clq_tensor_unmap(world->queue, &world->moved->dl_tensor, host, 0, NULL, NULL), CLQ_OK,
                      "unmap");
    else
        assert_null(host);
    return status;
}

static clq_status checks(struct world *world, cl_uint num_wait, const cl_event *wait)
{
    const struct clq_quantize_scatter_desc desc = {.cache = &world->cache->dl_tensor,
                                                   .indices = &world->moved->dl_tensor,
                                                   .updates = &world->updates->dl_tensor,
                                                   .scales = &world->scale->dl_tensor,
                                                   .axis = 1};

    return clq_quantize_scatter_check_indices(harness.context, world->queue, &desc, num_wait, wait);
}

static clq_status (*const calls[])(struct world *, cl_uint, const cl_event *) = {writes, reads, maps, checks};

static cl_event user_event(void)
{
    cl_int code = CL_SUCCESS;
    cl_event event = clCreateUserEvent(harness.cl, &code);

    expect_cl(code, "clCreateUserEvent");
    return event;
}

static void *fail_later(void *event)
{
    thrd_sleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
    clSetUserEventStatus(event, CL_OUT_OF_RESOURCES);
    return NULL;
}

TEST(a_wait_list_that_has_failed)
{
    for (size_t i = 0; i < COUNT(calls); i++) {
        struct world world = begin();
        cl_event failed = user_event();

        expect_cl(clSetUserEventStatus(failed, CL_OUT_OF_RESOURCES), "clSetUserEventStatus");
        expect_status(calls[i](&world, 1, &failed), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "call");
        expect_status(calls[i](&world, 0, NULL), CLQ_OK, "the next call");
        clReleaseEvent(failed);
        end(&world);
    }
}

TEST(a_wait_list_that_fails_meanwhile)
{
    for (size_t i = 0; i < COUNT(calls); i++) {
        struct world world = begin();
        cl_event event = user_event();
        pthread_t thread;

        assert_int_equal(pthread_create(&thread, NULL, fail_later, event), 0);
        expect_status(calls[i](&world, 1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "call");
        assert_int_equal(pthread_join(thread, NULL), 0);
        expect_status(calls[i](&world, 0, NULL), CLQ_OK, "the next call");
        clReleaseEvent(event);
        end(&world);
    }
}

HARNESS_MAIN("blocking")

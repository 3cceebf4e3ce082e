/* SPDX-License-Identifier: Apache-2.0 */
/* Many threads on one context: the first call of all at once, then many, then many while every k-th call of
 * the library fails. Bytes are right wherever a call succeeded, no kernel object is used by two threads
 * between its arguments and its enqueue, and nothing is left.
 *
 *   test_threads LAYER DIRECTORY */
#include "inject.h"
#include "world.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define THREADS 6
#define CALLS   60

static struct world world;
static atomic_int wrong, failed, succeeded;

struct worker {
    pthread_t thread;
    cl_command_queue queue;
    cl_mem y;
    int number;
    bool faults; /* calls may fail */
};

static bool fault_in_opencl(const char *name, int *code)
{
    return inject_here(FAULT_OPENCL, name, code);
}

static void complain(const struct worker *worker, int call, const char *what)
{
    atomic_fetch_add(&wrong, 1);
    printf("FAILED: thread %d, call %d: %s\n", worker->number, call, what);
}

static bool injected(clq_status status)
{
    return status == CLQ_ERROR_MEMORY || status == CLQ_ERROR_BUILD || status == CL_OUT_OF_RESOURCES ||
           status == CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

static clq_status quantize(struct worker *worker, int call, enum world_result *result, cl_event *done)
{
    DLTensor y = world.tensor_y, words = world.tensor_words;
    struct clq_quantize_desc desc = {
        .x = &world.tensor_x, .scales = &world.tensor_scales, .y = &y, .axis = -1};

    y.data = words.data = worker->y;
    *result = (enum world_result)(RESULT_PLAIN + (call + worker->number) % 3);
    if (*result == RESULT_WORDS)
        return clq_npu_quantize(world.context, worker->queue, &world.tensor_x, &world.tensor_scales, NULL,
                                CLQ_NPU_QUINT4X2, 1, false, &words, 0, NULL, done);
    if (*result == RESULT_WIDENED) {
        desc.scales = &world.tensor_half;
        desc.zero_points = &world.tensor_zero_points;
        desc.mode = CLQ_MULTIPLY;
    }
    return clq_quantize(world.context, worker->queue, &desc, 0, NULL, done);
}

/* The test's own calls fail as well where every k-th does: they are made again until they succeed. */
static void move(struct worker *worker, bool read, unsigned char *data)
{
    cl_int code = CL_OUT_OF_RESOURCES;

    while (code == CL_OUT_OF_RESOURCES)
        code =
            read ? clEnqueueReadBuffer(worker->queue, worker->y, CL_TRUE, 0, WORLD_BYTES, data, 0, NULL, NULL)
                 : clEnqueueWriteBuffer(worker->queue, worker->y, CL_TRUE, 0, WORLD_BYTES, data, 0, NULL,
                                        NULL);
}

static void *work(void *argument)
{
    struct worker *worker = argument;

    for (int call = 0; call < CALLS; call++) {
        unsigned char y[WORLD_BYTES];
        enum world_result result;
        cl_event done = NULL;
        clq_status status;

        move(worker, false, world.expected[RESULT_NONE]);
        status = quantize(worker, call, &result, &done);
        if (status != CLQ_OK && !(worker->faults && injected(status)))
            complain(worker, call, clq_error_detail());
        if (status != CLQ_OK && *clq_error_detail() == '\0')
            complain(worker, call, "no sentence says why");
        if (done != NULL) {
            clWaitForEvents(1, &done);
            clReleaseEvent(done);
        }
        atomic_fetch_add(status == CLQ_OK ? &succeeded : &failed, 1);
        move(worker, true, y);
        if (memcmp(y, world.expected[status == CLQ_OK ? result : RESULT_NONE], WORLD_BYTES) != 0)
            complain(worker, call, "other bytes");
    }
    return NULL;
}

/* All threads start on a context that has built nothing. */
static void run(const char *what, size_t every)
{
    const size_t live = world.layer->live, shared = world.layer->shared;
    const long blocks = inject_live_blocks(), files = inject_live_files();
    const struct clq_context_desc desc = {
        .context = world.cl, .cache_dir = world.warm_dir, .flags = CLQ_NO_ENVIRONMENT};
    struct worker workers[THREADS];

    if (clq_context_create(&desc, &world.context) != CLQ_OK) {
        printf("FAILED: %s\n", clq_error_detail());
        wrong++;
        return;
    }
    for (int i = 0; i < THREADS; i++)
        workers[i] =
            (struct worker){.queue = clCreateCommandQueue(world.cl, world.device, 0, NULL),
                            .y = clCreateBuffer(world.cl, CL_MEM_READ_WRITE, WORLD_BYTES, NULL, NULL),
                            .number = i,
                            .faults = every > 0};
    failed = succeeded = 0;
    if (every > 0)
        inject_arm(FAULT_EVERY, every);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    inject_disarm();
    for (int i = 0; i < THREADS; i++) {
        clReleaseMemObject(workers[i].y);
        clReleaseCommandQueue(workers[i].queue);
    }
    clq_context_destroy(world.context);
    if (world.layer->live != live || inject_live_blocks() != blocks || inject_live_files() != files) {
        printf("FAILED: %s: references %zu to %zu, blocks %ld to %ld, files %ld to %ld\n", what, live,
               world.layer->live, blocks, inject_live_blocks(), files, inject_live_files());
        wrong++;
    }
    if (world.layer->shared != shared) {
        printf("FAILED: %s: kernel objects were used by two threads %zu times\n", what,
               world.layer->shared - shared);
        wrong++;
    }
    if (failed + succeeded != THREADS * CALLS || (every > 0) != (failed > 0)) {
        printf("FAILED: %s: that many calls cannot fail\n", what);
        wrong++;
    }
    printf("%s: %d calls succeeded, %d failed as they had to\n", what, succeeded, failed);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    if (!world_open(&world, argv[1], argv[2]))
        return 77;
    world.layer->fails = fault_in_opencl;
    printf("%s\n", world.platform_name);
    run("cold cache", 0);
    run("warm cache", 0);
    run("every 101st call fails", 101);
    run("every 17th call fails", 17);
    world_close(&world);
    world_remove(argv[2]);
    printf("%zu faults injected\n", inject_total());
    return wrong > 0;
}

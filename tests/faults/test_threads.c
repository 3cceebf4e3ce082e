/* SPDX-License-Identifier: Apache-2.0 */
/* Many threads on one context, with calls of all operators: the first call of all at once, then many, then
 * many while every k-th call of the library fails. Bytes are right wherever a call succeeded, no kernel
 * object is used by two threads between its arguments and its enqueue, and nothing is left. Before that, more
 * kernels than are kept.
 *
 *   test_threads LAYER DIRECTORY [--seed N] [--operator NAME]   of this operator alone */
#include "chosen.h"
#include "inject.h"
#include "options.h"
#include "runtime/program.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 6
#define CALLS   80

static struct world world;
static struct chosen chosen[OPERATORS * CHOSEN_MOST];
static size_t num_chosen;
static uint64_t seed;
static atomic_int wrong, failed, succeeded;

/* A thread has buffers of its own for each of the calls. */
struct worker {
    pthread_t thread;
    cl_command_queue queue;
    struct subject *subjects;
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

static void try_call(struct worker *worker, int call)
{
    struct subject *subject = &worker->subjects[((size_t)call + (size_t)worker->number / 2) % num_chosen];
    cl_event done = NULL;
    const clq_status status =
        subject->call.op->enqueue(world.context, worker->queue, subject->placed.bound.desc, 0, NULL, &done);

    if (status != CLQ_OK && !(worker->faults && injected(status)))
        complain(worker, call, clq_error_detail());
    if (status != CLQ_OK && *clq_error_detail() == '\0')
        complain(worker, call, "no sentence says why");
    inject_pause(true);
    if (done != NULL) {
        clWaitForEvents(1, &done);
        clReleaseEvent(done);
    }
    clFinish(worker->queue);
    if (!(subject_bytes(subject) & (status == CLQ_OK ? SUBJECT_DONE : subject_failed_bytes(subject))))
        complain(worker, call, "other bytes");
    subject_reset(subject);
    inject_pause(false);
    atomic_fetch_add(status == CLQ_OK ? &succeeded : &failed, 1);
}

static void *work(void *argument)
{
    struct worker *worker = argument;

    for (int call = 0; call < CALLS; call++)
        try_call(worker, call);
    return NULL;
}

static void make_worker(struct worker *worker, int number, bool faults)
{
    *worker = (struct worker){.queue = clCreateCommandQueue(world.device.cl, world.device.id, 0, NULL),
                              .subjects = calloc(num_chosen, sizeof *worker->subjects),
                              .number = number,
                              .faults = faults};
    for (size_t i = 0; i < num_chosen && worker->subjects != NULL; i++)
        if (!subject_draw(&worker->subjects[i], &world.device, chosen[i].op, seed, chosen[i].number, i % 2))
            wrong++;
}

static void clear_worker(struct worker *worker)
{
    for (size_t i = 0; i < num_chosen; i++)
        subject_clear(&worker->subjects[i]);
    free(worker->subjects);
    clReleaseCommandQueue(worker->queue);
}

/* All threads start on a context that has built nothing. */
static void run(const char *what, size_t every)
{
    const size_t live = world.layer->live, shared = world.layer->shared;
    const long blocks = inject_live_blocks(), files = inject_live_files();
    const struct clq_context_desc desc = {
        .context = world.device.cl, .cache_dir = world.warm_dir, .flags = CLQ_NO_ENVIRONMENT};
    struct worker workers[THREADS];

    if (clq_context_create(&desc, &world.context) != CLQ_OK) {
        printf("FAILED: %s\n", clq_error_detail());
        wrong++;
        return;
    }
    for (int i = 0; i < THREADS; i++)
        make_worker(&workers[i], i, every > 0);
    failed = succeeded = 0;
    if (every > 0)
        inject_arm(FAULT_EVERY, every);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    inject_disarm();
    for (int i = 0; i < THREADS; i++)
        clear_worker(&workers[i]);
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

/* More kernels at once than are kept, as of many threads: what is given back is taken again, or let go. */
static void take_and_give(void)
{
    enum { KERNELS = 40 };
    const size_t live = world.layer->live;
    const struct clq_context_desc desc = {.context = world.device.cl, .flags = CLQ_NO_ENVIRONMENT};
    struct clq__variant variant;
    struct clq__program *program = NULL;
    cl_kernel kernels[KERNELS];
    clq_context *context;

    if (!clq__variant_parse(&variant, "claim.cl") || clq_context_create(&desc, &context) != CLQ_OK) {
        wrong++;
        return;
    }
    for (int round = 0; round < 2; round++) {
        int taken = 0;

        while (taken < KERNELS && clq__kernel_take(context, &variant, &program, &kernels[taken]) == CLQ_OK)
            for (int other = taken++; other-- > 0;)
                wrong += kernels[other] == kernels[taken - 1];
        wrong += taken != KERNELS;
        while (taken > 0)
            clq__kernel_give(context, program, kernels[--taken]);
    }
    clq_context_destroy(context);
    if (world.layer->live != live) {
        printf("FAILED: of %d kernels that were taken: references %zu to %zu\n", KERNELS, live,
               world.layer->live);
        wrong++;
    }
}

static bool choose(const struct operator_row *only)
{
    for (int i = 0; i < OPERATORS; i++) {
        if (only != NULL && operators[i] != only)
            continue;
        const size_t before = num_chosen;

        num_chosen += chosen_find(&world, operators[i], seed, &chosen[before]);
        for (size_t c = before; c < num_chosen; c++)
            chosen_print(&chosen[c]);
        if (num_chosen == before)
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    const char *name = NULL;

    seed = options_seed();
    if (argc < 3 ||
        !options_read(argc - 2, argv + 2,
                      (const struct option[]){
                          {"--seed", &seed, NULL}, {"--operator", NULL, &name}, {NULL, NULL, NULL}}))
        return 2;
    if (!world_open(&world, argv[1], argv[2]))
        return 77;
    world.layer->fails = fault_in_opencl;
    printf("%s, seed %" PRIu64 "\n", world.platform_name, seed);
    if (!choose(name != NULL ? operator_find(name) : NULL))
        return 1;
    take_and_give();
    run("cold cache", 0);
    run("warm cache", 0);
    run("every 101st call fails", 101);
    run("every 17th call fails", 17);
    world_close(&world);
    world_remove(argv[2]);
    printf("%zu faults injected\n", inject_total());
    return wrong > 0;
}

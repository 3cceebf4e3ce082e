/* SPDX-License-Identifier: Apache-2.0 */
/* Random right calls on a device, against the reference.
 *
 *   test_match [--operator NAME] [--seed N] [--first N] [--count N] [--queue order|any|waits] [--threads N]
 *              [--from TYPE] [--to TYPE] [--kept 1] [--plans 1] [--records 1] [--turned 1]
 *
 * --queue any: one that runs commands in any order; waits: such a one, and calls wait for events. --from and --to keep to
 * calls of few kernels, where compiling them is dear. --kept: every program
 * has to come out of the cache. --plans: by plans; --records: that are
 * recorded into command buffers. --turned: long rows that are turned, and whose scales are no row's. */
#include "commands.h"
#include "match.h"
#include "options.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 16 };

struct test {
    const struct operator_row *op;
    uint64_t seed, first, count, threads, kept, plans, records, turned;
    struct wish wish;
    bool any_order, waits;
    struct device device;
    atomic_bool failed;
};

struct worker {
    pthread_t thread;
    struct test *test;
    uint64_t number;
};

static bool try_call(struct test *test, struct call *call, const struct match *how, uint64_t number)
{
    char failure[1024] = "";
    int64_t size;
    bool good;

    call->rng = rng_of(test->seed, number);
    size = rng_below(&call->rng, 100);
    call_draw(call, test->op, test->turned ? 20000 : size < 60 ? 48 : size < 95 ? 600 : 5000, &test->wish);
    call_expect(call);
    good = match(how, call, failure, sizeof failure);
    if (!good) {
        fprintf(stderr, "%s\n", failure);
        call_print(call);
        fprintf(stderr, "once more: --seed %" PRIu64 " --first %" PRIu64 " --count 1\n", test->seed, number);
    }
    call_clear(call);
    return good;
}

static void *work(void *argument)
{
    const struct worker *worker = argument;
    struct test *test = worker->test;
    struct match how = {.device = &test->device,
                        .waits = test->waits,
                        .plans = test->plans != 0 || test->records != 0,
                        .records = test->records != 0};
    struct call *call = malloc(sizeof *call);
    cl_int code = CL_SUCCESS;

    how.queue = clCreateCommandQueue(test->device.cl, test->device.id,
                                     test->any_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &code);
    if (call == NULL || code != CL_SUCCESS)
        test->failed = true;
    for (uint64_t i = worker->number; i < test->count && !test->failed; i += test->threads) {
        how.no_event = i % 16 == 15 && !test->waits;
        if (!try_call(test, call, &how, test->first + i))
            test->failed = true;
    }
    if (code == CL_SUCCESS)
        clReleaseCommandQueue(how.queue);
    free(call);
    return NULL;
}

static void run(struct test *test)
{
    struct worker workers[MOST_THREADS];

    for (uint64_t i = 0; i < test->threads; i++) {
        workers[i] = (struct worker){.test = test, .number = i};
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
            test->failed = true;
    }
    for (uint64_t i = 0; i < test->threads; i++)
        pthread_join(workers[i].thread, NULL);
}

static int type_named(const char *name)
{
    for (int type = 0; type < REFERENCE_TYPES && name != NULL; type++)
        if (strcmp(reference_types[type].name, name) == 0)
            return type;
    return -1;
}

static bool read_arguments(struct test *test, int argc, char **argv)
{
    const char *name = NULL, *queue = "order", *from = NULL, *to = NULL;
    const bool good = options_read(argc, argv,
                                   (const struct option[]){{"--operator", NULL, &name},
                                                           {"--seed", &test->seed, NULL},
                                                           {"--first", &test->first, NULL},
                                                           {"--count", &test->count, NULL},
                                                           {"--threads", &test->threads, NULL},
                                                           {"--kept", &test->kept, NULL},
                                                           {"--plans", &test->plans, NULL},
                                                           {"--records", &test->records, NULL},
                                                           {"--turned", &test->turned, NULL},
                                                           {"--queue", NULL, &queue},
                                                           {"--from", NULL, &from},
                                                           {"--to", NULL, &to},
                                                           {NULL, NULL, NULL}});

    test->op = name != NULL ? operator_find(name) : NULL;
    test->waits = strcmp(queue, "waits") == 0;
    test->any_order = test->waits || strcmp(queue, "any") == 0;
    test->wish = no_wish;
    test->wish.src = type_named(from);
    test->wish.dst = type_named(to);
    test->wish.apart = test->wish.rotate = test->turned ? 1 : -1;
    return good && (name == NULL || test->op != NULL) && (from == NULL || test->wish.src >= 0) &&
           (to == NULL || test->wish.dst >= 0) && test->threads >= 1 && test->threads <= MOST_THREADS;
}

static bool runs_in_any_order(const struct device *device)
{
    cl_command_queue_properties has = 0;

    clGetDeviceInfo(device->id, CL_DEVICE_QUEUE_PROPERTIES, sizeof has, &has, NULL);
    return has & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
}

/* Whether the programs came from where they should. */
static bool programs_are_right(const struct test *test)
{
    size_t built = 0, kept = 0;

    clq_context_count(test->device.context, &built, &kept);
    printf("%zu programs, %zu of them out of the cache\n", built, kept);
    return test->kept == 0 || (kept > 0 && kept == built);
}

int main(int argc, char **argv)
{
    static struct test test = {.count = 10000, .threads = 1};

    test.seed = options_seed();
    if (!read_arguments(&test, argc, argv)) {
        fprintf(stderr, "an operator, a type or a number of threads is none\n");
        return 2;
    }
    if (!device_open(&test.device, NULL))
        return 2;
    if (test.any_order && !runs_in_any_order(&test.device)) {
        printf("this device runs commands in order\n");
        test.any_order = false;
    }
    if (test.records != 0 && !commands_exist(test.device.id)) {
        printf("this device has no command buffers\n");
        device_close(&test.device);
        return 77;
    }
    printf("seed %" PRIu64 "\n", test.seed);
    fflush(stdout);
    run(&test);
    if (!programs_are_right(&test))
        test.failed = true;
    device_close(&test.device);
    return test.failed ? 1 : 0;
}

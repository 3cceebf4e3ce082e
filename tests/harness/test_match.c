/* SPDX-License-Identifier: Apache-2.0 */
/* Random right calls on a device, against the reference.
 *
 *   test_match [--operator NAME] [--seed N] [--first N] [--count N] [--queue order|any|waits] [--threads N]
 *              [--from TYPE] [--to TYPE] [--plans 1] [--records 1] [--turned 1] [--rotated 1] [--claims 1]
 *              [--lines 1] [--documented 1] [--elements N] [--share N] [--form item|group] [--arithmetic
 *              exact] [--build-options TEXT]
 *
 * --queue any: one that runs commands in any order; waits: such a one, and calls wait for events. --from and
 * --to keep to calls of few kernels, where compiling them is dear. --plans: by plans; --records: that are
 * recorded into command buffers. --turned: long rows that are turned, and whose scales are no row's.
 * --rotated: rows of all lengths that are turned. --claims: so many entries that a table tells the last ones.
 * --lines: many rows in lines, or nearly so. --documented: by the documented calls. --share N: `count` calls
 * of one of N combinations of what an operator reads and writes, which ones the seed says; 1: of each, as
 * with CLQ_ALL_VARIANTS in the environment. */
#include "commands.h"
#include "documented.h"
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
    uint64_t seed, first, count, threads, elements, plans, records, turned, rotated, claims, lines,
        documented, share;
    struct wish wish;
    struct clq_context_desc desc;
    bool any_order, waits;
    struct device device;
    atomic_bool failed;
};

struct worker {
    pthread_t thread;
    struct test *test;
    uint64_t number;
};

static void draw(const struct test *test, struct call *call, struct operator_row *row)
{
    const int64_t size = rng_below(&call->rng, 100);
    const int64_t elements = test->elements > 0                             ? (int64_t)test->elements
                             : test->turned || test->rotated || test->lines ? 20000
                             : size < 60                                    ? 48
                             : size < 95                                    ? 600
                                                                            : 5000;

    if (test->documented)
        documented_draw(call, &documented_calls[rng_below(&call->rng, DOCUMENTED_CALLS)], row, elements);
    else
        call_draw(call, test->op, elements, &test->wish);
}

static bool try_call(struct test *test, struct call *call, const struct match *how, uint64_t number)
{
    struct operator_row row;
    char failure[1024] = "";
    bool good;

    call->rng = rng_of(test->seed, number);
    draw(test, call, &row);
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

/* A name repeats what it printed: with --operator, --from and --to, and without --share. */
static bool run_combination(struct test *test, const struct operator_row *op, int src, int dst)
{
    test->op = op;
    test->wish.src = src;
    test->wish.dst = dst;
    run(test);
    if (test->failed)
        fprintf(stderr, "with --operator %s --from %s --to %s\n", op->name, reference_types[src].name,
                reference_types[dst].name);
    return !test->failed;
}

static bool is_among(const struct operator_row *op, int src, int dst)
{
    return (op->src >> src & 1) && (op->dst >> dst & 1);
}

/* Of all operators, or of the one that was asked for. */
static void run_combinations(struct test *test)
{
    const struct operator_row *asked = test->op;
    uint64_t number = test->seed;

    for (int i = 0; i < OPERATORS; i++)
        for (int src = 0; src < REFERENCE_TYPES; src++)
            for (int dst = 0; dst < REFERENCE_TYPES; dst++)
                if ((asked == NULL || asked == operators[i]) && is_among(operators[i], src, dst) &&
                    number++ % test->share == 0 && !run_combination(test, operators[i], src, dst))
                    return;
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
    const char *name = NULL, *queue = "order", *from = NULL, *to = NULL, *form = "", *arithmetic = "";
    const bool good =
        options_read(argc, argv,
                     (const struct option[]){{"--operator", NULL, &name},
                                             {"--seed", &test->seed, NULL},
                                             {"--first", &test->first, NULL},
                                             {"--count", &test->count, NULL},
                                             {"--threads", &test->threads, NULL},
                                             {"--elements", &test->elements, NULL},
                                             {"--plans", &test->plans, NULL},
                                             {"--records", &test->records, NULL},
                                             {"--turned", &test->turned, NULL},
                                             {"--rotated", &test->rotated, NULL},
                                             {"--claims", &test->claims, NULL},
                                             {"--lines", &test->lines, NULL},
                                             {"--documented", &test->documented, NULL},
                                             {"--share", &test->share, NULL},
                                             {"--form", NULL, &form},
                                             {"--arithmetic", NULL, &arithmetic},
                                             {"--build-options", NULL, &test->desc.build_options},
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
    if (test->rotated)
        test->wish.rotate = 1;
    test->wish.claims = test->claims != 0;
    test->wish.lines = test->lines != 0;
    test->desc.form = strcmp(form, "item") == 0    ? CLQ_FORM_ITEM
                      : strcmp(form, "group") == 0 ? CLQ_FORM_GROUP
                                                   : CLQ_FORM_AUTO;
    test->desc.arithmetic = strcmp(arithmetic, "exact") == 0 ? CLQ_ARITHMETIC_EXACT : CLQ_ARITHMETIC_AUTO;
    return good && (name == NULL || test->op != NULL) && (from == NULL || test->wish.src >= 0) &&
           (to == NULL || test->wish.dst >= 0) && test->threads >= 1 && test->threads <= MOST_THREADS;
}

static bool runs_in_any_order(const struct device *device)
{
    cl_command_queue_properties has = 0;

    clGetDeviceInfo(device->id, CL_DEVICE_QUEUE_PROPERTIES, sizeof has, &has, NULL);
    return has & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
}

int main(int argc, char **argv)
{
    static struct test test = {.count = 6000, .threads = 1};

    test.seed = options_seed();
    if (!read_arguments(&test, argc, argv)) {
        fprintf(stderr, "an operator, a type or a number of threads is none\n");
        return 2;
    }
    if (!device_open(&test.device, &test.desc))
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
    if (test.share > 0 && getenv("CLQ_ALL_VARIANTS") != NULL) /* of whoever wants ctest to miss nothing */
        test.share = 1;
    if (test.share > 0)
        run_combinations(&test);
    else
        run(&test);
    device_close(&test.device);
    return test.failed ? 1 : 0;
}

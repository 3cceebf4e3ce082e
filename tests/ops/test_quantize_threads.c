/* SPDX-License-Identifier: Apache-2.0 */
/* Many threads on one context, each with its own queue or all on one; quantization beside its way back; and
 * several contexts at once. Every thread's results are compared: what one call sets must not show in another. */
#include "dequantize_case.h"
#include "quantize_case.h"

#include <pthread.h>
#include <string.h>

enum { MOST = 8 };

struct worker {
    clq_context *context;
    cl_command_queue queue;
    uint64_t seed;
    int calls;
    bool back; /* dequantizes */
    bool good;
};

/* Few variants, so that the threads meet in the same ones; shapes and values differ from call to call. */
static bool quantize(const struct worker *worker, int i, struct random *random)
{
    const struct quantize_types types = {.x = REFERENCE_F16,
                                         .scale = i % 3 ? REFERENCE_F32 : REFERENCE_BF16,
                                         .zero = REFERENCE_I8,
                                         .y = i % 2 ? REFERENCE_I8 : REFERENCE_I4,
                                         .multiply = i % 5 == 0};
    const int64_t rows = random_from(random, 1, 40), inner = 2 * random_from(random, 1, 100);
    const struct quantize_shape shape = {2, {rows, inner}, 1, inner, i % 4 ? inner : 0};
    struct quantize_case c = quantize_case_of("threads", &types, &shape);

    c.seed = random_bits(random);
    return quantize_case_matches(&c, worker->context, worker->queue);
}

static bool dequantize(const struct worker *worker, int i, struct random *random)
{
    const struct dequantize_types types = {.q = i % 2 ? REFERENCE_I8 : REFERENCE_I4,
                                           .scale = i % 3 ? REFERENCE_F32 : REFERENCE_BF16,
                                           .zero = REFERENCE_I8,
                                           .index = REFERENCE_I32,
                                           .y = REFERENCE_F16,
                                           .mode = i % 5 ? CLQ_DEQUANTIZE_DIVIDE : CLQ_DEQUANTIZE_DYNAMIC};
    const int64_t batches = random_from(random, 1, 5), inner = 2 * random_from(random, 1, 100);
    const struct dequantize_shape shape = {.rank = 3,
                                           .q = {batches, 9, inner},
                                           .axis = 1,
                                           .index_rank = i % 4 ? 2 : 0,
                                           .entries = random_from(random, 1, 12),
                                           .length = 3};
    struct dequantize_case c = dequantize_case_of("threads", &types, &shape);

    c.places = PLACES_STRAY;
    c.seed = random_bits(random);
    return dequantize_case_matches(&c, worker->context, worker->queue);
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    struct random random = random_of(worker->seed);

    worker->good = true;
    for (int i = 0; i < worker->calls && worker->good; i++)
        worker->good = worker->back ? dequantize(worker, i, &random) : quantize(worker, i, &random);
    return NULL;
}

static void run_workers(struct worker *workers, int count)
{
    pthread_t threads[MOST];

    for (int i = 0; i < count; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < count; i++)
        assert_true(workers[i].good);
}

static cl_command_queue new_queue(cl_context context, cl_device_id device)
{
    cl_int status;
    const cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);

    expect_cl(status, "clCreateCommandQueue");
    return queue;
}

static clq_context *new_context(cl_context context, cl_device_id device)
{
    struct clq_context_desc desc = harness.desc;
    clq_context *made = NULL;

    desc.context = context;
    desc.device = device;
    expect_status(clq_context_create(&desc, &made), CLQ_OK, "clq_context_create");
    return made;
}

/* Each time on a fresh context, so that the first calls, which build, meet as well. The last so many of them
 * dequantize. */
static void check_threads(int count, int back, bool one_queue)
{
    struct worker workers[MOST];
    clq_context *context = new_context(harness.cl, harness.device);

    for (int i = 0; i < count; i++)
        workers[i] = (struct worker){
            .context = context,
            .queue = one_queue && i > 0 ? workers[0].queue : new_queue(harness.cl, harness.device),
            .seed = harness.seed + (uint64_t)i,
            .calls = 60,
            .back = i >= count - back,
        };
    run_workers(workers, count);
    for (int i = 0; i < (one_queue ? 1 : count); i++)
        clReleaseCommandQueue(workers[i].queue);
    clq_context_destroy(context);
}

static void two_threads_one_context(void **state)
{
    (void)state;
    check_threads(2, 0, false);
}

static void eight_threads_one_context(void **state)
{
    (void)state;
    check_threads(8, 0, false);
}

static void two_threads_back(void **state)
{
    (void)state;
    check_threads(2, 2, false);
}

static void four_threads_there_and_back(void **state)
{
    (void)state;
    check_threads(4, 2, false);
}

/* rusticl 22.3 loses blocking writes, and its heap, when threads share a queue: plain OpenCL calls do it as
 * well. */
static bool is_rusticl(void)
{
    cl_platform_id platform = NULL;
    char name[64] = "";

    expect_cl(clGetDeviceInfo(harness.device, CL_DEVICE_PLATFORM, sizeof(platform), &platform, NULL),
              "clGetDeviceInfo");
    expect_cl(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof(name), name, NULL), "clGetPlatformInfo");
    return strcmp(name, "rusticl") == 0;
}

static void eight_threads_one_queue(void **state)
{
    (void)state;
    if (is_rusticl()) {
        print_message("rusticl's queues cannot be shared by threads\n");
        skip();
    }
    check_threads(8, 4, true);
}

/* Two contexts of the library over one cl_context, and one over a cl_context of its own. */
static void contexts_side_by_side(void **state)
{
    struct worker workers[3];

    (void)state;
    for (int i = 0; i < 3; i++) {
        clq_context *context = new_context(i < 2 ? harness.cl : NULL, i < 2 ? harness.device : NULL);

        workers[i] = (struct worker){
            .context = context,
            .queue = new_queue(clq_context_cl(context), clq_context_device(context)),
            .seed = harness.seed + (uint64_t)i,
            .calls = 40,
        };
    }
    run_workers(workers, 3);
    for (int i = 0; i < 3; i++) {
        clReleaseCommandQueue(workers[i].queue);
        clq_context_destroy(workers[i].context);
    }
}

/* Each thread has its own sentence, and a call that succeeds elsewhere does not touch it. */
static void *refuse(void *argument)
{
    bool *good = argument;

    *good = clq_error_detail()[0] == '\0' &&
            clq_quantize(harness.context, harness.queue, NULL, 0, NULL, NULL) == CLQ_ERROR_NULL &&
            strcmp(clq_error_detail(), "desc is NULL: it must be a descriptor") == 0;
    return NULL;
}

static void sentences_belong_to_threads(void **state)
{
    static const struct clq_quantize_desc wrong = {.mode = 7};
    pthread_t thread;
    bool good = false;

    (void)state;
    expect_status(clq_quantize(harness.context, harness.queue, &wrong, 0, NULL, NULL), CLQ_ERROR_VALUE,
                  "mode");
    assert_int_equal(pthread_create(&thread, NULL, refuse, &good), 0);
    pthread_join(thread, NULL);
    assert_true(good);
    assert_string_equal(clq_error_detail(), "mode is 7: it must be CLQ_DIVIDE (0) or CLQ_MULTIPLY (1)");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_threads_one_context),
        cmocka_unit_test(eight_threads_one_context),
        cmocka_unit_test(two_threads_back),
        cmocka_unit_test(four_threads_there_and_back),
        cmocka_unit_test(eight_threads_one_queue),
        cmocka_unit_test(contexts_side_by_side),
        cmocka_unit_test(sentences_belong_to_threads),
    };

    return HARNESS_RUN(argc, argv, "quantize threads", tests);
}

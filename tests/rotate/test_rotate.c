/* SPDX-License-Identifier: Apache-2.0 */
/* The rotation on a device, against the same sums in plain C and double. */
#include "harness.h"
#include "tensor.h"

#include <clblast_c.h>
#include <clquant/rotate.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* x and y in buffers with guards, y filled with a pattern that no rotation gives. */
struct pair {
    int64_t n;
    clq_rotation *rotation;
    struct tensor x, y;
};

static void pair_init(struct pair *pair, int64_t n, int rank, const int64_t *shape, bool strided)
{
    struct layout layout = layout_dense(REFERENCE_F32, 1, rank, shape);

    if (strided)
        layout_stride(&layout);
    *pair = (struct pair){.n = n};
    expect_status(clq_rotation_create(harness.context, n, &pair->rotation), CLQ_OK, "clq_rotation_create");
    tensor_init(&pair->x, &layout);
    tensor_init(&pair->y, &layout);
    memset(pair->y.image, 0x5a, pair->y.size_bytes);
}

/* Most values are about 1, and one channel in 16 is 30 times larger. */
static void pair_fill(struct pair *pair, uint64_t seed)
{
    struct random random = random_of(harness.seed + seed);

    for (int64_t i = 0, slots = tensor_slots(&pair->x); i < slots; i++)
        tensor_set_slot(&pair->x, i, (2.0 * random_unit(&random) - 1.0) * (i % 16 == 5 ? 30.0 : 1.0));
}

static void pair_upload(struct pair *pair)
{
    assert_true(tensor_upload(&pair->x, harness.queue));
    assert_true(tensor_upload(&pair->y, harness.queue));
}

static void pair_clear(struct pair *pair)
{
    tensor_clear(&pair->x);
    tensor_clear(&pair->y);
    clq_rotation_destroy(pair->rotation);
}

static clq_status rotate(const struct pair *pair, cl_command_queue queue, cl_uint num_wait,
                         const cl_event *wait, cl_event *done)
{
    return clq_rotate_rows(
        harness.context, queue,
        &(struct clq_rotate_rows_desc){.rotation = pair->rotation, .x = &pair->x.dl, .y = &pair->y.dl},
        num_wait, wait, done);
}

/* Sylvester's matrix: the parity of the bits that row and column have in common. */
static int sign_of(int64_t row, int64_t column)
{
    int sign = 1;

    for (int64_t common = row & column; common != 0; common &= common - 1)
        sign = -sign;
    return sign;
}

/* A dot product of n terms in any order, each factor of the matrix rounded once. */
static void expect_rotated(const struct pair *pair, const unsigned char *got)
{
    const size_t first = (size_t)pair->x.layout.before * sizeof(float);
    const int64_t elements = tensor_slots(&pair->x) - 2 * (GUARD / (int64_t)sizeof(float));
    const float *x = (const float *)(const void *)(pair->x.image + first),
                *y = (const float *)(const void *)(got + first);
    const double scale = 1.0 / sqrt((double)pair->n);

    assert_memory_equal(got, pair->y.image, first);
    assert_memory_equal(got + pair->y.size_bytes - GUARD, pair->y.image + pair->y.size_bytes - GUARD, GUARD);
    for (int64_t i = 0; i < elements; i++) {
        const float *block = x + i / pair->n * pair->n;
        double sum = 0.0, magnitude = 0.0;

        for (int64_t k = 0; k < pair->n; k++) {
            sum += sign_of(k, i % pair->n) * (double)block[k] * scale;
            magnitude += fabs((double)block[k]) * scale;
        }
        if (!(fabs((double)y[i] - sum) <= (double)(pair->n + 2) * 0x1p-24 * magnitude))
            fail_msg("n %lld, element %lld of %lld: %.9g and not %.9g", (long long)pair->n, (long long)i,
                     (long long)elements, (double)y[i], sum);
    }
}

static void check(int64_t n, int rank, const int64_t *shape, bool strided)
{
    struct pair pair;
    unsigned char *got;
    cl_event done = NULL;

    pair_init(&pair, n, rank, shape, strided);
    pair_fill(&pair, (uint64_t)n);
    pair_upload(&pair);
    expect_status(rotate(&pair, harness.queue, 0, NULL, &done), CLQ_OK, "clq_rotate_rows");
    expect_cl(clWaitForEvents(1, &done), "clWaitForEvents");
    got = test_malloc(pair.y.size_bytes);
    expect_cl(
        clEnqueueReadBuffer(harness.queue, pair.y.mem, CL_TRUE, 0, pair.y.size_bytes, got, 0, NULL, NULL),
        "clEnqueueReadBuffer");
    expect_rotated(&pair, got);
    assert_true(tensor_holds(&pair.x, harness.queue, pair.x.image, "x"));
    test_free(got);
    clReleaseEvent(done);
    pair_clear(&pair);
}

/* Around a batch's 256 rows, blocks in a row, and every rank's way to say the same. */
static void rows_match_plain_c(void **state)
{
    static const int64_t rows[] = {1, 2, 255, 256, 257, 512, 700};

    (void)state;
    for (size_t i = 0; i < COUNT(rows) && (!harness.small || i < 1); i++)
        check(64, 2, (int64_t[]){rows[i], 64}, false);
    check(128, 3, (int64_t[]){3, 2, 128}, true);
    if (harness.small)
        return;
    check(1, 1, (int64_t[]){5}, false);
    check(2, 1, (int64_t[]){6}, false);
    check(32, 1, (int64_t[]){96}, false);
    check(128, 2, (int64_t[]){130, 256}, false);
    check(512, 2, (int64_t[]){9, 512}, false);
    check(8, 8, (int64_t[]){2, 1, 3, 1, 2, 1, 1, 24}, true);
}

static void read_floats(const struct tensor *tensor, float *values, size_t count)
{
    expect_cl(clEnqueueReadBuffer(harness.queue, tensor->mem, CL_TRUE, tensor->dl.byte_offset,
                                  count * sizeof *values, values, 0, NULL, NULL),
              "clEnqueueReadBuffer");
}

/* For every kind of size: twice is nothing, and lengths stay. */
static void its_own_inverse(void **state)
{
    static const int64_t sizes[] = {12, 20, 28, 80, 96, 112, 128, 160, 192};
    enum { ROWS = 3 };

    (void)state;
    for (size_t i = 0; i < COUNT(sizes) && (!harness.small || i < 2); i++) {
        const size_t count = ROWS * (size_t)sizes[i];
        struct pair pair;
        struct clq_rotate_rows_desc back;
        float *once, *twice;
        double before = 0.0, after = 0.0;

        pair_init(&pair, sizes[i], 2, (int64_t[]){ROWS, sizes[i]}, false);
        pair_fill(&pair, 77);
        pair_upload(&pair);
        once = test_malloc(count * sizeof *once);
        twice = test_malloc(count * sizeof *twice);
        expect_status(rotate(&pair, harness.queue, 0, NULL, NULL), CLQ_OK, "there");
        expect_cl(clFinish(harness.queue), "clFinish");
        read_floats(&pair.y, once, count);
        back = (struct clq_rotate_rows_desc){.rotation = pair.rotation, .x = &pair.y.dl, .y = &pair.x.dl};
        expect_status(clq_rotate_rows(harness.context, harness.queue, &back, 0, NULL, NULL), CLQ_OK, "back");
        expect_cl(clFinish(harness.queue), "clFinish");
        read_floats(&pair.x, twice, count);
        for (size_t e = 0; e < count; e++) {
            const double x = ((const float *)(const void *)(pair.x.image + pair.x.dl.byte_offset))[e];

            before += x * x;
            after += (double)once[e] * (double)once[e];
            assert_true(fabs((double)twice[e] - x) < 1e-4);
        }
        assert_true(fabs(after / before - 1.0) < 1e-5);
        test_free(twice);
        test_free(once);
        pair_clear(&pair);
    }
}

/* x gets its values while the call waits: CLBlast itself takes no wait list. */
static void wait_list_is_honoured(void **state)
{
    cl_command_queue_properties has = 0;

    (void)state;
    expect_cl(clGetDeviceInfo(harness.device, CL_DEVICE_QUEUE_PROPERTIES, sizeof has, &has, NULL), "info");
    for (int out_of_order = 0; out_of_order < 2; out_of_order++) {
        const cl_command_queue_properties wanted =
            out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : (cl_command_queue_properties)0;
        cl_command_queue queue;
        cl_int status, state_of_done = CL_QUEUED;
        cl_event wait, done = NULL;
        struct pair pair;
        unsigned char *got;

        if ((has & wanted) != wanted)
            continue;
        queue = clCreateCommandQueue(harness.cl, harness.device, wanted, &status);
        expect_cl(status, "clCreateCommandQueue");
        wait = clCreateUserEvent(harness.cl, &status);
        expect_cl(status, "clCreateUserEvent");
        pair_init(&pair, 64, 2, (int64_t[]){300, 64}, false);
        pair_upload(&pair);
        expect_status(rotate(&pair, queue, 1, &wait, &done), CLQ_OK, "clq_rotate_rows");
        expect_cl(clFlush(queue), "clFlush");
        pair_fill(&pair, 5);
        assert_true(tensor_upload(&pair.x, harness.queue));
        expect_cl(clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state_of_done,
                                 &state_of_done, NULL),
                  "clGetEventInfo");
        assert_int_not_equal(state_of_done, CL_COMPLETE);
        expect_cl(clSetUserEventStatus(wait, CL_COMPLETE), "clSetUserEventStatus");
        expect_cl(clWaitForEvents(1, &done), "clWaitForEvents");
        got = test_malloc(pair.y.size_bytes);
        expect_cl(
            clEnqueueReadBuffer(harness.queue, pair.y.mem, CL_TRUE, 0, pair.y.size_bytes, got, 0, NULL, NULL),
            "clEnqueueReadBuffer");
        expect_rotated(&pair, got);
        test_free(got);
        clReleaseEvent(done);
        clReleaseEvent(wait);
        pair_clear(&pair);
        clReleaseCommandQueue(queue);
    }
}

static void empty_waits_and_writes_nothing(void **state)
{
    struct pair pair;
    cl_int status;
    cl_event wait = clCreateUserEvent(harness.cl, &status), done = NULL;

    (void)state;
    expect_cl(status, "clCreateUserEvent");
    pair_init(&pair, 64, 2, (int64_t[]){0, 64}, false);
    pair_upload(&pair);
    expect_status(rotate(&pair, harness.queue, 1, &wait, &done), CLQ_OK, "clq_rotate_rows");
    assert_non_null(done);
    expect_cl(clSetUserEventStatus(wait, CL_COMPLETE), "clSetUserEventStatus");
    expect_cl(clWaitForEvents(1, &done), "clWaitForEvents");
    assert_true(tensor_holds(&pair.y, harness.queue, pair.y.image, "y"));
    clReleaseEvent(done);
    clReleaseEvent(wait);
    pair_clear(&pair);
}

enum { THREADS = 4, ROUNDS = 8, THREAD_ROWS = 300 };

/* One of several threads, with a queue of its own; cmocka's checks are for the main one. */
struct thread {
    pthread_t id;
    struct pair pair;
    cl_command_queue queue;
    bool ok;
};

static void *rotate_again_and_again(void *user)
{
    struct thread *thread = user;

    for (int i = 0; i < ROUNDS && thread->ok; i++) {
        cl_event done = NULL;

        thread->ok = rotate(&thread->pair, thread->queue, 0, NULL, &done) == CLQ_OK &&
                     clWaitForEvents(1, &done) == CL_SUCCESS;
        if (done != NULL)
            clReleaseEvent(done);
    }
    return NULL;
}

/* From nothing in CLBlast's memory, so that all threads come while the first one builds. */
static void threads_share_a_rotation(void **state)
{
    struct thread threads[THREADS];
    unsigned char *got;

    (void)state;
    assert_int_equal(CLBlastClearCache(), CLBlastSuccess);
    for (int i = 0; i < THREADS; i++) {
        cl_int status;

        threads[i].ok = true;
        pair_init(&threads[i].pair, 64, 2, (int64_t[]){THREAD_ROWS, 64}, false);
        if (i > 0) {
            clq_rotation_destroy(threads[i].pair.rotation);
            threads[i].pair.rotation = threads[0].pair.rotation;
        }
        pair_fill(&threads[i].pair, (uint64_t)i);
        pair_upload(&threads[i].pair);
        threads[i].queue = clCreateCommandQueue(harness.cl, harness.device, 0, &status);
        expect_cl(status, "clCreateCommandQueue");
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i].id, NULL, rotate_again_and_again, &threads[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i].id, NULL);
    got = test_malloc(threads[0].pair.y.size_bytes);
    for (int i = 0; i < THREADS; i++) {
        assert_true(threads[i].ok);
        expect_cl(clEnqueueReadBuffer(harness.queue, threads[i].pair.y.mem, CL_TRUE, 0,
                                      threads[i].pair.y.size_bytes, got, 0, NULL, NULL),
                  "clEnqueueReadBuffer");
        expect_rotated(&threads[i].pair, got);
        clReleaseCommandQueue(threads[i].queue);
    }
    for (int i = THREADS; i-- > 0;) {
        if (i > 0)
            threads[i].pair.rotation = NULL;
        pair_clear(&threads[i].pair);
    }
    test_free(got);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_match_plain_c),       cmocka_unit_test(its_own_inverse),
        cmocka_unit_test(wait_list_is_honoured),    cmocka_unit_test(empty_waits_and_writes_nothing),
        cmocka_unit_test(threads_share_a_rotation),
    };

    return HARNESS_RUN(argc, argv, "rotate", tests);
}

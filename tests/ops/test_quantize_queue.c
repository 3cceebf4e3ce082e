/* SPDX-License-Identifier: Apache-2.0 */
/* Wait lists, events and queues; calls that have nothing to do; building ahead of time. */
#include "quantize_case.h"
#include "queues.h"

#include <stdatomic.h>
#include <string.h>
#include <threads.h>

/* Cases in which the kernel alone runs, and in which it follows on kernels that widen its parameters. */
static struct quantize_case case_of(bool widened)
{
    const struct quantize_types types = {.x = REFERENCE_F16,
                                         .scale = widened ? REFERENCE_BF16 : REFERENCE_F32,
                                         .zero = widened ? REFERENCE_I8 : REFERENCE_F32,
                                         .y = REFERENCE_I8};
    const struct quantize_shape shape = {2, {40, 50}, widened ? 1 : 0, widened ? 50 : 40, widened ? 50 : 40};

    return quantize_case_of(widened ? "widened parameters" : "the kernel alone", &types, &shape);
}

static void upload_all(struct quantize_tensors *t)
{
    assert_true(tensor_upload(&t->x, harness.queue));
    assert_true(tensor_upload(&t->scales, harness.queue));
    if (t->zero_points.image)
        assert_true(tensor_upload(&t->zero_points, harness.queue));
    assert_true(tensor_upload(&t->y, harness.queue));
}

/* The inputs get their values while the call waits for each of its events: it must see the new ones. */
static void check_waits(cl_command_queue queue, bool widened, cl_uint waits)
{
    const struct quantize_case c = case_of(widened);
    struct quantize_tensors t;
    cl_event wait[MOST_WAITS];
    cl_event done = NULL;
    struct clq_quantize_desc desc;

    user_events(wait, waits);
    quantize_tensors_init(&t, &c);
    upload_all(&t); /* zeros */
    desc = quantize_desc_of(&t, &c);
    expect_status(clq_quantize(harness.context, queue, &desc, waits, wait, &done), CLQ_OK, "clq_quantize");
    expect_cl(clFlush(queue), "clFlush");
    quantize_tensors_fill(&t, &c);
    memset(t.y.image, 0x5a, t.y.size_bytes);
    upload_all(&t);
    complete_each(wait, waits, done);
    quantize_tensors_expect(&t, &c, t.y.image);
    assert_true(tensor_holds(&t.y, harness.queue, t.y.image, c.name));
    quantize_tensors_clear(&t);
}

static void wait_list_is_honoured(void **state)
{
    const cl_command_queue queue = queue_of(0);

    (void)state;
    for (cl_uint waits = 1; waits <= MOST_WAITS; waits++) {
        check_waits(queue, false, waits);
        check_waits(queue, true, waits);
    }
    clReleaseCommandQueue(queue);
}

static void wait_list_is_honoured_out_of_order(void **state)
{
    const cl_command_queue queue = out_of_order_queue();

    (void)state;
    for (int i = 0; i < 30; i++)
        check_waits(queue, i % 2, 1 + (cl_uint)i % MOST_WAITS);
    clReleaseCommandQueue(queue);
}

/* Without a wait list the kernel still follows on those that widen its parameters, although the queue would
 * run all of them at once. */
static void kernels_of_a_call_follow_each_other(void **state)
{
    const cl_command_queue queue = out_of_order_queue();
    const struct quantize_types types = {
        .x = REFERENCE_F32, .scale = REFERENCE_F16, .zero = REFERENCE_I8, .y = REFERENCE_I8};
    const struct quantize_shape shape = {2, {2, 60000}, 1, 60000, 60000};
    struct quantize_case c = quantize_case_of("widened, out of order", &types, &shape);

    (void)state;
    for (int i = 0; i < (harness.small ? 1 : 30); i++) {
        c.seed++; /* the memory of the call before must not do for this one */
        assert_true(quantize_case_matches(&c, harness.context, queue));
    }
    clReleaseCommandQueue(queue);
}

/* Writes, calls and reads on an out-of-order queue, tied by their events alone. */
static void a_chain_out_of_order(void **state)
{
    enum { CALLS = 24 };
    const cl_command_queue queue = out_of_order_queue();
    struct quantize_tensors t[CALLS];
    unsigned char *got[CALLS];
    cl_event reads[CALLS];
    const int calls = harness.small ? 4 : CALLS;

    (void)state;
    for (int i = 0; i < calls; i++) {
        struct quantize_case c = case_of(i % 2);
        struct clq_quantize_desc desc;
        cl_event before[2], done;

        c.seed += (uint64_t)i;
        quantize_tensors_init(&t[i], &c);
        upload_all(&t[i]);
        quantize_tensors_fill(&t[i], &c);
        got[i] = test_malloc(t[i].y.size_bytes);
        desc = quantize_desc_of(&t[i], &c);
        assert_true(tensor_upload(&t[i].zero_points, queue));
        expect_cl(clEnqueueWriteBuffer(queue, t[i].x.mem, CL_FALSE, 0, t[i].x.size_bytes, t[i].x.image, 0,
                                       NULL, &before[0]),
                  "clEnqueueWriteBuffer");
        expect_cl(clEnqueueWriteBuffer(queue, t[i].scales.mem, CL_FALSE, 0, t[i].scales.size_bytes,
                                       t[i].scales.image, 0, NULL, &before[1]),
                  "clEnqueueWriteBuffer");
        expect_status(clq_quantize(harness.context, queue, &desc, 2, before, &done), CLQ_OK, "clq_quantize");
        expect_cl(clEnqueueReadBuffer(queue, t[i].y.mem, CL_FALSE, 0, t[i].y.size_bytes, got[i], 1, &done,
                                      &reads[i]),
                  "clEnqueueReadBuffer");
        clReleaseEvent(before[0]);
        clReleaseEvent(before[1]);
        clReleaseEvent(done);
        quantize_tensors_expect(&t[i], &c, t[i].y.image);
    }
    expect_cl(clWaitForEvents((cl_uint)calls, reads), "clWaitForEvents");
    for (int i = 0; i < calls; i++) {
        assert_memory_equal(got[i], t[i].y.image, t[i].y.size_bytes);
        clReleaseEvent(reads[i]);
        test_free(got[i]);
        quantize_tensors_clear(&t[i]);
    }
    clReleaseCommandQueue(queue);
}

/* No event asked for: the queue's own order has to do. */
static void no_event_is_needed(void **state)
{
    (void)state;
    for (int widened = 0; widened < 2; widened++) {
        const struct quantize_case c = case_of(widened);
        struct quantize_tensors t;
        struct clq_quantize_desc desc;

        quantize_tensors_init(&t, &c);
        quantize_tensors_fill(&t, &c);
        upload_all(&t);
        desc = quantize_desc_of(&t, &c);
        expect_status(clq_quantize(harness.context, harness.queue, &desc, 0, NULL, NULL), CLQ_OK,
                      "clq_quantize");
        quantize_tensors_expect(&t, &c, t.y.image);
        assert_true(tensor_holds(&t.y, harness.queue, t.y.image, c.name));
        quantize_tensors_clear(&t);
    }
}

static void check_empty(const struct quantize_case *c)
{
    struct quantize_tensors t;
    cl_event wait = user_event();
    cl_event done = NULL;
    struct clq_quantize_desc desc;

    quantize_tensors_init(&t, c);
    memset(t.y.image, 0x5a, t.y.size_bytes);
    upload_all(&t);
    desc = quantize_desc_of(&t, c);
    expect_status(clq_quantize(harness.context, harness.queue, &desc, 0, NULL, NULL), CLQ_OK, c->name);
    expect_status(clq_quantize(harness.context, harness.queue, &desc, 1, &wait, &done), CLQ_OK, c->name);
    assert_non_null(done);
    assert_false(is_complete(done));
    complete(wait);
    wait_for(done);
    expect_status(clq_quantize(harness.context, harness.queue, &desc, 0, NULL, &done), CLQ_OK, c->name);
    wait_for(done);
    clReleaseEvent(wait);
    assert_true(tensor_holds(&t.y, harness.queue, t.y.image, c->name));
    quantize_tensors_clear(&t);
}

/* A tensor without elements succeeds, writes nothing, and its event still waits. */
static void empty_tensors_succeed(void **state)
{
    static const struct quantize_shape shapes[] = {
        {1, {0}, 0, 1, 1},
        {1, {0}, 0, 0, 0},
        {2, {0, 8}, 1, 8, 8},
        {2, {4, 0}, 0, 4, 1},
        {2, {4, 0}, 1, 0, 0},
        {3, {2, 0, 8}, -1, 8, 0},
        {3, {2, 0, 8}, 1, 0, 0},
        {3, {2, 0, 8}, 1, 1, 0},
        {4, {0, 0, 0, 0}, 2, 1, 1},
        {2, {INT64_MAX, 0}, 0, 1, 1},
        {2, {0, INT64_C(1) << 62}, 0, 1, 1},
        {3, {INT64_C(1) << 40, INT64_C(1) << 40, 0}, 0, 1, 1},
    };
    static const struct quantize_types types[] = {
        {REFERENCE_F32, REFERENCE_F32, REFERENCE_I8, REFERENCE_I8, 1, false},
        {REFERENCE_F16, REFERENCE_BF16, REFERENCE_F16, REFERENCE_I4, 1, true},
        {REFERENCE_BF16, REFERENCE_F32, REFERENCE_I32, REFERENCE_I4, 2, true},
    };

    (void)state;
    for (size_t k = 0; k < COUNT(shapes); k++) {
        for (size_t i = 0; i < COUNT(types); i++) {
            struct quantize_case c = quantize_case_of("empty", &types[i], &shapes[k]);

            check_empty(&c);
        }
    }
}

/* After clq_quantize_build nothing is left to build, and nothing was enqueued. */
static void building_ahead_is_enough(void **state)
{
    (void)state;
    for (int widened = 0; widened < 2; widened++) {
        const struct quantize_case c = case_of(widened);
        struct quantize_tensors t;
        struct clq_quantize_desc desc;
        clq_context *context = NULL;
        struct clq_context_desc context_desc = harness.desc;
        size_t built = 0, built_later = 0;

        context_desc.context = harness.cl;
        context_desc.device = harness.device;
        expect_status(clq_context_create(&context_desc, &context), CLQ_OK, "clq_context_create");
        quantize_tensors_init(&t, &c);
        memset(t.y.image, 0x5a, t.y.size_bytes);
        upload_all(&t);
        desc = quantize_desc_of(&t, &c);
        expect_status(clq_quantize_build(context, &desc), CLQ_OK, "clq_quantize_build");
        clq_context_count(context, &built, NULL);
        assert_int_equal(built, widened ? 2 : 1);
        assert_true(tensor_holds(&t.y, harness.queue, t.y.image, "y after a build"));
        assert_true(quantize_case_matches(&c, context, harness.queue));
        clq_context_count(context, &built_later, NULL);
        assert_int_equal(built_later, built);
        clq_context_destroy(context);
        quantize_tensors_clear(&t);
    }
}

/* What is enqueued next in order starts behind what an empty call was to wait for. */
static void an_empty_call_passes_its_wait_on(void **state)
{
    const struct quantize_shape shape = {2, {0, 8}, 1, 8, 8};
    const struct quantize_types types = {REFERENCE_F32, REFERENCE_F32, REFERENCE_I8, REFERENCE_I8, 1, false};
    const struct quantize_case c = quantize_case_of("empty", &types, &shape);
    const cl_command_queue queue = queue_of(0);
    const cl_uint pattern = 0;
    struct quantize_tensors t;
    cl_event wait = user_event(), next = NULL;
    struct clq_quantize_desc desc;

    (void)state;
    quantize_tensors_init(&t, &c);
    upload_all(&t);
    desc = quantize_desc_of(&t, &c);
    expect_status(clq_quantize(harness.context, queue, &desc, 1, &wait, NULL), CLQ_OK, c.name);
    expect_cl(
        clEnqueueFillBuffer(queue, t.scales.mem, &pattern, sizeof pattern, 0, sizeof pattern, 0, NULL, &next),
        "clEnqueueFillBuffer");
    expect_cl(clFlush(queue), "clFlush");
    thrd_sleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    assert_false(is_complete(next));
    complete(wait);
    wait_for(next);
    clReleaseEvent(wait);
    clReleaseCommandQueue(queue);
    quantize_tensors_clear(&t);
}

static void expect_queue_refused(const struct clq_context_desc *context_desc, cl_command_queue queue,
                                 const char *part)
{
    const struct quantize_case c = case_of(false);
    struct quantize_tensors t;
    struct clq_quantize_desc desc;
    clq_context *context = NULL;
    cl_event done = NULL;

    expect_status(clq_context_create(context_desc, &context), CLQ_OK, "clq_context_create");
    quantize_tensors_init(&t, &c);
    desc = quantize_desc_of(&t, &c);
    expect_status(clq_quantize(context, queue, &desc, 0, NULL, &done), CLQ_ERROR_VALUE,
                  "a queue of elsewhere");
    assert_non_null(strstr(clq_error_detail(), part));
    assert_null(done);
    quantize_tensors_clear(&t);
    clq_context_destroy(context);
}

/* Of another context, and of another device of the same one, where there is one. */
static void a_queue_of_elsewhere_is_refused(void **state)
{
    struct clq_context_desc desc = harness.desc;
    cl_device_id devices[8];
    cl_platform_id platform;
    cl_command_queue queue;
    cl_uint count = 0;
    cl_context cl;
    cl_int status;

    (void)state;
    expect_cl(clGetDeviceInfo(harness.device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL),
              "clGetDeviceInfo");
    expect_cl(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, COUNT(devices), devices, &count),
              "clGetDeviceIDs");
    count = count < COUNT(devices) ? count : COUNT(devices);
    cl = clCreateContext(NULL, count, devices, NULL, NULL, &status);
    expect_cl(status, "clCreateContext");
    queue = clCreateCommandQueue(cl, devices[count - 1], 0, &status);
    expect_cl(status, "clCreateCommandQueue");
    expect_queue_refused(&desc, queue, ": it must be one of clq_context_cl's");
    desc.context = cl;
    desc.device = devices[0];
    if (count > 1)
        expect_queue_refused(&desc, queue, ", of another device: it must be one of clq_context_device's");
    clReleaseCommandQueue(queue);
    clReleaseContext(cl);
}

static void CL_CALLBACK note_release(cl_mem buffer, void *released)
{
    (void)buffer;
    atomic_store((atomic_bool *)released, true);
}

/* The library's kernels wait for their next call without the buffers of the last one. */
static void nothing_is_retained(void **state)
{
    const struct quantize_case c = case_of(false);
    atomic_bool released = false;
    struct quantize_tensors t;
    struct clq_quantize_desc desc;

    (void)state;
    quantize_tensors_init(&t, &c);
    upload_all(&t);
    desc = quantize_desc_of(&t, &c);
    expect_cl(clSetMemObjectDestructorCallback(t.x.mem, note_release, &released),
              "clSetMemObjectDestructorCallback");
    expect_status(clq_quantize(harness.context, harness.queue, &desc, 0, NULL, NULL), CLQ_OK, c.name);
    expect_cl(clFinish(harness.queue), "clFinish");
    quantize_tensors_clear(&t);
    for (int i = 0; i < 200 && !atomic_load(&released); i++)
        thrd_sleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    assert_true(atomic_load(&released));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wait_list_is_honoured),
        cmocka_unit_test(wait_list_is_honoured_out_of_order),
        cmocka_unit_test(kernels_of_a_call_follow_each_other),
        cmocka_unit_test(a_chain_out_of_order),
        cmocka_unit_test(no_event_is_needed),
        cmocka_unit_test(empty_tensors_succeed),
        cmocka_unit_test(building_ahead_is_enough),
        cmocka_unit_test(an_empty_call_passes_its_wait_on),
        cmocka_unit_test(a_queue_of_elsewhere_is_refused),
        cmocka_unit_test(nothing_is_retained),
    };

    return HARNESS_RUN(argc, argv, "quantize queue", tests);
}

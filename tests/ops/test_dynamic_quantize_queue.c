/* SPDX-License-Identifier: Apache-2.0 */
/* Dense dynamic quantization: wait lists, events and queues; calls that have nothing to do; building ahead of
 * time. (Scattered: test_quantize_scatter_queue.c.) */
#include "dynamic_case.h"
#include "queues.h"

/* With a smooth scale that is float32, and one that is not. */
static struct dynamic_case case_of(bool widened)
{
    const struct dynamic_types types = {.x = REFERENCE_F16,
                                        .smooth = widened ? REFERENCE_BF16 : REFERENCE_F32,
                                        .y = widened ? REFERENCE_I8 : REFERENCE_I4,
                                        .symmetric = widened};

    return dynamic_case_of(widened ? "widened" : "the kernel alone", &types, 2, (int64_t[]){40, 50});
}

static clq_status call(const struct dynamic_tensors *t, const struct dynamic_case *c, cl_command_queue queue,
                       cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    const struct clq_dynamic_quantize_desc desc = dynamic_desc_of(t, c);

    return clq_dynamic_quantize(harness.context, queue, &desc, num_wait, wait, done);
}

static void upload(struct dynamic_tensors *t, const struct dynamic_case *c, cl_command_queue queue)
{
    const struct parts parts = dynamic_parts(t, c);

    assert_true(parts_upload(&parts, queue) && parts_fill(&parts, queue, 0x5a));
}

static void expect_outputs(struct dynamic_tensors *t, const struct dynamic_case *c)
{
    const struct parts parts = dynamic_parts(t, c);

    dynamic_tensors_expect(t, c, 0x5a);
    assert_true(parts_hold(&parts, harness.queue, true));
}

/* The inputs get their values while the call waits for each of its events: it must see the new ones. */
static void check_waits(cl_command_queue queue, bool widened, cl_uint waits)
{
    const struct dynamic_case c = case_of(widened);
    struct dynamic_tensors t;
    cl_event wait[MOST_WAITS];
    cl_event done = NULL;

    user_events(wait, waits);
    dynamic_tensors_init(&t, &c);
    upload(&t, &c, harness.queue); /* zeros */
    expect_status(call(&t, &c, queue, waits, wait, &done), CLQ_OK, c.name);
    expect_cl(clFlush(queue), "clFlush");
    dynamic_tensors_fill(&t, &c);
    upload(&t, &c, harness.queue);
    complete_each(wait, waits, done);
    expect_outputs(&t, &c);
    dynamic_tensors_clear(&t, &c);
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
    for (cl_uint i = 0; i < 20; i++)
        check_waits(queue, i % 2, 1 + i % MOST_WAITS);
    clReleaseCommandQueue(queue);
}

/* Without a wait list the kernel still follows on one that widens the smooth scale. */
static void kernels_of_a_call_follow_each_other(void **state)
{
    const cl_command_queue queue = out_of_order_queue();
    const struct dynamic_types types = {
        .x = REFERENCE_F32, .smooth = REFERENCE_F16, .y = REFERENCE_I8, .symmetric = true};
    struct dynamic_case c = dynamic_case_of("widened, out of order", &types, 2, (int64_t[]){2, 60000});

    (void)state;
    for (int i = 0; i < (harness.small ? 1 : 10); i++) {
        c.seed++; /* the memory of the call before must not do for this one */
        assert_true(dynamic_case_matches(&c, harness.context, queue));
    }
    clReleaseCommandQueue(queue);
}

/* No event asked for: the queue's own order has to do. */
static void no_event_is_needed(void **state)
{
    (void)state;
    for (int widened = 0; widened < 2; widened++) {
        const struct dynamic_case c = case_of(widened);
        struct dynamic_tensors t;

        dynamic_tensors_init(&t, &c);
        dynamic_tensors_fill(&t, &c);
        upload(&t, &c, harness.queue);
        expect_status(call(&t, &c, harness.queue, 0, NULL, NULL), CLQ_OK, c.name);
        expect_outputs(&t, &c);
        dynamic_tensors_clear(&t, &c);
    }
}

static void check_empty(const struct dynamic_case *c)
{
    struct dynamic_tensors t;
    cl_event wait = user_event();
    cl_event done = NULL;

    dynamic_tensors_init(&t, c);
    upload(&t, c, harness.queue);
    expect_status(call(&t, c, harness.queue, 0, NULL, NULL), CLQ_OK, c->name);
    expect_status(call(&t, c, harness.queue, 1, &wait, &done), CLQ_OK, c->name);
    assert_non_null(done);
    assert_false(is_complete(done));
    complete(wait);
    wait_for(done);
    expect_status(call(&t, c, harness.queue, 0, NULL, &done), CLQ_OK, c->name);
    wait_for(done);
    clReleaseEvent(wait);
    expect_outputs(&t, c);
    dynamic_tensors_clear(&t, c);
}

/* A call without a row succeeds, writes nothing, and its event still waits. */
static void empty_tensors_succeed(void **state)
{
    static const struct {
        int rank;
        int64_t shape[4];
    } rows[] = {{2, {0, 8}}, {3, {2, 0, 8}}, {4, {0, 0, 5, 24}}, {3, {INT64_C(1) << 40, 0, 8}}};

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t k = 0; k < 3; k++) {
            const struct dynamic_types types = dynamic_types_of(k * 41);
            const struct dynamic_case c = dynamic_case_of("empty", &types, rows[i].rank, rows[i].shape);

            check_empty(&c);
        }
}

/* After a build nothing is left to build, and nothing was enqueued. */
static void building_ahead_is_enough(void **state)
{
    (void)state;
    for (int widened = 0; widened < 2; widened++) {
        const struct dynamic_case c = case_of(widened);
        struct dynamic_tensors t;
        const struct parts parts = dynamic_parts(&t, &c);
        struct clq_context_desc context_desc = harness.desc;
        struct clq_dynamic_quantize_desc desc;
        clq_context *context = NULL;
        size_t built = 0, built_later = 0;

        context_desc.context = harness.cl;
        context_desc.device = harness.device;
        expect_status(clq_context_create(&context_desc, &context), CLQ_OK, "clq_context_create");
        dynamic_tensors_init(&t, &c);
        dynamic_tensors_fill(&t, &c);
        upload(&t, &c, harness.queue);
        desc = dynamic_desc_of(&t, &c);
        expect_status(clq_dynamic_quantize_build(context, &desc), CLQ_OK, "clq_dynamic_quantize_build");
        clq_context_count(context, &built, NULL);
        assert_int_equal(built, widened ? 2 : 1);
        parts_fill_images(&parts, 0x5a);
        assert_true(parts_hold(&parts, harness.queue, true));
        assert_true(dynamic_case_matches(&c, context, harness.queue));
        clq_context_count(context, &built_later, NULL);
        assert_int_equal(built_later, built);
        clq_context_destroy(context);
        dynamic_tensors_clear(&t, &c);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wait_list_is_honoured),
        cmocka_unit_test(wait_list_is_honoured_out_of_order),
        cmocka_unit_test(kernels_of_a_call_follow_each_other),
        cmocka_unit_test(no_event_is_needed),
        cmocka_unit_test(empty_tensors_succeed),
        cmocka_unit_test(building_ahead_is_enough),
    };

    return HARNESS_RUN(argc, argv, "dynamic_quantize queue", tests);
}

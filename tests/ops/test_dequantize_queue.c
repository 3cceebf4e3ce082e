/* SPDX-License-Identifier: Apache-2.0 */
/* Dequantization, dense, gathered and by groups: wait lists, events and queues; calls that have nothing to do;
 * building ahead of time. */
#include "dequantize_case.h"
#include "queues.h"

/* A call by the commands that it takes. */
struct kind {
    const char *name;
    struct dequantize_shape shape;
    enum clq_dequantize_mode mode;
    bool widened;    /* scales and zero points that differ along a row are not float32 */
    size_t programs; /* that it builds */
};

static const struct kind kinds[] = {
    {"the kernel alone", {.rank = 2, .q = {40, 50}, .axis = 0}, CLQ_DEQUANTIZE_DIVIDE, false, 1},
    {"widened", {.rank = 2, .q = {40, 50}, .axis = 1}, CLQ_DEQUANTIZE_MULTIPLY, true, 2},
    {"rows", {.rank = 3, .q = {4, 9, 16}}, CLQ_DEQUANTIZE_DYNAMIC, true, 1},
    {"gathered, widened",
     {.rank = 3, .q = {6, 40, 16}, .axis = 1, .index_rank = 1, .entries = 5, .length = 3},
     CLQ_DEQUANTIZE_DIVIDE,
     true,
     2},
    {"gathered rows",
     {.rank = 4, .q = {6, 9, 3, 16}, .axis = 1, .index_rank = 2, .entries = 20, .length = 2},
     CLQ_DEQUANTIZE_DYNAMIC,
     false,
     1},
    {"groups, widened", {.rank = 2, .q = {40, 24}, .groups = 5}, CLQ_DEQUANTIZE_MULTIPLY, true, 2},
};

static struct dequantize_case case_of(const struct kind *kind)
{
    const struct dequantize_types types = {.q = REFERENCE_I8,
                                           .scale = kind->widened ? REFERENCE_BF16 : REFERENCE_F32,
                                           .zero = kind->widened ? REFERENCE_I8 : REFERENCE_F32,
                                           .index = REFERENCE_I32,
                                           .y = REFERENCE_F16,
                                           .mode = kind->mode};
    struct dequantize_case c = dequantize_case_of(kind->name, &types, &kind->shape);

    c.reports = false;
    return c;
}

static clq_status call(const struct dequantize_tensors *t, const struct dequantize_case *c,
                       cl_command_queue queue, cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    const struct clq_dequantize_desc desc = dequantize_desc_of(t, c);

    return clq_dequantize(harness.context, queue, &desc, num_wait, wait, done);
}

static void upload(struct dequantize_tensors *t, const struct dequantize_case *c)
{
    const struct parts parts = dequantize_parts(t, c);

    assert_true(parts_upload(&parts, harness.queue) && parts_fill(&parts, harness.queue, 0x5a));
}

static void expect_output(struct dequantize_tensors *t, const struct dequantize_case *c)
{
    const struct parts parts = dequantize_parts(t, c);

    parts_fill_images(&parts, 0x5a);
    dequantize_tensors_apply(t, c);
    assert_true(parts_hold(&parts, harness.queue, true));
}

/* The inputs get their values while the call waits for each of its events: every command must see the new
 * ones. */
static void check_waits(cl_command_queue queue, const struct kind *kind, cl_uint waits)
{
    const struct dequantize_case c = case_of(kind);
    struct dequantize_tensors t = {.report = NULL};
    const struct parts parts = dequantize_parts(&t, &c);
    cl_event wait[MOST_WAITS];
    cl_event done = NULL;

    user_events(wait, waits);
    parts_init(&parts);
    upload(&t, &c); /* zeros */
    expect_status(call(&t, &c, queue, waits, wait, &done), CLQ_OK, c.name);
    expect_cl(clFlush(queue), "clFlush");
    dequantize_tensors_fill(&t, &c);
    upload(&t, &c);
    complete_each(wait, waits, done);
    expect_output(&t, &c);
    parts_clear(&parts);
}

static void wait_list_is_honoured(void **state)
{
    const cl_command_queue queue = queue_of(0);

    (void)state;
    for (size_t i = 0; i < COUNT(kinds); i++)
        for (cl_uint waits = 1; waits <= MOST_WAITS; waits++)
            check_waits(queue, &kinds[i], waits);
    clReleaseCommandQueue(queue);
}

static void wait_list_is_honoured_out_of_order(void **state)
{
    const cl_command_queue queue = out_of_order_queue();

    (void)state;
    for (cl_uint n = 0; n < 10; n++)
        for (size_t i = 0; i < COUNT(kinds); i++)
            check_waits(queue, &kinds[i], 1 + n % MOST_WAITS);
    clReleaseCommandQueue(queue);
}

/* Without a wait list the kernel still follows on those that widen, although the queue would run all of them
 * at once. */
static void kernels_of_a_call_follow_each_other(void **state)
{
    static const struct kind large[] = {
        {"widened, large", {.rank = 2, .q = {2, 60000}, .axis = 1}, CLQ_DEQUANTIZE_DIVIDE, true, 2},
        {"gathered, widened, large",
         {.rank = 3, .q = {2, 3, 60000}, .axis = 1, .index_rank = 2, .entries = 1, .length = 1},
         CLQ_DEQUANTIZE_MULTIPLY,
         true,
         2},
        {"groups, widened, large",
         {.rank = 2, .q = {2, 30000}, .groups = 4},
         CLQ_DEQUANTIZE_MULTIPLY,
         true,
         2},
    };
    const cl_command_queue queue = out_of_order_queue();

    (void)state;
    for (int n = 0; n < (harness.small ? 1 : 12); n++)
        for (size_t i = 0; i < COUNT(large); i++) {
            struct dequantize_case c = case_of(&large[i]);

            c.seed += (uint64_t)n; /* the memory of the call before must not do for this one */
            assert_true(dequantize_case_matches(&c, harness.context, queue));
        }
    clReleaseCommandQueue(queue);
}

/* No event asked for: the queue's own order has to do. */
static void no_event_is_needed(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        const struct dequantize_case c = case_of(&kinds[i]);
        struct dequantize_tensors t = {.report = NULL};
        const struct parts parts = dequantize_parts(&t, &c);

        parts_init(&parts);
        dequantize_tensors_fill(&t, &c);
        upload(&t, &c);
        expect_status(call(&t, &c, harness.queue, 0, NULL, NULL), CLQ_OK, c.name);
        expect_output(&t, &c);
        parts_clear(&parts);
    }
}

static void check_empty(const struct dequantize_case *c)
{
    struct dequantize_tensors t = {.report = NULL};
    const struct parts parts = dequantize_parts(&t, c);
    cl_event wait = user_event();
    cl_event done = NULL;

    parts_init(&parts);
    upload(&t, c);
    expect_status(call(&t, c, harness.queue, 0, NULL, NULL), CLQ_OK, c->name);
    expect_status(call(&t, c, harness.queue, 1, &wait, &done), CLQ_OK, c->name);
    assert_non_null(done);
    assert_false(is_complete(done));
    complete(wait);
    wait_for(done);
    expect_status(call(&t, c, harness.queue, 0, NULL, &done), CLQ_OK, c->name);
    wait_for(done);
    clReleaseEvent(wait);
    expect_output(&t, c);
    parts_clear(&parts);
}

/* A call without a value of y succeeds, writes nothing, and its event still waits. */
static void empty_tensors_succeed(void **state)
{
    static const struct dequantize_shape shapes[] = {
        {.rank = 1, .q = {0}, .one_scale = true, .one_zero = true},
        {.rank = 2, .q = {0, 8}, .axis = 1},
        {.rank = 3, .q = {INT64_C(1) << 40, 0, 8}, .axis = 1},
        {.rank = 3, .q = {4, 6, 8}, .axis = 1, .index_rank = 2, .entries = 0, .length = 2},
        {.rank = 3, .q = {4, 6, 8}, .axis = 1, .index_rank = 1, .entries = 3, .length = 0},
        {.rank = 2, .q = {0, 8}, .groups = 3},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(shapes); i++)
        for (int mode = 0; mode < 3; mode++) {
            const struct kind kind = {"empty", shapes[i], (enum clq_dequantize_mode)mode, mode == 1, 0};
            const struct dequantize_case c = case_of(&kind);

            if (shapes[i].groups > 0 && mode != CLQ_DEQUANTIZE_MULTIPLY)
                continue;
            check_empty(&c);
        }
}

/* After a build nothing is left to build, and nothing was enqueued. */
static void building_ahead_is_enough(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        const struct dequantize_case c = case_of(&kinds[i]);
        struct clq_context_desc context_desc = harness.desc;
        struct dequantize_tensors t = {.report = NULL};
        const struct parts parts = dequantize_parts(&t, &c);
        struct clq_dequantize_desc desc;
        clq_context *context = NULL;
        size_t built = 0, built_later = 0;

        context_desc.context = harness.cl;
        context_desc.device = harness.device;
        expect_status(clq_context_create(&context_desc, &context), CLQ_OK, "clq_context_create");
        parts_init(&parts);
        dequantize_tensors_fill(&t, &c);
        upload(&t, &c);
        desc = dequantize_desc_of(&t, &c);
        expect_status(clq_dequantize_build(context, &desc), CLQ_OK, "clq_dequantize_build");
        clq_context_count(context, &built, NULL);
        assert_int_equal(built, kinds[i].programs);
        parts_fill_images(&parts, 0x5a);
        assert_true(parts_hold(&parts, harness.queue, true));
        assert_true(dequantize_tensors_match(&t, &c, context, harness.queue));
        clq_context_count(context, &built_later, NULL);
        assert_int_equal(built_later, built);
        clq_context_destroy(context);
        parts_clear(&parts);
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

    return HARNESS_RUN(argc, argv, "dequantize queue", tests);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Quantize and scatter, with scales given or found from the rows: wait lists, events and queues; a chain of
 * copy, widening, table and kernel; calls that have nothing to do; building ahead of time. */
#include "queues.h"
#include "scatter_case.h"

#include <string.h>

/* A call by the commands that it takes. */
struct kind {
    const char *name;
    struct scatter_shape shape;
    bool widened; /* scales and zero points are not float32 */
    bool borrows; /* the table of last entries is in the caller's workspace */
    bool copies;
    bool gaps;       /* the copy is a kernel, not the driver's */
    size_t programs; /* that it builds */
    bool dynamic;
};

static const struct kind kinds[] = {
    {"the kernel alone", {3, {6, 40, 16}, 1, 5, 3, 1}, false, false, false, false, 1, false},
    {"widened", {3, {6, 40, 16}, 1, 5, 3, 1}, true, false, false, false, 2, false},
    {"claimed", {3, {8, 64, 8}, 1, 1024, 1, 2}, false, false, false, false, 2, false},
    {"claimed in a workspace", {3, {8, 64, 8}, 1, 1024, 3, 2}, false, true, false, false, 2, false},
    {"hashed, widened", {3, {64, 512, 8}, 1, 1000, 1, 2}, true, false, false, false, 3, false},
    {"copied", {3, {6, 40, 16}, 1, 5, 3, 1}, false, false, true, false, 1, false},
    {"copied with gaps, claimed, widened", {3, {8, 64, 8}, 1, 1024, 1, 2}, true, true, true, true, 4, false},
    {"dynamic", {3, {6, 40, 16}, 1, 5, 3, 1}, false, false, false, false, 1, true},
    {"dynamic, widened", {3, {6, 40, 16}, 1, 5, 3, 1}, true, false, false, false, 2, true},
    {"dynamic, claimed", {3, {8, 64, 8}, 1, 1024, 1, 2}, false, false, false, false, 2, true},
    {"dynamic, hashed, in a workspace", {3, {64, 512, 8}, 1, 1000, 1, 2}, true, true, false, false, 3, true},
};

static struct scatter_case case_of(const struct kind *kind)
{
    const struct scatter_types types = {.x = REFERENCE_F16,
                                        .scale = kind->widened ? REFERENCE_BF16 : REFERENCE_F32,
                                        .zero = kind->widened ? REFERENCE_I8 : REFERENCE_F32,
                                        .index = REFERENCE_I32,
                                        .cache = REFERENCE_I8,
                                        .dynamic = kind->dynamic};
    struct scatter_case c = scatter_case_of(kind->name, &types, &kind->shape);

    c.reports = false;
    c.copies = kind->copies;
    c.borrows = kind->borrows;
    if (kind->gaps) {
        layout_stride(&c.input);
        c.input.strides[0] += 3;
    }
    return c;
}

/* The outputs hold what a call makes of their images. */
static void expect_outputs(struct scatter_tensors *t, const struct scatter_case *c)
{
    const struct parts parts = scatter_parts(t, c);

    scatter_tensors_apply(t, c);
    assert_true(parts_hold(&parts, harness.queue, true));
}

/* The tensors get their values while the call waits for each of its events: every command must see the new
 * ones. Until then the workspace is the test's, too. */
static void check_waits(cl_command_queue queue, const struct kind *kind, cl_uint waits)
{
    const struct scatter_case c = case_of(kind);
    struct scatter_tensors t;
    const struct parts parts = scatter_parts(&t, &c);
    cl_event wait[MOST_WAITS];
    cl_event done = NULL;

    user_events(wait, waits);
    scatter_tensors_init(&t, &c);
    assert_true(scatter_tensors_upload(&t, &c, harness.queue)); /* zeros */
    expect_status(scatter_call(&t, &c, harness.context, queue, waits, wait, &done), CLQ_OK, c.name);
    expect_cl(clFlush(queue), "clFlush");
    scatter_tensors_fill(&t, &c);
    parts_fill_images(&parts, 0x5a);
    assert_true(scatter_tensors_upload(&t, &c, harness.queue));
    if (t.workspace) {
        const cl_uint claimed = UINT32_MAX;

        expect_cl(clEnqueueFillBuffer(harness.queue, t.workspace, &claimed, sizeof(claimed), 0,
                                      t.workspace_bytes, 0, NULL, NULL),
                  "clEnqueueFillBuffer");
        expect_cl(clFinish(harness.queue), "clFinish");
    }
    complete_each(wait, waits, done);
    expect_outputs(&t, &c);
    scatter_tensors_clear(&t);
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

/* Without a wait list each command still follows on those before it, although the queue would run all of them
 * at once. Each has enough to do to be late. */
static void commands_of_a_call_follow_each_other(void **state)
{
    static const struct kind large[] = {
        {"widened, large", {3, {2, 3, 60000}, 1, 1, 1, 1}, true, false, false, false, 2, false},
        {"widened, then claimed, large",
         {3, {16, 2048, 8}, 1, 4000, 4, 2},
         true,
         false,
         false,
         false,
         3,
         false},
        {"claimed, large", {3, {16, 2048, 4}, 1, 4000, 4, 2}, false, false, false, false, 2, false},
        {"hashed, large", {3, {64, 2048, 4}, 1, 8000, 1, 2}, false, true, false, false, 2, false},
        {"copied, large", {3, {8, 1000, 512}, 1, 8, 1, 1}, false, false, true, false, 1, false},
        {"copied with gaps, large", {3, {8, 1000, 512}, 1, 8, 1, 1}, true, false, true, true, 3, false},
        {"dynamic, widened, large", {3, {2, 3, 60000}, 1, 1, 1, 1}, true, false, false, false, 2, true},
        {"dynamic, claimed, large", {3, {16, 2048, 4}, 1, 4000, 4, 2}, false, false, false, false, 2, true},
    };
    const cl_command_queue queue = out_of_order_queue();

    (void)state;
    for (int n = 0; n < (harness.small ? 1 : 12); n++)
        for (size_t i = 0; i < COUNT(large); i++) {
            struct scatter_case c = case_of(&large[i]);

            c.seed += (uint64_t)n; /* the memory of the call before must not do for this one */
            assert_true(scatter_case_matches(&c, harness.context, queue));
        }
    clReleaseCommandQueue(queue);
}

/* A decode loop: every call writes the same cache after the one before it, by its event alone. */
static void calls_on_one_cache_follow_by_their_events(void **state)
{
    enum { CALLS = 40 };
    const struct scatter_types types = {
        REFERENCE_F32, REFERENCE_F16, REFERENCE_I8, REFERENCE_I64, REFERENCE_I8, 1, false, false};
    const struct scatter_shape shape = {3, {4, 8, 256}, 1, 6, 4, 2};
    const cl_command_queue queue = out_of_order_queue();
    struct scatter_tensors t[CALLS];
    struct scatter_case c[CALLS];
    cl_event before = NULL;
    unsigned char *got;

    (void)state;
    for (int i = 0; i < CALLS; i++) {
        c[i] = scatter_case_of("a decode loop", &types, &shape);
        c[i].reports = false;
        c[i].seed += (uint64_t)i;
        scatter_tensors_init(&t[i], &c[i]);
        scatter_tensors_fill(&t[i], &c[i]);
        assert_true(scatter_tensors_upload(&t[i], &c[i], queue));
    }
    for (int i = 0; i < CALLS; i++) {
        struct scatter_tensors onto = t[i];
        cl_event done = NULL;

        onto.cache = t[0].cache;
        expect_status(scatter_call(&onto, &c[i], harness.context, queue, before != NULL,
                                   before ? &before : NULL, &done),
                      CLQ_OK, c[i].name);
        if (before)
            clReleaseEvent(before);
        before = done;
        scatter_tensors_apply(&onto, &c[i]);
    }
    got = test_malloc(t[0].cache.size_bytes);
    expect_cl(
        clEnqueueReadBuffer(queue, t[0].cache.mem, CL_TRUE, 0, t[0].cache.size_bytes, got, 1, &before, NULL),
        "clEnqueueReadBuffer");
    assert_memory_equal(got, t[0].cache.image, t[0].cache.size_bytes);
    test_free(got);
    clReleaseEvent(before);
    for (int i = 0; i < CALLS; i++)
        scatter_tensors_clear(&t[i]);
    clReleaseCommandQueue(queue);
}

/* No event asked for: the queue's own order has to do. */
static void no_event_is_needed(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        const struct scatter_case c = case_of(&kinds[i]);
        struct scatter_tensors t;

        scatter_tensors_init(&t, &c);
        scatter_tensors_fill(&t, &c);
        assert_true(scatter_tensors_upload(&t, &c, harness.queue));
        expect_status(scatter_call(&t, &c, harness.context, harness.queue, 0, NULL, NULL), CLQ_OK, c.name);
        expect_outputs(&t, &c);
        scatter_tensors_clear(&t);
    }
}

static void check_empty(const struct scatter_case *c)
{
    struct scatter_tensors t;
    const struct parts parts = scatter_parts(&t, c);
    cl_event wait = user_event();
    cl_event done = NULL;

    scatter_tensors_init(&t, c);
    assert_true(scatter_tensors_upload(&t, c, harness.queue));
    expect_status(scatter_call(&t, c, harness.context, harness.queue, 0, NULL, NULL), CLQ_OK, c->name);
    expect_status(scatter_call(&t, c, harness.context, harness.queue, 1, &wait, &done), CLQ_OK, c->name);
    assert_non_null(done);
    expect_cl(clFlush(harness.queue), "clFlush");
    assert_false(is_complete(done));
    scatter_tensors_fill(&t, c);
    parts_fill_images(&parts, 0x5a);
    {
        const cl_command_queue other = queue_of(0);

        assert_true(scatter_tensors_upload(&t, c, other));
        clReleaseCommandQueue(other);
    }
    complete(wait);
    wait_for(done);
    expect_outputs(&t, c); /* out of place the copy is made all the same, of what is there now */
    expect_status(scatter_call(&t, c, harness.context, harness.queue, 0, NULL, &done), CLQ_OK, c->name);
    wait_for(done);
    clReleaseEvent(wait);
    expect_outputs(&t, c);
    scatter_tensors_clear(&t);
}

/* Entries that move nothing succeed and write nothing, and their event still waits. */
static void empty_updates_succeed(void **state)
{
    static const struct scatter_shape shapes[] = {
        {3, {4, 6, 8}, 1, 0, 2, 1},
        {3, {4, 6, 8}, 1, 0, 2, 2},
        {3, {4, 6, 8}, 1, 3, 0, 1},
        {3, {4, 6, 8}, 1, 2000, 0, 2},
        {3, {4, 6, 0}, 1, 3, 2, 1},
        {3, {0, 6, 8}, 1, 0, 2, 1},
        {3, {4, 0, 8}, 1, 3, 0, 1},
        {2, {4, 6}, 1, 0, 2, 2},
        {5, {2, 0, 3, 4, 8}, 3, 2, 1, 2},
        {3, {0, 0, 0}, 1, 0, 0, 2},
        {4, {0, INT64_C(1) << 40, 0, 8}, 1, 0, 1, 2},
    };
    static const struct scatter_types types[] = {
        {REFERENCE_F32, REFERENCE_F32, REFERENCE_I4, REFERENCE_I32, REFERENCE_I8, 1, false, false},
        {REFERENCE_F16, REFERENCE_BF16, REFERENCE_I8, REFERENCE_I64, REFERENCE_I4, 2, false, false},
        {REFERENCE_F16, REFERENCE_BF16, REFERENCE_I4, REFERENCE_I64, REFERENCE_I4, 2, true, false},
    };

    (void)state;
    for (size_t k = 0; k < COUNT(shapes); k++)
        for (size_t i = 0; i < 2 * COUNT(types); i++) {
            struct scatter_case c;

            if (reference_shares_bytes(types[i / 2].cache, 1) && shapes[k].rank == 2)
                continue;
            if (types[i / 2].dynamic && (i % 2 || shapes[k].cache[shapes[k].rank - 1] == 0))
                continue;
            c = scatter_case_of("empty", &types[i / 2], &shapes[k]);
            c.reports = false;
            c.copies = i % 2;
            check_empty(&c);
        }
}

/* After a build nothing is left to build, and nothing was enqueued. */
static void building_ahead_is_enough(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        const struct scatter_case c = case_of(&kinds[i]);
        struct clq_context_desc context_desc = harness.desc;
        struct scatter_tensors t;
        const struct parts parts = scatter_parts(&t, &c);
        clq_context *context = NULL;
        size_t built = 0, built_later = 0;

        context_desc.context = harness.cl;
        context_desc.device = harness.device;
        expect_status(clq_context_create(&context_desc, &context), CLQ_OK, "clq_context_create");
        scatter_tensors_init(&t, &c);
        scatter_tensors_fill(&t, &c);
        parts_fill_images(&parts, 0x5a);
        assert_true(scatter_tensors_upload(&t, &c, harness.queue));
        expect_status(scatter_build(&t, &c, context), CLQ_OK, "the build");
        clq_context_count(context, &built, NULL);
        assert_int_equal(built, kinds[i].programs);
        assert_true(parts_hold(&parts, harness.queue, true));
        assert_true(scatter_case_matches(&c, context, harness.queue));
        clq_context_count(context, &built_later, NULL);
        assert_int_equal(built_later, built);
        clq_context_destroy(context);
        scatter_tensors_clear(&t);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wait_list_is_honoured),
        cmocka_unit_test(wait_list_is_honoured_out_of_order),
        cmocka_unit_test(commands_of_a_call_follow_each_other),
        cmocka_unit_test(calls_on_one_cache_follow_by_their_events),
        cmocka_unit_test(no_event_is_needed),
        cmocka_unit_test(empty_updates_succeed),
        cmocka_unit_test(building_ahead_is_enough),
    };

    return HARNESS_RUN(argc, argv, "quantize_scatter queue", tests);
}

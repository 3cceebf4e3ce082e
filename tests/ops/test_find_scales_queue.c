/* SPDX-License-Identifier: Apache-2.0 */
/* Wait lists, events and queues; calls that have nothing to do; building ahead of time. */
#include "queues.h"
#include "scales_case.h"

#include <string.h>

/* One kernel, two that follow each other, and columns. */
static struct scales_case case_of(int which)
{
    static const struct {
        const char *name;
        int64_t shape[2];
        int axis;
    } kinds[] = {
        {"one kernel", {40, 50}, 0}, {"two kernels", {1, 90000}, NO_AXIS}, {"columns", {900, 50}, 1}};
    const struct scales_types types = {REFERENCE_F16, REFERENCE_U8, REFERENCE_U8, true, false};

    return scales_case_of(kinds[which].name, &types, 2, kinds[which].shape, kinds[which].axis);
}
enum { KINDS = 3 };

static void upload_all(struct scales_tensors *t)
{
    assert_true(tensor_upload(&t->x, harness.queue));
    assert_true(tensor_upload(&t->scales, harness.queue));
    assert_true(tensor_upload(&t->zero_points, harness.queue));
}

static void fill_outputs(struct scales_tensors *t, int filling)
{
    memset(t->scales.image, filling, t->scales.size_bytes);
    memset(t->zero_points.image, filling, t->zero_points.size_bytes);
}

static bool outputs_hold(struct scales_tensors *t, const char *name)
{
    return tensor_holds(&t->scales, harness.queue, t->scales.image, name) &&
           tensor_holds(&t->zero_points, harness.queue, t->zero_points.image, name);
}

/* x gets its values while the call waits: it must see the new ones. */
static void check_waits(cl_command_queue queue, int which, cl_uint waits)
{
    const struct scales_case c = case_of(which);
    struct scales_tensors t;
    cl_event wait[MOST_WAITS], done = NULL;
    struct clq_find_scales_desc desc;

    user_events(wait, waits);
    scales_tensors_init(&t, &c);
    upload_all(&t); /* zeros */
    desc = scales_desc_of(&t, &c);
    expect_status(clq_find_scales(harness.context, queue, &desc, waits, wait, &done), CLQ_OK, c.name);
    expect_cl(clFlush(queue), "clFlush");
    scales_tensors_fill(&t, &c);
    fill_outputs(&t, 0x5a);
    upload_all(&t);
    complete_each(wait, waits, done);
    scales_tensors_expect(&t, &c);
    assert_true(outputs_hold(&t, c.name));
    scales_tensors_clear(&t);
}

static void wait_lists_are_honoured(void **state)
{
    const cl_command_queue queue = queue_of(0);

    (void)state;
    for (int which = 0; which < KINDS; which++)
        for (cl_uint waits = 1; waits <= MOST_WAITS; waits++)
            check_waits(queue, which, waits);
    clReleaseCommandQueue(queue);
}

static void wait_lists_are_honoured_out_of_order(void **state)
{
    const cl_command_queue queue = out_of_order_queue();

    (void)state;
    for (int i = 0; i < 30; i++)
        check_waits(queue, i % KINDS, 1 + (cl_uint)(i / KINDS) % MOST_WAITS);
    clReleaseCommandQueue(queue);
}

/* Without a wait list the second kernel still follows on the first, although the queue would run both at
 * once. */
static void kernels_of_a_call_follow_each_other(void **state)
{
    const cl_command_queue queue = out_of_order_queue();
    const struct scales_types types = {REFERENCE_F32, REFERENCE_I8, REFERENCE_F32, true, true};
    const int64_t shape[] = {3000, 300};

    (void)state;
    for (int i = 0; i < (harness.small ? 2 : 40); i++) {
        struct scales_case c = scales_case_of("out of order", &types, 2, shape, i % 2 ? 1 : NO_AXIS);
        struct scales_tensors t;

        c.values = SCALES_NARROW;
        c.seed += (uint64_t)i; /* the memory of the call before must not do for this one */
        scales_tensors_init(&t, &c);
        scales_tensors_fill(&t, &c);
        assert_true(scales_tensors_match(&t, &c, harness.context, queue));
        scales_tensors_clear(&t);
    }
    clReleaseCommandQueue(queue);
}

static void no_event_is_needed(void **state)
{
    (void)state;
    for (int which = 0; which < KINDS; which++) {
        const struct scales_case c = case_of(which);
        struct scales_tensors t;
        struct clq_find_scales_desc desc;

        scales_tensors_init(&t, &c);
        scales_tensors_fill(&t, &c);
        upload_all(&t);
        desc = scales_desc_of(&t, &c);
        expect_status(clq_find_scales(harness.context, harness.queue, &desc, 0, NULL, NULL), CLQ_OK, c.name);
        scales_tensors_expect(&t, &c);
        assert_true(outputs_hold(&t, c.name));
        scales_tensors_clear(&t);
    }
}

/* x without elements has the scales of zeros, each; an axis without elements has no scales. Either waits. */
static void empty_tensors_succeed(void **state)
{
    static const struct {
        int rank;
        int64_t shape[4];
        int axis;
    } cases[] = {{1, {0}, NO_AXIS},     {1, {0}, 0},
                 {2, {0, 8}, 1},        {2, {0, 8}, 0},
                 {2, {5, 0}, 0},        {2, {5, 0}, NO_AXIS},
                 {4, {0, 0, 0, 0}, -1}, {3, {2, 0, 300}, 2},
                 {2, {9000, 0}, 0},     {2, {0, INT64_C(1) << 62}, NO_AXIS}};

    (void)state;
    for (size_t k = 0; k < COUNT(cases); k++) {
        for (int i = 0; i < 4; i++) {
            const struct scales_types types = {REFERENCE_BF16, REFERENCE_U8,
                                               i % 2 ? REFERENCE_U8 : REFERENCE_F32, i % 2, i / 2};
            const struct scales_case c =
                scales_case_of("empty", &types, cases[k].rank, cases[k].shape, cases[k].axis);
            const cl_event wait = user_event();
            cl_event done = NULL;
            struct scales_tensors t;
            struct clq_find_scales_desc desc;

            scales_tensors_init(&t, &c);
            fill_outputs(&t, 0x5a);
            upload_all(&t);
            desc = scales_desc_of(&t, &c);
            expect_status(clq_find_scales(harness.context, harness.queue, &desc, 1, &wait, &done), CLQ_OK,
                          "empty");
            assert_non_null(done);
            assert_false(is_complete(done));
            complete(wait);
            wait_for(done);
            clReleaseEvent(wait);
            scales_tensors_expect(&t, &c);
            assert_true(outputs_hold(&t, "empty"));
            expect_status(clq_find_scales(harness.context, harness.queue, &desc, 0, NULL, NULL), CLQ_OK,
                          "empty");
            expect_cl(clFinish(harness.queue), "clFinish");
            scales_tensors_clear(&t);
        }
    }
}

/* After clq_find_scales_build nothing is left to build, and nothing was enqueued. */
static void building_ahead_is_enough(void **state)
{
    (void)state;
    for (int which = 0; which < KINDS; which++) {
        const struct scales_case c = case_of(which);
        struct clq_context_desc context_desc = harness.desc;
        clq_context *context = NULL;
        struct scales_tensors t;
        struct clq_find_scales_desc desc;
        size_t built = 0, later = 0;

        context_desc.context = harness.cl;
        context_desc.device = harness.device;
        expect_status(clq_context_create(&context_desc, &context), CLQ_OK, "clq_context_create");
        scales_tensors_init(&t, &c);
        scales_tensors_fill(&t, &c);
        fill_outputs(&t, 0x5a);
        upload_all(&t);
        desc = scales_desc_of(&t, &c);
        expect_status(clq_find_scales_build(context, &desc), CLQ_OK, "clq_find_scales_build");
        clq_context_count(context, &built, NULL);
        assert_true(built >= 1 && built <= 2);
        assert_true(outputs_hold(&t, "after a build"));
        assert_true(scales_tensors_match(&t, &c, context, harness.queue));
        clq_context_count(context, &later, NULL);
        assert_int_equal(later, built);
        clq_context_destroy(context);
        scales_tensors_clear(&t);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wait_lists_are_honoured),
        cmocka_unit_test(wait_lists_are_honoured_out_of_order),
        cmocka_unit_test(kernels_of_a_call_follow_each_other),
        cmocka_unit_test(no_event_is_needed),
        cmocka_unit_test(empty_tensors_succeed),
        cmocka_unit_test(building_ahead_is_enough),
    };

    return HARNESS_RUN(argc, argv, "find scales, queue", tests);
}

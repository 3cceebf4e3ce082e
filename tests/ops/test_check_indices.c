/* SPDX-License-Identifier: Apache-2.0 */
/* What the host says of indices, read back: which entry is the lowest wrong one, and why. */
#include "scatter_case.h"

#include <pthread.h>
#include <string.h>
#include <threads.h>

enum { ENTRIES = 6, BATCHES = 6 };
#define WIDE INT64_C(4294967296) /* 0 in 32 bits */

/* Of a cache (6, 10, 8) and updates (6, 3, 8). */
struct entries_case {
    const char *name;
    int index_rank;
    int64_t entries[ENTRIES][2]; /* batch and start; 1-D indices have no batch */
    const char *sentence;        /* NULL: all is right */
    bool wide;                   /* only of int64 */
};

#define BATCH ": it must be from 0 to 5, the cache's first dimension less one"
#define START ": it must be from 0 to 7, the cache's 10 on axis 1 less an entry's 3"
#define SLOT                                                                                                 \
    "; a slot of the whole cache is given with index_kind CLQ_SLOTS (1), or as [batch, start] in indices "   \
    "[N, 2]"
#define STARTS(i) START "; 1-D indices are starts, entry " i "'s in batch " i

static const struct entries_case entries_cases[] = {
    {"right, to the ends", 2, {{0, 0}, {5, 7}, {5, 0}, {0, 7}, {2, 3}, {2, 3}}, NULL, false},
    {"starts, right, to the ends", 1, {{0, 0}, {0, 7}, {0, 0}, {0, 7}, {0, 3}, {0, 3}}, NULL, false},
    {"batch -1", 2, {{0, 0}, {1, 1}, {-1, 2}}, "indices[2] has batch -1" BATCH, false},
    {"batch D0", 2, {{6, 0}}, "indices[0] has batch 6" BATCH, false},
    {"start -1", 2, {{0, 0}, {1, -1}}, "indices[1] has start -1" START, false},
    {"start A-U+1", 2, {{0, 0}, {1, 8}}, "indices[1] has start 8" START, false},
    {"the last entry", 2, {[5] = {0, 10}}, "indices[5] has start 10" START, false},
    {"batch and start of one entry", 2, {[3] = {7, 9}}, "indices[3] has batch 7" BATCH, false},
    {"a start below a batch", 2, {[1] = {0, 8}, [2] = {9, 0}}, "indices[1] has start 8" START, false},
    {"the lowest of many",
     2,
     {[2] = {0, -5}, [3] = {-5, 0}, [5] = {8, 8}},
     "indices[2] has start -5" START,
     false},
    {"starts, -1", 1, {[4] = {0, -1}}, "indices[4] has start -1" STARTS("4"), false},
    {"starts, A-U+1", 1, {[0] = {0, 8}, [1] = {0, 9}}, "indices[0] has start 8" STARTS("0"), false},
    {"a flat slot for a start", 1, {[2] = {0, 25}}, "indices[2] has start 25" STARTS("2") SLOT, false},
    {"more than any slot", 1, {[2] = {0, 60}}, "indices[2] has start 60" STARTS("2"), false},
    {"the least int32", 2, {{INT32_MIN, 0}}, "indices[0] has batch -2147483648" BATCH, false},
    {"the greatest int32", 1, {{0, INT32_MAX}}, "indices[0] has start 2147483647" STARTS("0"), false},
    {"a batch of 2^32", 2, {[1] = {WIDE, 0}}, "indices[1] has batch 4294967296" BATCH, true},
    {"a start of 2^32", 2, {[1] = {0, WIDE}}, "indices[1] has start 4294967296" START, true},
    {"the least int64",
     1,
     {[2] = {0, INT64_MIN}},
     "indices[2] has start -9223372036854775808" STARTS("2"),
     true},
    {"the greatest int64", 2, {[2] = {INT64_MAX, 0}}, "indices[2] has batch 9223372036854775807" BATCH, true},
};

static struct scatter_case scatter_of(const char *name, enum reference_type index, int index_rank,
                                      bool dynamic)
{
    const struct scatter_types types = {.scale = dynamic ? REFERENCE_I4 : REFERENCE_F32,
                                        .zero = REFERENCE_I4,
                                        .index = index,
                                        .cache = REFERENCE_I8,
                                        .dynamic = dynamic};
    const struct scatter_shape shape = {3, {BATCHES, 10, 8}, 1, ENTRIES, 3, index_rank};

    return scatter_case_of(name, &types, &shape);
}

/* Dense, with gaps, transposed; what lies between are bytes that no index may have. */
static void lay_out(struct layout *indices, int kind)
{
    if (kind == 0)
        return;
    layout_stride(indices);
    indices->strides[0] = kind == 1 ? 5 : 1;
    if (indices->rank == 2)
        indices->strides[1] = kind == 1 ? 3 : ENTRIES + 2;
}

static void checks_entries(void **state)
{
    const struct entries_case *row = *state;

    for (int kind = 0; kind < 2 * 2 * 3; kind++) {
        struct scatter_case c =
            scatter_of(row->name, kind % 2 ? REFERENCE_I64 : REFERENCE_I32, row->index_rank, kind / 2 % 2);
        struct scatter_tensors t;

        if (row->wide && kind % 2 == 0)
            continue;
        lay_out(&c.indices, kind / 4);
        scatter_tensors_init(&t, &c);
        scatter_tensors_fill(&t, &c);
        memset(t.indices.image, 0x88, t.indices.size_bytes);
        for (int i = 0; i < ENTRIES; i++)
            scatter_set_index(&t.indices, i, row->entries[i][0], row->entries[i][1]);
        assert_true(scatter_tensors_upload(&t, &c, harness.queue));
        for (c.range = CLQ_DROP; c.range <= CLQ_WRAP; c.range++) { /* what becomes of it is not asked */
            expect_status(scatter_check_indices(&t, &c, harness.context, harness.queue, 0, NULL),
                          row->sentence ? CLQ_ERROR_INDEX : CLQ_OK, row->name);
            if (row->sentence)
                assert_string_equal(clq_error_detail(), row->sentence);
        }
        assert_true(tensor_holds(&t.cache, harness.queue, t.cache.image, "the cache"));
        scatter_tensors_clear(&t);
    }
}

/* Of a cache (6, 10, 8) and updates (6, 1, 8). */
static const struct slots_case {
    int64_t slots[ENTRIES];
    const char *sentence;
    bool wide;
} slots_cases[] = {
#define SLOTS                                                                                                \
    ": it must be from 0 to 59, for the cache has 6 batches of 10 on axis 1, or -1, which skips the entry"
    {{0, 59, 7, 7, 10, 9}, NULL, false},
    {{-1, -1, 5, -1, -1, -1}, NULL, false},
    {{0, -1, -2}, "indices[2] is slot -2" SLOTS, false},
    {{[5] = 60}, "indices[5] is slot 60" SLOTS, false},
    {{[1] = 75, [3] = -9}, "indices[1] is slot 75" SLOTS, false},
    {{INT32_MIN}, "indices[0] is slot -2147483648" SLOTS, false},
    {{[2] = INT64_C(1) << 40}, "indices[2] is slot 1099511627776" SLOTS, true},
    {{[2] = WIDE - 1}, "indices[2] is slot 4294967295" SLOTS, true},
    {{[4] = INT64_MIN}, "indices[4] is slot -9223372036854775808" SLOTS, true},
};

static void checks_slots(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(slots_cases); i++)
        for (int kind = slots_cases[i].wide; kind < 4; kind += 1 + slots_cases[i].wide) {
            const struct slots_case *row = &slots_cases[i];
            const struct scatter_types types = {.scale = kind / 2 ? REFERENCE_I4 : REFERENCE_F32,
                                                .zero = REFERENCE_I4,
                                                .index = kind % 2 ? REFERENCE_I64 : REFERENCE_I32,
                                                .cache = REFERENCE_I8,
                                                .dynamic = kind / 2};
            const struct scatter_shape shape = {3, {BATCHES, 10, 8}, 1, ENTRIES, 1, INDEX_SLOTS};
            const struct scatter_case c = scatter_case_of("slots", &types, &shape);
            struct scatter_tensors t;

            scatter_tensors_init(&t, &c);
            scatter_tensors_fill(&t, &c);
            for (int entry = 0; entry < ENTRIES; entry++)
                scatter_set_index(&t.indices, entry, 0, row->slots[entry]);
            assert_true(scatter_tensors_upload(&t, &c, harness.queue));
            expect_status(scatter_check_indices(&t, &c, harness.context, harness.queue, 0, NULL),
                          row->sentence ? CLQ_ERROR_INDEX : CLQ_OK, "slots");
            if (row->sentence)
                assert_string_equal(clq_error_detail(), row->sentence);
            scatter_tensors_clear(&t);
        }
}

/* Nothing can be valid where there is no batch; and no entry is wrong where there is none. */
static void checks_the_empty(void **state)
{
    static const struct {
        struct scatter_shape shape;
        const char *sentence;
    } rows[] = {
        {{3, {0, 10, 8}, 1, 2, 3, 2},
         "indices[0] has batch 0: the cache has no batches, for its first dimension is 0"},
        {{3, {0, 10, 8}, 1, 2, 1, INDEX_SLOTS},
         "indices[0] is slot 0: the cache has no batches, for its first dimension is 0"},
        {{3, {4, 10, 0}, 1, 3, 1, INDEX_SLOTS}, NULL},
        {{3, {4, 10, 8}, 1, 0, 3, 2}, NULL},
        {{3, {4, 10, 8}, 1, 0, 3, 1}, NULL},
        {{3, {4, 10, 0}, 1, 3, 3, 1}, NULL},
        {{3, {4, 10, 8}, 1, 3, 0, 1}, NULL},
    };
    const struct scatter_types types = {
        .zero = REFERENCE_I4, .index = REFERENCE_I64, .cache = REFERENCE_I8, .lanes = 1};

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct scatter_case c = scatter_case_of("empty", &types, &rows[i].shape);
        struct scatter_tensors t;
        struct clq_quantize_scatter_desc desc;

        scatter_tensors_init(&t, &c); /* indices of zeros */
        assert_true(scatter_tensors_upload(&t, &c, harness.queue));
        desc = scatter_desc_of(&t, &c);
        expect_status(clq_quantize_scatter_check_indices(harness.context, harness.queue, &desc, 0, NULL),
                      rows[i].sentence ? CLQ_ERROR_INDEX : CLQ_OK, "clq_quantize_scatter_check_indices");
        if (rows[i].sentence)
            assert_string_equal(clq_error_detail(), rows[i].sentence);
        scatter_tensors_clear(&t);
    }
}

struct groups_case {
    const char *name;
    int64_t rows, groups;
    int64_t ends[6];
    const char *sentence;
    bool wide;
};

static const struct groups_case groups_cases[] = {
    {"groups, right", 10, 4, {2, 2, 7, 10}, NULL, false},
    {"one group", 10, 1, {10}, NULL, false},
    {"empty groups at both ends", 10, 5, {0, 0, 3, 10, 10}, NULL, false},
    {"no rows", 0, 3, {0, 0, 0}, NULL, false},
    {"the first is negative",
     10,
     4,
     {-1, 2, 7, 10},
     "group_index[0] is -1: it must be at least 0, for rows are not negative",
     false},
    {"one decreases",
     10,
     4,
     {2, 7, 5, 10},
     "group_index[2] is 5: it must be at least 7, the entry before it",
     false},
    {"one is beyond the rows",
     10,
     4,
     {2, 11, 11, 10},
     "group_index[1] is 11: it must be at most 10, the number of rows",
     false},
    {"the last is less than the rows",
     10,
     4,
     {2, 2, 7, 9},
     "group_index[3] is 9: the last entry must be 10, the number of rows",
     false},
    {"the last is more than the rows",
     10,
     4,
     {2, 2, 7, 11},
     "group_index[3] is 11: it must be at most 10, the number of rows",
     false},
    {"the lowest of many",
     10,
     6,
     {1, 4, 3, 12, -1, 0},
     "group_index[2] is 3: it must be at least 4, the entry before it",
     false},
    {"a group without rows",
     0,
     2,
     {0, 1},
     "group_index[1] is 1: it must be at most 0, the number of rows",
     false},
    {"an end of 2^32",
     10,
     3,
     {0, WIDE, 10},
     "group_index[1] is 4294967296: it must be at most 10, the number of rows",
     true},
    {"an end of the least int64",
     10,
     2,
     {0, INT64_MIN},
     "group_index[1] is -9223372036854775808: it must be at least 0, the entry before it",
     true},
};

struct group_tensors {
    struct tensor x, scale, group_index, y;
};

static struct clq_group_quantize_desc groups_of(struct group_tensors *t, enum reference_type index,
                                                int64_t rows, int64_t groups, int64_t stride)
{
    const struct layout x = layout_dense(REFERENCE_F32, 1, 2, (int64_t[]){rows, 8}),
                        scale = layout_dense(REFERENCE_F32, 1, 2, (int64_t[]){groups, 8}),
                        y = layout_dense(REFERENCE_I8, 1, 2, (int64_t[]){rows, 8});
    struct layout ends = layout_dense(index, 1, 1, &groups);

    layout_stride(&ends);
    ends.strides[0] = stride;
    tensor_init(&t->x, &x);
    tensor_init(&t->scale, &scale);
    tensor_init(&t->group_index, &ends);
    tensor_init(&t->y, &y);
    memset(t->group_index.image, 0x88, t->group_index.size_bytes);
    assert_true(tensor_upload(&t->x, harness.queue) && tensor_upload(&t->scale, harness.queue) &&
                tensor_upload(&t->y, harness.queue) && tensor_upload(&t->group_index, harness.queue));
    return (struct clq_group_quantize_desc){
        .x = &t->x.dl, .scales = &t->scale.dl, .group_index = &t->group_index.dl, .y = &t->y.dl};
}

static void clear_groups(struct group_tensors *t)
{
    tensor_clear(&t->x);
    tensor_clear(&t->scale);
    tensor_clear(&t->group_index);
    tensor_clear(&t->y);
}

static void checks_groups(void **state)
{
    const struct groups_case *row = *state;

    for (int kind = row->wide; kind < 4; kind += 1 + row->wide) {
        struct group_tensors t;
        const struct clq_group_quantize_desc desc =
            groups_of(&t, kind % 2 ? REFERENCE_I64 : REFERENCE_I32, row->rows, row->groups, 1 + kind / 2 * 2);

        for (int64_t g = 0; g < row->groups; g++)
            scatter_set_index(&t.group_index, g, 0, row->ends[g]);
        assert_true(tensor_upload(&t.group_index, harness.queue));
        expect_status(clq_group_quantize_check_indices(harness.context, harness.queue, &desc, 0, NULL),
                      row->sentence ? CLQ_ERROR_INDEX : CLQ_OK, row->name);
        if (row->sentence)
            assert_string_equal(clq_error_detail(), row->sentence);
        clear_groups(&t);
    }
}

/* Another thread makes the indices right after a while, and only then sets the event. */
struct mend {
    struct tensor *indices;
    cl_command_queue queue;
    cl_event event;
    bool done;
};

static void *mend_later(void *argument)
{
    struct mend *mend = argument;

    thrd_sleep(&(struct timespec){.tv_nsec = 50 * 1000 * 1000}, NULL);
    mend->done = tensor_upload(mend->indices, mend->queue);
    clSetUserEventStatus(mend->event, CL_COMPLETE);
    return NULL;
}

static clq_status while_mended(struct tensor *indices, clq_status (*check)(const void *, const cl_event *),
                               const void *desc)
{
    struct mend mend = {.indices = indices};
    pthread_t thread;
    clq_status status;
    cl_int code = CL_SUCCESS;

    mend.queue = clCreateCommandQueue(harness.cl, harness.device, 0, &code);
    expect_cl(code, "clCreateCommandQueue");
    mend.event = clCreateUserEvent(harness.cl, &code);
    expect_cl(code, "clCreateUserEvent");
    assert_int_equal(pthread_create(&thread, NULL, mend_later, &mend), 0);
    status = check(desc, &mend.event);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(mend.done);
    clReleaseEvent(mend.event);
    clReleaseCommandQueue(mend.queue);
    return status;
}

static clq_status check_scatter(const void *desc, const cl_event *wait)
{
    return clq_quantize_scatter_check_indices(harness.context, harness.queue, desc, 1, wait);
}

static clq_status check_group(const void *desc, const cl_event *wait)
{
    return clq_group_quantize_check_indices(harness.context, harness.queue, desc, 1, wait);
}

static void entries_are_read_after_the_wait_list(void **state)
{
    const struct scatter_case c = scatter_of("mended", REFERENCE_I32, 2, false);
    struct scatter_tensors t;
    struct clq_quantize_scatter_desc desc;

    (void)state;
    scatter_tensors_init(&t, &c);
    for (int i = 0; i < ENTRIES; i++)
        scatter_set_index(&t.indices, i, -1, -1);
    assert_true(scatter_tensors_upload(&t, &c, harness.queue));
    scatter_tensors_fill(&t, &c);
    desc = scatter_desc_of(&t, &c);
    expect_status(while_mended(&t.indices, check_scatter, &desc), CLQ_OK, "after the wait");
    scatter_tensors_clear(&t);
}

static void ends_are_read_after_the_wait_list(void **state)
{
    struct group_tensors t;
    const struct clq_group_quantize_desc desc = groups_of(&t, REFERENCE_I64, 10, 1, 1);

    (void)state;
    scatter_set_index(&t.group_index, 0, 0, 10);
    expect_status(while_mended(&t.group_index, check_group, &desc), CLQ_OK, "after the wait");
    clear_groups(&t);
}

/* Nothing to read is no reason to return before what was to be waited for. */
static clq_status check_and_look(const void *desc, const cl_event *wait)
{
    cl_int reached = CL_QUEUED;
    const clq_status status = check_scatter(desc, wait);

    clGetEventInfo(*wait, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(reached), &reached, NULL);
    return reached == CL_COMPLETE ? status : CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
}

static void no_entries_wait_too(void **state)
{
    const struct scatter_types types = {
        .zero = REFERENCE_I4, .index = REFERENCE_I32, .cache = REFERENCE_I8, .lanes = 1};
    const struct scatter_case c =
        scatter_case_of("no entries", &types, &(struct scatter_shape){3, {4, 10, 8}, 1, 0, 3, 2});
    struct scatter_tensors t;
    struct clq_quantize_scatter_desc desc;

    (void)state;
    scatter_tensors_init(&t, &c);
    assert_true(scatter_tensors_upload(&t, &c, harness.queue));
    desc = scatter_desc_of(&t, &c);
    expect_status(while_mended(&t.indices, check_and_look, &desc), CLQ_OK, "no entries");
    scatter_tensors_clear(&t);
}

int main(int argc, char **argv)
{
    struct CMUnitTest tests[5 + COUNT(entries_cases) + COUNT(groups_cases)] = {
        cmocka_unit_test(checks_slots),
        cmocka_unit_test(checks_the_empty),
        cmocka_unit_test(entries_are_read_after_the_wait_list),
        cmocka_unit_test(ends_are_read_after_the_wait_list),
        cmocka_unit_test(no_entries_wait_too),
    };
    struct CMUnitTest *at = tests + 5;

    for (size_t i = 0; i < COUNT(entries_cases); i++)
        *at++ = (struct CMUnitTest){.name = entries_cases[i].name,
                                    .test_func = checks_entries,
                                    .initial_state = (void *)&entries_cases[i]};
    for (size_t i = 0; i < COUNT(groups_cases); i++)
        *at++ = (struct CMUnitTest){.name = groups_cases[i].name,
                                    .test_func = checks_groups,
                                    .initial_state = (void *)&groups_cases[i]};
    return HARNESS_RUN(argc, argv, "check_indices", tests);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of plans: random calls of any operators that one call enqueues, or one command buffer,
 * against the reference.
 *
 *   test_lists [--seed N] [--first N] [--count N] [--queue order|any] [--records 1] [--from TYPE] [--to TYPE]
 *
 * Plans are made for other buffers than those that they are bound to. One list of four has something wrong in
 * it first: nothing may be enqueued then, and every plan is as it was. One that is recorded stands between
 * two copies of a buffer of its own, by sync points. */
#include "commands.h"
#include "device.h"
#include "options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CALLS = 40 };

struct test {
    uint64_t seed, first, count, records;
    struct wish wish;
    struct device device;
    cl_command_queue queue;
    struct rng rng;
};

struct entry {
    struct call call;
    struct placed placed, other; /* what is bound, and what the plan was made for */
    struct clq_binding bindings[PLACED_MOST_BINDINGS];
};

struct list {
    struct entry *entries;
    struct clq_plan_call calls[MOST_CALLS];
    int count;
    cl_mem small;
    struct _cl_command_buffer_khr *commands;
    const struct memory *watched; /* of a list that is recorded between two copies of this one's buffer */
    cl_mem before, behind;
    bool is_idle; /* no call of it has anything to do */
};

static bool fail(const char *what)
{
    fprintf(stderr, "%s: \"%s\"\n", what, clq_error_detail());
    return false;
}

/* What is in the buffers now is what they hold before the call. */
static void keep_bytes(struct placed *placed)
{
    for (int i = 0; i < placed->count; i++)
        memcpy(placed->buffers[i].memory->written, placed->buffers[i].memory->bytes,
               placed->buffers[i].memory->size);
}

static bool make_entry(struct test *test, struct list *list)
{
    struct entry *entry = &list->entries[list->count];
    struct clq_plan_call *of = &list->calls[list->count];
    const void *desc, *others;

    entry->call.rng = rng_of(test->seed, (uint64_t)rng_below(&test->rng, INT64_C(1) << 40));
    call_draw(&entry->call, NULL, rng_once_in(&test->rng, 20) ? 600 : 48, &test->wish);
    call_expect(&entry->call);
    list->count++;
    desc = placed_make(&entry->placed, &test->device, &entry->call);
    others = placed_make(&entry->other, &test->device, &entry->call);
    if (desc == NULL || others == NULL)
        return fail("OpenCL refuses a buffer");
    keep_bytes(&entry->placed);
    of->num_bindings = placed_bindings(entry->call.op, desc, entry->bindings);
    of->bindings = of->num_bindings > 0 ? entry->bindings : NULL;
    return entry->call.op->plan(test->device.context, others, &of->plan) == CLQ_OK || fail("a plan");
}

static bool make_list(struct test *test, struct list *list)
{
    const int count = 1 + (int)rng_below(&test->rng, MOST_CALLS);
    bool good = true;

    *list = (struct list){.entries = calloc((size_t)count, sizeof *list->entries)};
    list->small = clCreateBuffer(test->device.cl, CL_MEM_READ_WRITE, 1, NULL, NULL);
    for (int i = 0; i < count && good; i++)
        good = make_entry(test, list);
    return good;
}

static void clear_list(const struct test *test, struct list *list)
{
    if (list->commands != NULL)
        commands_release(test->device.id, list->commands);
    for (int i = 0; i < list->count; i++) {
        clq_plan_destroy(list->calls[i].plan);
        placed_clear(&list->entries[i].placed);
        placed_clear(&list->entries[i].other);
        call_clear(&list->entries[i].call);
    }
    for (int i = 0; i < 3; i++) {
        const cl_mem own = (cl_mem[]){list->small, list->before, list->behind}[i];

        if (own != NULL)
            clReleaseMemObject(own);
    }
    free(list->entries);
}

static bool is_untouched(struct list *list)
{
    char failure[256];

    for (int i = 0; i < list->count; i++) {
        struct placed *placed = &list->entries[i].placed;

        if (!placed_read(placed, failure, sizeof failure))
            return fail(failure);
        for (int b = 0; b < placed->count; b++)
            if (memcmp(placed->buffers[b].memory->bytes, placed->buffers[b].memory->written,
                       placed->buffers[b].memory->size) != 0)
                return fail("bytes were written though nothing may be");
    }
    return true;
}

static cl_mem buffer_like(const struct test *test, const struct placed_buffer *other)
{
    return clCreateBuffer(test->device.cl, CL_MEM_READ_WRITE, other->memory->size, NULL, NULL);
}

/* The list waits for a copy of one of its buffers, and another copy waits for the list, where that is not of
 * calls alone that have nothing to do. */
static clq_status record(struct test *test, struct list *list)
{
    struct placed *placed = &list->entries[rng_below(&test->rng, list->count)].placed;
    const struct placed_buffer *watched = &placed->buffers[rng_below(&test->rng, placed->count)];
    const cl_mem buffer = watched->part != NULL ? watched->part : watched->whole;
    cl_uint point = 0;
    clq_status status;

    list->watched = watched->memory;
    list->before = buffer_like(test, watched);
    list->behind = buffer_like(test, watched);
    status = commands_copy(test->device.id, list->commands, buffer, list->before, watched->memory->size, 0,
                           NULL, &point);
    if (status == CLQ_OK)
        status = clq_plan_record_all(list->commands, (size_t)list->count, list->calls, 1, &point, &point);
    if (status == CLQ_OK)
        return commands_copy(test->device.id, list->commands, buffer, list->behind, watched->memory->size, 1,
                             &point, NULL);
    list->is_idle = strncmp(clq_error_detail(), "done is not NULL", strlen("done is not NULL")) == 0;
    return list->is_idle
               ? clq_plan_record_all(list->commands, (size_t)list->count, list->calls, 1, &point, NULL)
               : status;
}

/* The copies have what the buffer held before the list, and what it holds behind it. */
static bool is_between(const struct test *test, const struct list *list)
{
    const struct memory *watched = list->watched;
    unsigned char *bytes = malloc(watched->size);
    bool good = bytes != NULL;

    good = good && clEnqueueReadBuffer(test->queue, list->before, CL_TRUE, 0, watched->size, bytes, 0, NULL,
                                       NULL) == CL_SUCCESS;
    if (good && memcmp(bytes, watched->written, watched->size) != 0)
        good = fail("the list did not wait for its sync point");
    good = good && (list->is_idle || clEnqueueReadBuffer(test->queue, list->behind, CL_TRUE, 0, watched->size,
                                                         bytes, 0, NULL, NULL) == CL_SUCCESS);
    if (good && !list->is_idle && memcmp(bytes, watched->bytes, watched->size) != 0)
        good = fail("the list's sync point came before its end");
    free(bytes);
    return good;
}

static clq_status submit(struct test *test, struct list *list, cl_uint num_wait, const cl_event *wait,
                         cl_event *done)
{
    clq_status status;

    if (test->records == 0)
        return clq_plan_enqueue_all(test->queue, (size_t)list->count, list->calls, num_wait, wait, done);
    list->commands = commands_create(test->device.id, test->queue);
    if (list->commands == NULL)
        return CLQ_ERROR_DEVICE;
    status = record(test, list);
    if (status == CLQ_OK)
        status = commands_finalize(test->device.id, list->commands);
    return status != CLQ_OK ? status
                            : commands_enqueue(test->device.id, list->commands, num_wait, wait, done);
}

/* Whether a tensor's buffer that is too small is looked at: not of a call whose tensors are empty. */
static bool is_looked_at(const struct entry *entry, const struct clq_binding *binding)
{
    bool is_tensor = false;

    for (const struct operand *operand = entry->call.op->operands; operand->name != NULL; operand++) {
        const DLTensor *tensor = NULL;
        size_t bytes = 0;

        memcpy(&tensor, entry->placed.bound.desc + operand->at, sizeof tensor);
        if (tensor != NULL && (clq_tensor_size_bytes(tensor, &bytes) != CLQ_OK || bytes == 0))
            return false;
        is_tensor |= operand->at == binding->field;
    }
    return is_tensor;
}

/* Makes call number `at` wrong, one way or another. */
static void spoil(struct test *test, struct list *list, int at)
{
    struct clq_plan_call *of = &list->calls[at];
    struct clq_binding *binding = NULL;

    if (of->num_bindings > 0)
        binding = &list->entries[at].bindings[rng_below(&test->rng, (int64_t)of->num_bindings)];
    if (binding != NULL && rng_once_in(&test->rng, 2) && is_looked_at(&list->entries[at], binding))
        *binding = (struct clq_binding){binding->field, list->small, UINT64_C(1) << 32};
    else if (binding != NULL && rng_once_in(&test->rng, 3))
        binding->buffer = NULL;
    else if (binding != NULL && rng_once_in(&test->rng, 2))
        binding->field++;
    else if (at > 0 && rng_once_in(&test->rng, 2))
        of->plan = list->calls[0].plan;
    else
        of->plan = NULL;
}

/* A list of which one is wrong: it is named, nothing is enqueued,
 * and all plans are still those of the other buffers. */
static bool is_refused(struct test *test, struct list *list)
{
    const int at = (int)rng_below(&test->rng, list->count);
    const struct clq_plan_call call = list->calls[at];
    struct entry *entry = &list->entries[at];
    struct clq_binding bindings[PLACED_MOST_BINDINGS];
    cl_event done = NULL;
    char name[32];
    clq_status status;

    memcpy(bindings, entry->bindings, sizeof bindings);
    snprintf(name, sizeof name, "calls[%d]", at);
    spoil(test, list, at);
    status = submit(test, list, 0, NULL, &done);
    list->calls[at] = call;
    memcpy(entry->bindings, bindings, sizeof bindings);
    if (status == CLQ_OK || done != NULL)
        return fail("a list is taken of which one is wrong");
    if (strncmp(clq_error_detail(), name, strlen(name)) != 0)
        return fail(name);
    for (int i = 0; i < list->count; i++)
        if (clq_plan_enqueue(list->calls[i].plan, test->queue, 0, NULL, 0, NULL, NULL) != CLQ_OK)
            return fail("a plan of a list that was refused");
    clFinish(test->queue);
    return is_untouched(list);
}

static bool is_complete(cl_event event)
{
    cl_int status = CL_QUEUED;

    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    return status == CL_COMPLETE;
}

/* Behind the event is what the reference leaves, and nothing before the wait list is complete. */
static bool is_done(struct test *test, struct list *list)
{
    cl_event begin = clCreateUserEvent(test->device.cl, NULL), done = NULL;
    const bool waits = rng_once_in(&test->rng, 2), asks = waits || rng_once_in(&test->rng, 2);
    bool good =
        submit(test, list, waits, waits ? &begin : NULL, asks ? &done : NULL) == CLQ_OK || fail("a list");

    if (good && asks && done == NULL)
        good = fail("the list left no event");
    if (good && waits)
        good = (!is_complete(done) || fail("the list is complete before its wait list is")) &&
               is_untouched(list);
    clSetUserEventStatus(begin, CL_COMPLETE);
    if (good && (asks ? clWaitForEvents(1, &done) : clFinish(test->queue)) != CL_SUCCESS)
        good = fail("waiting for the list");
    clReleaseEvent(begin);
    if (done != NULL)
        clReleaseEvent(done);
    return good;
}

static bool is_right(struct list *list)
{
    char failure[1024];

    for (int i = 0; i < list->count; i++) {
        struct entry *entry = &list->entries[i];

        if (placed_read(&entry->placed, failure, sizeof failure) &&
            call_compare(&entry->call, 0, failure, sizeof failure))
            continue;
        fprintf(stderr, "call %d of %d: %s\n", i, list->count, failure);
        call_print(&entry->call);
        return false;
    }
    return true;
}

static bool try_list(struct test *test, uint64_t number)
{
    struct list list;
    bool good;

    test->rng = rng_of(test->seed, number);
    good = make_list(test, &list);
    if (good && test->records == 0 && rng_once_in(&test->rng, 4))
        good = is_refused(test, &list);
    good =
        good && is_done(test, &list) && is_right(&list) && (list.watched == NULL || is_between(test, &list));
    clFinish(test->queue);
    clear_list(test, &list);
    if (!good)
        fprintf(stderr, "once more: --seed %" PRIu64 " --first %" PRIu64 " --count 1\n", test->seed, number);
    return good;
}

static int type_named(const char *name)
{
    for (int type = 0; type < REFERENCE_TYPES && name != NULL; type++)
        if (strcmp(reference_types[type].name, name) == 0)
            return type;
    return -1;
}

static bool read_arguments(struct test *test, int argc, char **argv, bool *any_order)
{
    const char *queue = "order", *from = NULL, *to = NULL;
    const bool good = options_read(argc, argv,
                                   (const struct option[]){{"--seed", &test->seed, NULL},
                                                           {"--first", &test->first, NULL},
                                                           {"--count", &test->count, NULL},
                                                           {"--records", &test->records, NULL},
                                                           {"--queue", NULL, &queue},
                                                           {"--from", NULL, &from},
                                                           {"--to", NULL, &to},
                                                           {NULL, NULL, NULL}});

    *any_order = strcmp(queue, "any") == 0;
    test->wish = no_wish;
    test->wish.src = type_named(from);
    test->wish.dst = type_named(to);
    return good && (from == NULL || test->wish.src >= 0) && (to == NULL || test->wish.dst >= 0);
}

int main(int argc, char **argv)
{
    static struct test test = {.count = 300};
    bool any_order, good = true;

    test.seed = options_seed();
    if (!read_arguments(&test, argc, argv, &any_order)) {
        fprintf(stderr, "a type is none\n");
        return 2;
    }
    if (!device_open(&test.device, NULL))
        return 2;
    if (test.records != 0 && !commands_exist(test.device.id)) {
        printf("this device has no command buffers\n");
        device_close(&test.device);
        return 77;
    }
    test.queue = clCreateCommandQueue(test.device.cl, test.device.id,
                                      any_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, NULL);
    printf("seed %" PRIu64 "\n", test.seed);
    fflush(stdout);
    for (uint64_t i = 0; i < test.count && good; i++)
        good = test.queue != NULL && try_list(&test, test.first + i);
    if (test.queue != NULL)
        clReleaseCommandQueue(test.queue);
    device_close(&test.device);
    return good ? 0 : 1;
}

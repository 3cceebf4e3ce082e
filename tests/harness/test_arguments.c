/* SPDX-License-Identifier: Apache-2.0 */
/* What stands around the tensors, of every operator: contexts, queues, wait lists, the descriptor itself, and
 * buffers of another context or without access.
 *
 *   test_arguments [--seed N] [--count N] */
#include "device.h"
#include "options.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct test {
    struct device device;
    cl_context other; /* another context of the device */
    struct call call;
    struct placed placed;
    bool failed;
};

static void complain(struct test *test, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void complain(struct test *test, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
    fprintf(stderr, "\n");
    if (!test->failed)
        call_print(&test->call);
    test->failed = true;
}

static void expect(struct test *test, const char *function, clq_status status, clq_status wanted,
                   const char *sentence)
{
    if (status != wanted || (wanted != CLQ_OK && strcmp(clq_error_detail(), sentence) != 0))
        complain(test, "%s of %s says %s, \"%s\": it must be %s, \"%s\"", function, test->call.op->name,
                 clq_status_name(status), status != CLQ_OK ? clq_error_detail() : "", clq_status_name(wanted),
                 sentence);
}

/* The functions that take a context, a queue and a wait list: two. */
static void expect_enqueue(struct test *test, clq_context *context, cl_command_queue queue, const void *desc,
                           cl_uint num_wait, const cl_event *wait, clq_status wanted, const char *sentence)
{
    const struct operator_row *op = test->call.op;
    cl_event done = NULL;

    expect(test, "enqueue", op->enqueue(context, queue, desc, num_wait, wait, &done), wanted, sentence);
    if (done != NULL)
        complain(test, "enqueue of %s left an event", op->name);
    if (op->check_indices != NULL)
        expect(test, "check_indices", op->check_indices(context, queue, desc, num_wait, wait), wanted,
               sentence);
}

static void refuses_what_is_missing(struct test *test, const void *desc)
{
    static const char no_context[] = "context is NULL: it must be a context",
                      no_queue[] = "queue is NULL: it must be a command queue",
                      no_desc[] = "desc is NULL: it must be a descriptor",
                      no_list[] = "num_wait is 2 and wait is NULL: a wait list has both or neither",
                      no_count[] = "num_wait is 0 and wait is not NULL: a wait list has both or neither";
    const struct operator_row *op = test->call.op;
    clq_context *context = test->device.context;
    const cl_command_queue queue = test->device.queue;
    const cl_event events[1] = {NULL};
    size_t bytes = 1;

    expect_enqueue(test, NULL, queue, desc, 0, NULL, CLQ_ERROR_NULL, no_context);
    expect_enqueue(test, context, NULL, desc, 0, NULL, CLQ_ERROR_NULL, no_queue);
    expect_enqueue(test, context, queue, NULL, 0, NULL, CLQ_ERROR_NULL, no_desc);
    expect_enqueue(test, context, queue, desc, 2, NULL, CL_INVALID_EVENT_WAIT_LIST, no_list);
    expect_enqueue(test, context, queue, desc, 0, events, CL_INVALID_EVENT_WAIT_LIST, no_count);
    expect(test, "build", op->build(NULL, desc), CLQ_ERROR_NULL, no_context);
    expect(test, "build", op->build(context, NULL), CLQ_ERROR_NULL, no_desc);
    expect(test, "check", op->check(NULL), CLQ_ERROR_NULL, no_desc);
    if (op->workspace_bytes == NULL)
        return;
    expect(test, "workspace", op->workspace_bytes(context, desc, NULL), CLQ_ERROR_NULL,
           "size_bytes is NULL: it must point to a size_t");
    expect(test, "workspace", op->workspace_bytes(NULL, desc, &bytes), CLQ_ERROR_NULL, no_context);
    expect(test, "workspace", op->workspace_bytes(context, NULL, &bytes), CLQ_ERROR_NULL, no_desc);
}

static void refuses_a_queue_of_elsewhere(struct test *test, const void *desc)
{
    static const char rule[] = ": it must be one of clq_context_cl's";
    const cl_command_queue queue = clCreateCommandQueue(test->other, test->device.id, 0, NULL);
    cl_event done = NULL;
    const clq_status status = test->call.op->enqueue(test->device.context, queue, desc, 0, NULL, &done);

    if (status != CLQ_ERROR_VALUE || strstr(clq_error_detail(), rule) == NULL || done != NULL)
        complain(test, "a queue of another context: %s, \"%s\"", clq_status_name(status), clq_error_detail());
    clReleaseCommandQueue(queue);
}

/* Where the platform has two. */
static void refuses_a_queue_of_another_device(struct test *test, uint64_t seed)
{
    struct device two = test->device;
    cl_device_id devices[2];
    cl_command_queue queue;
    cl_uint count = 0;
    clq_status status;

    clGetDeviceIDs(test->device.platform, CL_DEVICE_TYPE_ALL, 2, devices, &count);
    if (count < 2)
        return;
    two.cl = clCreateContext(NULL, 2, devices, NULL, NULL, NULL);
    status =
        clq_context_create(&(struct clq_context_desc){.context = two.cl, .device = devices[0]}, &two.context);
    if (status != CLQ_OK)
        complain(test, "a context of two devices: %s", clq_error_detail());
    queue = clCreateCommandQueue(two.cl, devices[1], 0, NULL);
    for (int op = 0; op < OPERATORS && status == CLQ_OK; op++) {
        call_make(&test->call, operators[op], seed, 0, 48, NULL);
        status = test->call.op->enqueue(two.context, queue, placed_make(&test->placed, &two, &test->call), 0,
                                        NULL, NULL);
        if (status != CLQ_ERROR_VALUE ||
            strstr(clq_error_detail(), ", of another device: it must be one of clq_context_device's") == NULL)
            complain(test, "a queue of another device: %s, \"%s\"", clq_status_name(status),
                     clq_error_detail());
        status = CLQ_OK;
        placed_clear(&test->placed);
        call_clear(&test->call);
    }
    clReleaseCommandQueue(queue);
    clq_context_destroy(two.context);
    clReleaseContext(two.cl);
}

static cl_mem buffer_in(cl_context context, cl_mem_flags flags, size_t size)
{
    return clCreateBuffer(context, flags, size, NULL, NULL);
}

static cl_mem part_in(cl_context context, cl_mem_flags flags, size_t size, cl_mem *whole)
{
    *whole = clCreateBuffer(context, flags, size, NULL, NULL);
    return clCreateSubBuffer(*whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){0, size}, NULL);
}

/* The call with another buffer for one argument. */
static void expect_buffer(struct test *test, const char *name, cl_mem *at, cl_mem buffer,
                          const char *sentence)
{
    const cl_mem was = *at;
    cl_event done = NULL;
    char wanted[256];
    clq_status status;

    snprintf(wanted, sizeof wanted, "%s.data %s", name, sentence);
    *at = buffer;
    status = test->call.op->enqueue(test->device.context, test->device.queue, test->placed.bound.desc, 0,
                                    NULL, &done);
    expect(test, "enqueue", status, CLQ_ERROR_VALUE, wanted);
    if (done != NULL)
        complain(test, "a call that was refused left an event");
    *at = was;
}

/* One of another context; and in a whole and in a part of a buffer one that kernels may not read or write. */
static void refuses_buffers(struct test *test, const char *name, cl_mem *at, size_t size, bool read,
                            bool written)
{
    static const char no_write[] = "was created with CL_MEM_READ_ONLY: kernels must be allowed to write it",
                      no_read[] = "was created with CL_MEM_WRITE_ONLY: kernels must be allowed to read it";
    const cl_mem_flags flags[] = {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY};
    cl_mem buffer = buffer_in(test->other, CL_MEM_READ_WRITE, size), whole;
    char sentence[200];

    snprintf(sentence, sizeof sentence,
             "is %p, of the cl_context %p: it must be of the one that the call runs in, %p", (void *)buffer,
             (void *)test->other, (void *)test->device.cl);
    expect_buffer(test, name, at, buffer, sentence);
    clReleaseMemObject(buffer);
    for (int i = 0; i < 2; i++) {
        if (i == 0 ? !written : !read)
            continue;
        buffer = buffer_in(test->device.cl, flags[i], size);
        expect_buffer(test, name, at, buffer, i == 0 ? no_write : no_read);
        clReleaseMemObject(buffer);
        buffer = part_in(test->device.cl, flags[i], size, &whole);
        expect_buffer(test, name, at, buffer, i == 0 ? no_write : no_read);
        clReleaseMemObject(buffer);
        clReleaseMemObject(whole);
    }
}

static bool is_empty(const struct tensor *tensor)
{
    for (int d = 0; d < tensor->dl.ndim; d++)
        if (tensor->shape[d] == 0)
            return true;
    return false;
}

/* Whether a tensor's bytes are another's. */
static bool is_in_place(const struct call *call)
{
    for (int t = 0; t < OPERATOR_MOST_TENSORS; t++)
        if (call->tensors[t].name != NULL && call->tensors[t].memory.bytes == NULL)
            return true;
    return false;
}

static void refuses_wrong_buffers(struct test *test)
{
    const struct operator_row *op = test->call.op;
    struct bound *bound = &test->placed.bound;

    for (int t = 0; op->operands[t].name != NULL; t++)
        if (test->call.tensors[t].name != NULL && !is_empty(&test->call.tensors[t]))
            refuses_buffers(test, op->operands[t].name, (cl_mem *)&bound->tensors[t].data,
                            test->call.tensors[t].memory.size, op->operands[t].use == OPERAND_READ,
                            op->operands[t].use == OPERAND_WRITTEN);
    if (test->call.report.name != NULL)
        refuses_buffers(test, "report", (cl_mem *)(void *)(bound->desc + op->report),
                        test->call.report.memory.size, true, true);
    if (test->call.workspace.name != NULL)
        refuses_buffers(test, "workspace", (cl_mem *)(void *)(bound->desc + op->workspace),
                        test->call.workspace.memory.size, true, true);
}

/* With the least access that each needs. */
static void takes_the_least_access(struct test *test)
{
    const struct operator_row *op = test->call.op;
    cl_mem buffers[OPERATOR_MOST_TENSORS] = {NULL};
    struct bound bound;
    clq_status status;

    memcpy(bound.desc, test->placed.bound.desc, sizeof bound.desc);
    for (int t = 0; op->operands[t].name != NULL; t++) {
        const DLTensor *at = &bound.tensors[t];

        if (test->call.tensors[t].name == NULL)
            continue;
        buffers[t] =
            clCreateBuffer(test->device.cl,
                           CL_MEM_COPY_HOST_PTR | (op->operands[t].use == OPERAND_WRITTEN ? CL_MEM_WRITE_ONLY
                                                                                          : CL_MEM_READ_ONLY),
                           test->call.tensors[t].memory.size, test->call.tensors[t].memory.bytes, NULL);
        bound.tensors[t] = test->placed.bound.tensors[t];
        bound.tensors[t].data = buffers[t];
        memcpy(bound.desc + op->operands[t].at, &at, sizeof at);
    }
    status = op->enqueue(test->device.context, test->device.queue, bound.desc, 0, NULL, NULL);
    expect(test, "enqueue", status, CLQ_OK, "");
    clFinish(test->device.queue);
    for (int t = 0; t < OPERATOR_MOST_TENSORS; t++)
        if (buffers[t] != NULL)
            clReleaseMemObject(buffers[t]);
}

/* A workspace where the call needs one. */
static void add_workspace(struct test *test)
{
    size_t bytes = 0;

    if (test->call.op->workspace_bytes == NULL)
        return;
    test->call.op->workspace_bytes(test->device.context,
                                   placed_make(&test->placed, &test->device, &test->call), &bytes);
    placed_clear(&test->placed);
    if (bytes > 0)
        call_add_workspace(&test->call, bytes / sizeof(uint32_t));
}

static void run(struct test *test, const struct operator_row *op, uint64_t seed, uint64_t number)
{
    struct wish wish = no_wish;
    const void *desc;

    wish.claims = number % 4 == 0;
    call_make(&test->call, op, seed, number, 48, &wish);
    add_workspace(test);
    desc = placed_make(&test->placed, &test->device, &test->call);
    refuses_what_is_missing(test, desc);
    refuses_a_queue_of_elsewhere(test, desc);
    if (!is_in_place(&test->call)) {
        refuses_wrong_buffers(test);
        takes_the_least_access(test);
    }
    placed_clear(&test->placed);
    call_clear(&test->call);
    if (test->failed)
        fprintf(stderr, "once more: test_arguments --seed %" PRIu64 " --count %" PRIu64 "\n", seed,
                number + 1);
}

int main(int argc, char **argv)
{
    static struct test test;
    uint64_t seed = options_seed(), count = 100;
    const bool good = options_read(
        argc, argv,
        (const struct option[]){{"--seed", &seed, NULL}, {"--count", &count, NULL}, {NULL, NULL, NULL}});

    if (!good || !device_open(&test.device, NULL))
        return 2;
    printf("seed %" PRIu64 "\n", seed);
    fflush(stdout);
    test.other = clCreateContext(NULL, 1, &test.device.id, NULL, NULL, NULL);
    for (uint64_t i = 0; i < count && !test.failed; i++)
        for (int op = 0; op < OPERATORS && !test.failed; op++)
            run(&test, operators[op], seed, i);
    refuses_a_queue_of_another_device(&test, seed);
    clReleaseContext(test.other);
    device_close(&test.device);
    return test.failed ? 1 : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What follows what, of every operator: calls on each other's events, what is enqueued next, kernels that
 * were built ahead, buffers that are given back.
 *
 *   test_order [--seed N] [--count N] */
#include "match.h"
#include "options.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static bool fail(char *failure, size_t failure_bytes, const char *what)
{
    snprintf(failure, failure_bytes, "%s: \"%s\"", what, clq_error_detail());
    return false;
}

static bool is_complete(cl_event event)
{
    cl_int status = CL_QUEUED;

    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    return status == CL_COMPLETE;
}

/* The call twice, the second time on the event of the first, in a queue without an order:
 * counts are twice as high. */
static bool calls_follow_on_events(const struct device *device, struct call *call, char *failure,
                                   size_t failure_bytes)
{
    cl_command_queue queue =
        clCreateCommandQueue(device->cl, device->id, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, NULL);
    cl_event begin = clCreateUserEvent(device->cl, NULL), first = NULL, second = NULL;
    struct placed placed;
    const void *desc = placed_make(&placed, device, call);
    bool good = call->op->enqueue(device->context, queue, desc, 1, &begin, &first) == CLQ_OK &&
                call->op->enqueue(device->context, queue, desc, 1, &first, &second) == CLQ_OK;

    clSetUserEventStatus(begin, CL_COMPLETE);
    good = good && clWaitForEvents(1, &second) == CL_SUCCESS && is_complete(first);
    if (!good)
        fail(failure, failure_bytes, "one call after the other");
    clFinish(queue);
    call_expect(call);
    call_expect(call);
    good =
        good && placed_read(&placed, failure, failure_bytes) && call_compare(call, 0, failure, failure_bytes);
    placed_clear(&placed);
    clReleaseEvent(begin);
    if (first != NULL)
        clReleaseEvent(first);
    if (second != NULL)
        clReleaseEvent(second);
    clReleaseCommandQueue(queue);
    return good;
}

/* In order, the next command starts behind what the call waits for, even where the call has nothing to do. */
static bool the_next_command_waits_too(const struct device *device, struct call *call, char *failure,
                                       size_t failure_bytes)
{
    const cl_command_queue queue = clCreateCommandQueue(device->cl, device->id, 0, NULL);
    cl_mem buffer = clCreateBuffer(device->cl, CL_MEM_READ_WRITE, 4, NULL, NULL);
    cl_event begin = clCreateUserEvent(device->cl, NULL), next = NULL;
    const cl_uint pattern = 0;
    struct placed placed;
    const void *desc = placed_make(&placed, device, call);
    bool good = call->op->enqueue(device->context, queue, desc, 1, &begin, NULL) == CLQ_OK;

    good = good && clEnqueueFillBuffer(queue, buffer, &pattern, sizeof pattern, 0, sizeof pattern, 0, NULL,
                                       &next) == CL_SUCCESS;
    clFlush(queue);
    if (!good || is_complete(next))
        good = fail(failure, failure_bytes, "the next command does not wait");
    clSetUserEventStatus(begin, CL_COMPLETE);
    clFinish(queue);
    if (next != NULL)
        clReleaseEvent(next);
    placed_clear(&placed);
    clReleaseEvent(begin);
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(queue);
    return good;
}

/* After a build nothing is left to build, and nothing was written. */
static bool building_ahead_is_enough(const struct device *device, struct call *call, char *failure,
                                     size_t failure_bytes)
{
    struct device fresh = *device;
    const struct match how = {.device = &fresh, .queue = device->queue};
    size_t built = 0, later = 0;
    struct placed placed;
    const void *desc = placed_make(&placed, device, call);
    bool good = clq_context_create(&(struct clq_context_desc){.context = device->cl, .device = device->id},
                                   &fresh.context) == CLQ_OK;

    good = good && call->op->build(fresh.context, desc) == CLQ_OK;
    if (!good)
        fail(failure, failure_bytes, "build");
    good =
        good && placed_read(&placed, failure, failure_bytes) && call_compare(call, 0, failure, failure_bytes);
    placed_clear(&placed);
    if (good) {
        clq_context_count(fresh.context, &built, NULL);
        call_expect(call);
        good = match(&how, call, failure, failure_bytes);
        clq_context_count(fresh.context, &later, NULL);
    }
    if (good && later != built)
        good = fail(failure, failure_bytes, "a call builds what was built ahead");
    clq_context_destroy(fresh.context);
    return good;
}

static void CL_CALLBACK note_release(cl_mem buffer, void *count)
{
    (void)buffer;
    atomic_fetch_add((atomic_int *)count, 1);
}

/* The library's kernels wait for their next call without the buffers of the last one. */
static bool nothing_is_retained(const struct device *device, struct call *call, char *failure,
                                size_t failure_bytes)
{
    static atomic_int released;
    struct placed placed;
    const void *desc = placed_make(&placed, device, call);
    const int buffers = placed.count;
    bool good;

    released = 0;
    for (int i = 0; i < placed.count; i++)
        clSetMemObjectDestructorCallback(placed.buffers[i].whole, note_release, &released);
    good = call->op->enqueue(device->context, device->queue, desc, 0, NULL, NULL) == CLQ_OK;
    clFinish(device->queue);
    placed_clear(&placed);
    for (int i = 0; i < 200 && released < buffers; i++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    return (good && released == buffers) || fail(failure, failure_bytes, "a buffer is not given back");
}

static const struct {
    const char *name;
    bool (*holds)(const struct device *device, struct call *call, char *failure, size_t failure_bytes);
} laws[] = {{"calls follow on events", calls_follow_on_events},
            {"the next command waits too", the_next_command_waits_too},
            {"building ahead is enough", building_ahead_is_enough},
            {"nothing is retained", nothing_is_retained}};

int main(int argc, char **argv)
{
    static struct call call;
    uint64_t seed = options_seed(), count = 100;
    struct device device;
    bool good = options_read(
        argc, argv,
        (const struct option[]){{"--seed", &seed, NULL}, {"--count", &count, NULL}, {NULL, NULL, NULL}});

    if (!good || !device_open(&device, NULL))
        return 2;
    printf("seed %" PRIu64 "\n", seed);
    fflush(stdout);
    for (uint64_t i = 0; i < count * OPERATORS && good; i++)
        for (size_t law = 0; law < sizeof laws / sizeof *laws && good; law++) {
            char failure[1024] = "";

            call.rng = rng_of(seed, i);
            call_draw(&call, operators[i % OPERATORS], 200, NULL);
            good = laws[law].holds(&device, &call, failure, sizeof failure);
            if (!good) {
                fprintf(stderr, "%s: %s\n", laws[law].name, failure);
                call_print(&call);
            }
            call_clear(&call);
        }
    device_close(&device);
    return good ? 0 : 1;
}

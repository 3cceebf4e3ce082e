/* SPDX-License-Identifier: Apache-2.0 */
#include "match.h"

#include "commands.h"
#include "judge.h"

#include <stdio.h>
#include <string.h>

enum { MOST_WAITS = 3 };

enum { MOST_RECORDS = 2 };

/* User events, and the call's own; and what it needs until it is done. */
struct events {
    cl_event wait[MOST_WAITS], done;
    cl_uint num_wait;
    clq_plan *plan;
    struct _cl_command_buffer_khr *records[MOST_RECORDS];
    int num_records;
};

static void make_events(const struct match *match, struct events *events, struct rng *rng)
{
    *events = (struct events){.num_wait = 0};
    if (match->waits)
        events->num_wait = 1 + (cl_uint)rng_below(rng, MOST_WAITS);
    for (cl_uint i = 0; i < events->num_wait; i++)
        events->wait[i] = clCreateUserEvent(match->device->cl, NULL);
}

static bool is_complete(cl_event event)
{
    cl_int status = CL_QUEUED;

    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    return status == CL_COMPLETE;
}

/* While an event of the list is open, the call's is too, and no byte has been written. */
static bool waits_for_all(struct placed *placed, struct events *events, char *failure, size_t failure_bytes)
{
    bool good = true;

    for (cl_uint i = events->num_wait; i-- > 0;) {
        if (good && is_complete(events->done)) {
            snprintf(failure, failure_bytes, "the call is complete before its wait list is");
            good = false;
        }
        if (i == 0 && good)
            good = placed_read(placed, failure, failure_bytes);
        for (int t = 0; t < placed->count && good && i == 0; t++)
            if (memcmp(placed->buffers[t].memory->bytes, placed->buffers[t].memory->written,
                       placed->buffers[t].memory->size) != 0) {
                snprintf(failure, failure_bytes, "bytes were written before the wait list is complete");
                good = false;
            }
        clSetUserEventStatus(events->wait[i], CL_COMPLETE);
    }
    return good;
}

static void release_events(const struct match *match, struct events *events)
{
    while (events->num_records > 0)
        commands_release(match->device->id, events->records[--events->num_records]);
    clq_plan_destroy(events->plan);
    for (cl_uint i = 0; i < events->num_wait; i++)
        clReleaseEvent(events->wait[i]);
    if (events->done != NULL)
        clReleaseEvent(events->done);
}

/* Keeps what the buffers hold before the call. */
static void keep_bytes(struct placed *placed)
{
    for (int i = 0; i < placed->count; i++)
        memcpy(placed->buffers[i].memory->written, placed->buffers[i].memory->bytes,
               placed->buffers[i].memory->size);
}

static bool has_failed(clq_status status, const char *what, char *failure, size_t failure_bytes)
{
    if (status != CLQ_OK)
        snprintf(failure, failure_bytes, "%s: %s, \"%s\"", what, clq_status_name(status), clq_error_detail());
    return status != CLQ_OK;
}

/* Half of the calls that need a workspace are given one. */
static bool find_workspace(const struct match *match, struct call *call, size_t *words, char *failure,
                           size_t failure_bytes)
{
    struct placed placed;
    const void *desc;
    size_t bytes = 0;
    bool good = true;

    *words = 0;
    if (call->op->workspace_bytes == NULL)
        return true;
    desc = placed_make(&placed, match->device, call);
    good = desc != NULL && !has_failed(call->op->workspace_bytes(match->device->context, desc, &bytes),
                                       "the size of the workspace", failure, failure_bytes);
    placed_clear(&placed);
    *words = bytes / sizeof(uint32_t);
    if (good && bytes > 0 && call->workspace.name == NULL && rng_once_in(&call->rng, 2))
        call_add_workspace(call, *words);
    return good;
}

/* Records the plan, and replays that so often. A command buffer that is pending may not be enqueued once
 * more. */
static clq_status replay(const struct match *match, struct events *events, size_t count,
                         const struct clq_binding *bindings, const struct clq_binding *before, int64_t times,
                         bool last)
{
    const cl_device_id device = match->device->id;
    struct _cl_command_buffer_khr *record = commands_create(device, match->queue);
    clq_status status = record == NULL ? CLQ_ERROR_DEVICE : CLQ_OK;

    if (record != NULL)
        events->records[events->num_records++] = record;
    if (status == CLQ_OK)
        status = clq_plan_record(events->plan, record, count, bindings, 0, NULL, NULL);
    if (status == CLQ_OK)
        status = commands_finalize(device, record);
    /* What is bound to the plan later is nothing to what was recorded. */
    if (status == CLQ_OK && last && count > 0)
        status = clq_plan_enqueue(events->plan, match->queue, count, before, 0, NULL, NULL);
    for (; times > 0 && status == CLQ_OK; times--) {
        status = commands_enqueue(device, record, last ? events->num_wait : 0,
                                  last && events->num_wait > 0 ? events->wait : NULL,
                                  last && !match->no_event ? &events->done : NULL);
        if (status == CLQ_OK && !last)
            status = clFinish(match->queue);
    }
    return status;
}

/* So often, one behind the other: they write the same buffers, which a queue out of order does not order. */
static clq_status enqueue_often(const struct match *match, clq_plan *plan, int64_t times)
{
    clq_status status = CLQ_OK;
    cl_event before = NULL, now = NULL;

    for (; times > 0 && status == CLQ_OK; times--) {
        status = clq_plan_enqueue(plan, match->queue, 0, NULL, before != NULL,
                                  before != NULL ? &before : NULL, &now);
        if (before != NULL)
            clReleaseEvent(before);
        before = now;
        now = NULL;
    }
    if (before != NULL)
        clReleaseEvent(before);
    return status;
}

/* By a plan that was made for other buffers with the same bytes, and that now and then has been enqueued with
 * these, once or twice. Or by one that was made for the call's own. */
static clq_status enqueue_plan(const struct match *match, struct placed *placed, const unsigned char *desc,
                               struct placed *other, struct events *events)
{
    struct call *call = placed->call;
    struct clq_binding bindings[PLACED_MOST_BINDINGS], first[PLACED_MOST_BINDINGS];
    const bool others = !rng_once_in(&call->rng, 4);
    const int64_t before = others ? rng_below(&call->rng, 3) : 0;
    const void *of_plan = others ? placed_make(other, match->device, call) : desc;
    const size_t count = others ? placed_bindings(call->op, desc, bindings) : 0;
    const struct clq_binding *given = count > 0 ? bindings : NULL;
    clq_status status =
        of_plan == NULL ? CLQ_ERROR_MEMORY : call->op->plan(match->device->context, of_plan, &events->plan);

    if (count > 0)
        placed_bindings(call->op, of_plan, first);
    if (status == CLQ_OK && match->records && before > 0)
        status = replay(match, events, 0, NULL, NULL, before, false);
    if (status == CLQ_OK && !match->records)
        status = enqueue_often(match, events->plan, before);
    if (status == CLQ_OK)
        status = match->records ? replay(match, events, count, given, first, 1, true)
                                : clq_plan_enqueue(events->plan, match->queue, count, given, events->num_wait,
                                                   events->num_wait > 0 ? events->wait : NULL,
                                                   match->no_event ? NULL : &events->done);
    return status;
}

static bool run(const struct match *match, struct placed *placed, const void *desc, char *failure,
                size_t failure_bytes)
{
    const struct operator_row *op = placed->call->op;
    struct placed other = {0};
    struct events events;
    clq_status status;
    bool good;

    make_events(match, &events, &placed->call->rng);
    keep_bytes(placed);
    status = match->plans ? enqueue_plan(match, placed, desc, &other, &events)
                          : op->enqueue(match->device->context, match->queue, desc, events.num_wait,
                                        events.num_wait > 0 ? events.wait : NULL,
                                        match->no_event ? NULL : &events.done);
    good = !has_failed(status, "the call", failure, failure_bytes);
    if (good && !match->no_event && events.done == NULL) {
        snprintf(failure, failure_bytes, "the call left no event");
        good = false;
    }
    if (good && !match->no_event)
        good = waits_for_all(placed, &events, failure, failure_bytes);
    for (cl_uint i = 0; i < events.num_wait && !good; i++)
        clSetUserEventStatus(events.wait[i], CL_COMPLETE);
    if (good &&
        (events.done != NULL ? clWaitForEvents(1, &events.done) : clFinish(match->queue)) != CL_SUCCESS) {
        snprintf(failure, failure_bytes, "waiting for the call fails");
        good = false;
    }
    release_events(match, &events);
    placed_clear(&other);
    return good;
}

static bool is_of_buffers(const struct judge *judge)
{
    for (int i = 0; i < judge_findings(judge); i++)
        if (!judge->findings[i].of_buffers)
            return false;
    return true;
}

/* What is wrong, told by every call that takes the descriptor. */
static bool is_said(const struct judge *judge, clq_status status, bool said)
{
    for (int i = 0; i < judge_findings(judge) && said; i++)
        if (judge->findings[i].status == status &&
            strcmp(judge->findings[i].sentence, clq_error_detail()) == 0)
            return true;
    return !said && status <= CLQ_ERROR_NULL && status >= CLQ_ERROR_OVERLAP;
}

static bool is_refused(const struct judge *judge, clq_status status, bool said, const char *what,
                       char *failure, size_t failure_bytes)
{
    if (status == CLQ_OK)
        snprintf(failure, failure_bytes, "%s takes a call that is wrong", what);
    else if (!is_said(judge, status, said))
        snprintf(failure, failure_bytes, "%s: %s, \"%s\"", what, clq_status_name(status), clq_error_detail());
    else
        return true;
    return false;
}

/* A right call's indices may be anything; this function says whether they are in range. */
static bool check_indices(const struct match *match, const struct call *call, const void *desc, char *failure,
                          size_t failure_bytes)
{
    struct judge judge;
    clq_status status;

    if (call->op->check_indices == NULL)
        return true;
    judge_call(&judge, call);
    call->op->judge_indices(&judge);
    status = call->op->check_indices(match->device->context, match->queue, desc, 0, NULL);
    return judge.count > 0 ? is_refused(&judge, status, true, "check_indices", failure, failure_bytes)
                           : !has_failed(status, "check_indices", failure, failure_bytes);
}

bool match(const struct match *match, struct call *call, char *failure, size_t failure_bytes)
{
    struct placed placed;
    const void *desc;
    size_t words;
    bool good = find_workspace(match, call, &words, failure, failure_bytes);

    if (!good)
        return false;
    desc = placed_make(&placed, match->device, call);
    if (desc == NULL)
        snprintf(failure, failure_bytes, "OpenCL refuses a buffer");
    good = desc != NULL && !has_failed(call->op->check(desc), "check", failure, failure_bytes) &&
           check_indices(match, call, desc, failure, failure_bytes) &&
           run(match, &placed, desc, failure, failure_bytes) && placed_read(&placed, failure, failure_bytes);
    placed_clear(&placed);
    return good && call_compare(call, words, failure, failure_bytes);
}

bool match_refused(const struct match *match, struct call *call, const struct judge *judge, bool said,
                   bool by_workspace, char *failure, size_t failure_bytes)
{
    clq_context *context = match->device->context;
    const struct operator_row *op = call->op;
    cl_event done = NULL;
    struct placed placed;
    size_t bytes = 1;
    const void *desc = placed_make(&placed, match->device, call);
    bool good = desc != NULL;

    keep_bytes(&placed);
    good = good && is_refused(judge, op->enqueue(context, match->queue, desc, 0, NULL, &done), said,
                              "the call", failure, failure_bytes);
    good = good && is_refused(judge, op->build(context, desc), said, "build", failure, failure_bytes);
    if (good && is_of_buffers(judge))
        good = !has_failed(op->check(desc), "check, which looks at no buffer", failure, failure_bytes);
    else if (good)
        good = is_refused(judge, op->check(desc), said, "check", failure, failure_bytes);
    if (op->check_indices != NULL && good)
        good = is_refused(judge, op->check_indices(context, match->queue, desc, 0, NULL), said,
                          "check_indices", failure, failure_bytes);
    if (op->workspace_bytes != NULL && good && !by_workspace)
        good = is_refused(judge, op->workspace_bytes(context, desc, &bytes), said, "workspace", failure,
                          failure_bytes) &&
               bytes == 0;
    if (good && done != NULL) {
        snprintf(failure, failure_bytes, "a call that was refused left an event");
        good = false;
    }
    good = good && placed_read(&placed, failure, failure_bytes);
    for (int i = 0; i < placed.count && good; i++)
        if (memcmp(placed.buffers[i].memory->bytes, placed.buffers[i].memory->written,
                   placed.buffers[i].memory->size) != 0) {
            snprintf(failure, failure_bytes, "a call that was refused has written");
            good = false;
        }
    placed_clear(&placed);
    return good;
}

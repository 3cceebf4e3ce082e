/* SPDX-License-Identifier: Apache-2.0 */
/* One run of an operator: files in, device, file out. */
#include "../build_log.h"
#include "operator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum exit_status exit_status_of(clq_status status)
{
    switch (status) {
    case CLQ_ERROR_NULL:
    case CLQ_ERROR_VALUE:
    case CLQ_ERROR_TYPE:
    case CLQ_ERROR_RANK:
    case CLQ_ERROR_SHAPE:
    case CLQ_ERROR_AXIS:
    case CLQ_ERROR_LAYOUT:
    case CLQ_ERROR_SIZE:
    case CLQ_ERROR_OVERFLOW:
    case CLQ_ERROR_OVERLAP:
    case CLQ_ERROR_INDEX:
        return STATUS_REFUSED;
    default:
        return STATUS_SYSTEM;
    }
}

/* Which tensors the arguments are, where the names do not say it:
 * the library's sentence speaks of arguments. */
static void name_choices(const struct operator_call *call, char *text, size_t size_bytes)
{
    const bool several = call->file_count > 1;
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < OPERATOR_MAX_INPUTS && call->op->inputs[i].name && used < size_bytes; i++) {
        const char *own = call->op->inputs[i].name;
        const struct safetensors_tensor *source = call->sources[i];

        if (source && (several || strcmp(source->name, own) != 0))
            used +=
                (size_t)snprintf(text + used, size_bytes - used, "; %s is tensor '%.100s'%s%.200s", own,
                                 source->name, several ? " of " : "", several ? operator_path(call, i) : "");
    }
}

/* Of an OpenCL code the library's sentence names it; else the sentence is about an earlier call. */
static bool has_sentence(clq_status status)
{
    if (status <= CLQ_ERROR_NULL && status >= CLQ_ERROR_INDEX)
        return clq_error_detail()[0] != '\0';
    return strstr(clq_error_detail(), clq_status_name(status)) != NULL;
}

bool operator_fail(struct operator_call *call, const char *doing, clq_status status)
{
    const enum exit_status exit_status = exit_status_of(status);
    char choices[1024] = "", sentence[1024];

    if (exit_status == STATUS_REFUSED)
        name_choices(call, choices, sizeof choices);
    operator_sentence(call->op, sentence, sizeof sentence);
    call->failure->code = status;
    return fail(call->failure, exit_status, "%s: %s: %s%s", call->in_text, doing,
                has_sentence(status) ? sentence : clq_status_text(status), choices);
}

bool operator_fail_cl(struct operator_call *call, const char *function, cl_int code)
{
    return fail(call->failure, STATUS_SYSTEM, "%s: %s failed with %s (%d): %s", call->in_text, function,
                clq_status_name(code), (int)code, clq_status_text(code));
}

/* Until the event is complete; the line on the terminal appears when that takes long. */
static clq_status wait_for(struct operator_call *call, cl_event done)
{
    const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
    cl_int state = CL_QUEUED;

    clFlush(call->queue);
    while (call->progress.terminal && state > CL_COMPLETE &&
           clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL) ==
               CL_SUCCESS &&
           state > CL_COMPLETE) {
        progress_show(&call->progress, "computing", 0, 0);
        nanosleep(&pause, NULL);
    }
    return clWaitForEvents(1, &done);
}

static bool compute(struct operator_call *call)
{
    cl_event done = NULL;
    clq_status status = CLQ_OK;

    progress_show(&call->progress, "computing", 0, 0);
    status = operator_run(call, &done);
    if (status == CLQ_OK)
        status = wait_for(call, done);
    if (done)
        clReleaseEvent(done);
    return status == CLQ_OK || operator_fail(call, call->op->name, status);
}

static bool run(struct operator_call *call)
{
    const bool ok = operator_open_files(call) && operator_bind(call) && operator_recall(call) &&
                    operator_plan(call) && operator_name_outputs(call) && operator_describe(call) &&
                    output_file_create(&call->out, "-o", call->out_path, call->failure) &&
                    operator_open_device(call) && operator_upload(call) && compute(call) &&
                    operator_download(call) && operator_read_report(call) &&
                    output_file_commit(&call->out, call->failure);

    if (ok)
        operator_say_report(call);
    return ok;
}

static void release(struct operator_call *call)
{
    for (size_t i = 0; i < OPERATOR_MAX_INPUTS; i++)
        clq_tensor_destroy(call->inputs[i]);
    for (size_t i = 0; i < call->output_count; i++)
        clq_tensor_destroy(call->outputs[i].tensor);
    clq_tensor_destroy(call->report);
    if (call->queue)
        clReleaseCommandQueue(call->queue);
    clq_context_destroy(call->context);
    output_file_discard(&call->out);
    free(call->header);
    operator_close_files(call);
}

int operator_main(const struct operator_description *op, int argc, char **argv)
{
    struct failure failure = {.status = STATUS_DONE};
    struct operator_call call = {.op = op, .failure = &failure, .out.fd = -1};
    char *log = NULL;
    bool ok = operator_parse(&call, argc, argv);

    if (ok && call.help) {
        operator_help(op);
    } else if (ok) {
        progress_begin(&call.progress);
        ok = run(&call);
        progress_end(&call.progress);
    }
    if (!ok)
        log = take_build_log(failure.code, failure.text, call.context);
    release(&call);
    if (!ok)
        complain("%s", failure.text);
    say_log(log);
    return (int)failure.status;
}

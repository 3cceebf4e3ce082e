/* SPDX-License-Identifier: Apache-2.0 */
/* One run of an operator: files in, device, file out. */
#include "../build_log.h"
#include "operator.h"

#include <stdlib.h>

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

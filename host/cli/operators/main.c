/* One run of an operator: file in, device, file out. */
#include "operator.h"

#include <stdio.h>
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

/* The tensors that the user chose: the library's sentence speaks of arguments. */
static void name_choices(const struct operator_call *call, char *text, size_t size_bytes)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < OPERATOR_MAX_INPUTS && call->op->inputs[i].name && used < size_bytes; i++)
        if (strcmp(call->tensor_names[i], call->op->inputs[i].name) != 0)
            used += (size_t)snprintf(text + used, size_bytes - used, "; %s is tensor '%.100s'",
                                     call->op->inputs[i].name, call->tensor_names[i]);
}

bool operator_fail(struct operator_call *call, const char *doing, clq_status status)
{
    const enum exit_status exit_status = exit_status_of(status);
    const bool ours = clq_error_detail()[0] && status <= CLQ_ERROR_NULL && status >= CLQ_ERROR_INDEX;
    char choices[512] = "";

    if (exit_status == STATUS_REFUSED)
        name_choices(call, choices, sizeof choices);
    return fail(call->failure, exit_status, "%s: %s: %s%s", call->in_path, doing,
                ours ? clq_error_detail() : clq_status_text(status), choices);
}

static bool open_device(struct operator_call *call)
{
    const struct clq_context_desc desc = {.device_text = call->device_text};
    clq_status status = clq_context_create(&desc, &call->context);
    cl_int code = CL_SUCCESS;

    if (status == CLQ_ERROR_DEVICE)
        return fail(call->failure, STATUS_SYSTEM, "%s; `clquant devices` lists what there is",
                    clq_error_detail());
    if (status != CLQ_OK)
        return operator_fail(call, "opening the device", status);
    call->queue =
        clCreateCommandQueue(clq_context_cl(call->context), clq_context_device(call->context), 0, &code);
    return code == CL_SUCCESS || operator_fail(call, "clCreateCommandQueue", code);
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
    status = call->op->run(call, &done);
    if (status == CLQ_OK)
        status = wait_for(call, done);
    if (done)
        clReleaseEvent(done);
    return status == CLQ_OK || operator_fail(call, call->op->name, status);
}

static bool run(struct operator_call *call)
{
    const bool ok = safetensors_open(&call->file, call->in_path, call->failure) && operator_bind(call) &&
                    call->op->plan(call) &&
                    output_file_create(&call->out, "-o", call->out_path, call->failure) &&
                    open_device(call) && operator_upload(call) && compute(call) && operator_download(call) &&
                    operator_read_report(call) && output_file_commit(&call->out, call->failure);

    if (ok)
        operator_say_report(call);
    return ok;
}

static void release(struct operator_call *call)
{
    for (size_t i = 0; i < OPERATOR_MAX_INPUTS; i++)
        if (call->inputs[i])
            call->inputs[i]->deleter(call->inputs[i]);
    for (size_t i = 0; i < call->output_count; i++)
        if (call->outputs[i].tensor)
            call->outputs[i].tensor->deleter(call->outputs[i].tensor);
    if (call->report)
        call->report->deleter(call->report);
    if (call->queue)
        clReleaseCommandQueue(call->queue);
    clq_context_destroy(call->context);
    output_file_discard(&call->out);
    safetensors_close(&call->file);
}

int operator_main(const struct operator_description *op, int argc, char **argv)
{
    struct failure failure = {STATUS_DONE, ""};
    struct operator_call call = {.op = op, .failure = &failure, .file.fd = -1, .out.fd = -1};
    bool ok = operator_parse(&call, argc, argv);

    if (ok && call.help) {
        operator_help(op);
        return STATUS_DONE;
    }
    progress_begin(&call.progress);
    ok = ok && run(&call);
    progress_end(&call.progress);
    release(&call);
    if (!ok)
        complain("%s", failure.text);
    return (int)failure.status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Why a call of the library failed. */
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

/* SPDX-License-Identifier: Apache-2.0 */
/* What an operator that reads indices left out or moved, said in words. */
#include "operator.h"

bool operator_read_report(struct operator_call *call)
{
    clq_status status = CLQ_OK;

    if (call->report)
        status = clq_tensor_read(call->queue, &call->report->dl_tensor, CL_TRUE, &call->reported,
                                 sizeof call->reported, 0, NULL, NULL);
    if (status != CLQ_OK)
        return operator_fail(call, "reading the report", status);
    if (call->reported.first == 0)
        return true;
    status = operator_check_indices(call);
    if (status != CLQ_ERROR_INDEX)
        return operator_fail(call, "reading indices", status);
    operator_sentence(call->op, call->first, sizeof call->first);
    return true;
}

void operator_say_report(const struct operator_call *call)
{
    const struct clq_report *report = &call->reported;
    const uint32_t count = report->dropped + report->clamped;
    size_t indices = 0; /* an operator that reports has inputs of such a name */

    while (count > 0 && (!operator_is_indices(&call->op->inputs[indices]) || !call->sources[indices]))
        indices++;
    if (report->dropped > 0 && report->clamped > 0) /* a policy for each side */
        complain("%s: %s: %u entries out of range dropped and %u clamped; the first: %s",
                 operator_path(call, indices), call->op->name, (unsigned)report->dropped,
                 (unsigned)report->clamped, call->first);
    else if (count > 0)
        complain("%s: %s: %u %s out of range %s; the first: %s", operator_path(call, indices), call->op->name,
                 (unsigned)count, count == 1 ? "entry" : "entries",
                 report->dropped > 0 ? "dropped" : "clamped", call->first);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The device of a run, and why a call of the library failed. */
#include "model.h"

bool model_fail(struct model *model, const char *path, const char *doing, clq_status status)
{
    const char *detail = clq_error_detail();

    model->failure->code = status;
    return fail(model->failure, STATUS_SYSTEM, "%s: %.200s: %s", path, doing,
                *detail ? detail : clq_status_text(status));
}

bool model_open_device(struct model *model)
{
    const struct clq_context_desc desc = {.device_text = model->options.device_text};
    clq_status status = clq_context_create(&desc, &model->context);

    if (status == CLQ_ERROR_DEVICE)
        return fail(model->failure, STATUS_SYSTEM, "%s; `clquant devices` lists what there is",
                    clq_error_detail());
    if (status == CLQ_OK)
        status = clq_queue_create(model->context, 0, &model->queue);
    return status == CLQ_OK || model_fail(model, "quantize_model", "opening the device", status);
}

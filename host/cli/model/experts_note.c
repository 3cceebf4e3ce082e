/* SPDX-License-Identifier: Apache-2.0 */
/* What transformers does not undo of experts, in the report. tests/lab/readers.sh finds it. */
#include "model.h"

#include <stdio.h>
#include <string.h>

/* Llama 4's are layers to transformers too, and have no faults. */
static bool has_experts(const struct model *model)
{
    for (size_t i = 0; !model->facts.llama4 && i < model->shard_count; i++)
        for (size_t t = 0; t < model->shards[i].tensor_count; t++)
            if (model->shards[i].tensors[t].quantized &&
                strstr(model->shards[i].tensors[t].source->name, ".experts."))
                return true;
    return false;
}

void model_print_experts(const struct model *model)
{
    const struct model_options *options = &model->options;
    const bool floats = *options->dtype_name == 'f';

    if (options->to == MODEL_PLAIN || !has_experts(model))
        return;
    if (options->rule == CLQ_NVFP4)
        printf("warning: transformers 5 leaves out the global scales of experts: its values are wrong\n");
    else if (options->dtype.bits == 4 ? options->asymmetric : !floats || options->block != 0)
        printf("note: transformers 5 does not open experts of this format; it does int4, float8_e4m3fn, "
               "mxfp4\n");
}

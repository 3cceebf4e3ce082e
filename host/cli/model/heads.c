/* SPDX-License-Identifier: Apache-2.0 */
/* Layers that the model has and the files have not, for they share the weight of another: readers would ask
 * for their quantized tensors. */
#include "model.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "lm_head.weight"

static bool has_tensor(const struct model *model, const char *name)
{
    for (size_t i = 0; i < model->shard_count; i++)
        if (safetensors_find(&model->shards[i].file, name))
            return true;
    return false;
}

static bool any_has_end(const struct model *model, const char *end)
{
    for (size_t i = 0; i < model->shard_count; i++)
        for (size_t t = 0; t < model->shards[i].file.count; t++)
            if (model_has_end(model->shards[i].file.tensors[t].name, end))
                return true;
    return false;
}

/* A layer of which the files have a bias and no weight shares the weight of another. Where the bias is an
 * output head's own, the layer is the head's decoder. */
static bool add_sharing(const struct model *model, const char *bias, cJSON *ignore)
{
    const size_t length = strlen(bias) - strlen(".bias");
    char *name = malloc(length + sizeof ".decoder.weight");
    bool ok = name != NULL;

    for (size_t n = 0; ok && n < 2; n++) {
        sprintf(name, "%.*s%s.weight", (int)length, bias, n == 0 ? "" : ".decoder");
        if (has_tensor(model, name))
            break;
        ok = strcmp(name, HEAD) == 0 || model_add_module(ignore, name);
    }
    free(name);
    return ok;
}

/* Heads whose weight is that of the embedding, and so in no file: it cannot be quantized there. */
bool model_add_tied_heads(const struct model *model, cJSON *ignore)
{
    const bool tied = !has_tensor(model, HEAD) && !any_has_end(model, "." HEAD);
    bool ok =
        !tied || (model_add_module(ignore, HEAD) && model_add_module(ignore, "re:.*\\.lm_head$.weight"));

    if (ok && model->facts.head) {
        char name[64];

        sprintf(name, "%s.weight", model->facts.head);
        ok = has_tensor(model, name) || model_add_module(ignore, name);
    }
    for (size_t i = 0; i < model->shard_count; i++)
        for (size_t t = 0; ok && t < model->shards[i].file.count; t++) {
            const struct safetensors_tensor *source = &model->shards[i].file.tensors[t];

            if (source->rank == 1 && model_has_end(source->name, ".bias"))
                ok = add_sharing(model, source->name, ignore);
        }
    return ok;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Which class of layer a tensor belongs to, by its name and shape, its bias, and config.json. */
#include "model.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define EMBEDDING "it is an embedding"
#define HEAD      "it is an output head"
#define GATE      "it is a gate of experts"

/* As models call what is not quantized unless it is asked for, without regard to upper and lower case. */
static const struct {
    const char *glob, *why;
} classes[] = {{"*embed*", EMBEDDING},        {"*embd*", EMBEDDING},
               {"*wte*", EMBEDDING},          {"*wpe*", EMBEDDING},
               {"shared.weight", EMBEDDING},  {"*.shared.weight", EMBEDDING},
               {"*emb.weight", EMBEDDING},    {"*lm_head*", HEAD},
               {"*norm*", "it is a norm"},    {"*bias*", "it is a bias"},
               {"*.gate.weight", GATE},       {"*.gate.wg.weight", GATE},
               {"*expert_gate.weight", GATE}, {"*router*", GATE}};

bool model_has_end(const char *name, const char *end)
{
    const size_t length = strlen(name), more = strlen(end);

    return length > more && strcmp(name + length - more, end) == 0;
}

/* One of several of a kind: a part of its name is a number. */
static bool is_numbered(const char *name)
{
    for (const char *part = name; part; part = strchr(part, '.')) {
        size_t digits = 0;

        part += *part == '.';
        digits = strspn(part, "0123456789");
        if (digits > 0 && (part[digits] == '.' || part[digits] == '\0'))
            return true;
    }
    return false;
}

/* Layers of a model are numbered, and may have as many rows by chance. */
static bool has_words(const struct model_facts *facts, const struct safetensors_tensor *tensor)
{
    for (size_t i = 0; i < facts->vocabulary_count; i++)
        if (tensor->rank == 2 && (double)tensor->shape[0] == facts->vocabularies[i] &&
            !is_numbered(tensor->name))
            return true;
    return false;
}

const char *model_class_of(const struct model *model, const struct safetensors_tensor *tensor)
{
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (fnmatch(classes[i].glob, tensor->name, FNM_CASEFOLD) == 0)
            return classes[i].why;
    return has_words(&model->facts, tensor) ? "it has vocab_size rows, as embeddings and output heads do"
                                            : NULL;
}

bool model_is_embedding(const struct model *model, const struct safetensors_tensor *tensor)
{
    const char *why = model_class_of(model, tensor);

    return why && (strcmp(why, EMBEDDING) == 0 || has_words(&model->facts, tensor));
}

bool model_is_tied(const struct model *model, const struct safetensors_tensor *tensor)
{
    const char *why = model->facts.tied ? model_class_of(model, tensor) : NULL;

    return why && (strcmp(why, HEAD) == 0 || model_is_embedding(model, tensor));
}

/* The names of GPT-2's matrices, of which some are square. */
static bool is_of_gpt2(const char *name)
{
    return model_has_end(name, ".c_attn.weight") || model_has_end(name, ".q_attn.weight") ||
           model_has_end(name, ".c_proj.weight") || model_has_end(name, ".c_fc.weight");
}

/* A layer's bias has an element for each of its outputs, which are a Linear's rows. */
static bool has_columns_bias(const struct safetensors *file, const struct safetensors_tensor *tensor)
{
    const struct safetensors_tensor *bias = NULL;
    char *name = NULL;

    if (tensor->rank != 2 || !model_has_end(tensor->name, ".weight"))
        return false;
    name = strdup(tensor->name);
    if (name) {
        strcpy(name + strlen(name) - strlen("weight"), "bias");
        bias = safetensors_find(file, name);
    }
    free(name);
    return bias && bias->rank == 1 && bias->shape[0] == tensor->shape[1] &&
           bias->shape[0] != tensor->shape[0];
}

bool model_is_conv1d(const struct model *model, const struct safetensors *file,
                     const struct safetensors_tensor *tensor)
{
    return (model->facts.conv1d && is_of_gpt2(tensor->name)) || has_columns_bias(file, tensor);
}

/* Where config.json is not there, the matrices that are not square say it. */
void model_find_conv1d(struct model *model)
{
    for (size_t i = 0; i < model->shard_count; i++)
        for (size_t t = 0; !model->facts.conv1d && t < model->shards[i].file.count; t++) {
            const struct safetensors_tensor *tensor = &model->shards[i].file.tensors[t];

            model->facts.conv1d =
                is_of_gpt2(tensor->name) && has_columns_bias(&model->shards[i].file, tensor);
        }
}

bool model_is_experts(const struct safetensors_tensor *tensor)
{
    return tensor->rank == 3 && (fnmatch("*expert*", tensor->name, FNM_CASEFOLD) == 0 ||
                                 fnmatch("*moe*", tensor->name, FNM_CASEFOLD) == 0);
}

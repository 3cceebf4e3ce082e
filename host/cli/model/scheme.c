/* SPDX-License-Identifier: Apache-2.0 */
/* quantization_config: which modules a reader of compressed-tensors quantizes, and how. A group of modules
 * has a length of blocks; the most frequent one's target is the class Linear, and the others name theirs. */
#include "model.h"

#include <cjson/cJSON.h>
#include <stdio.h>

static const uint32_t lengths[] = {128, 64, 32, 16, 0};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static bool is_weight(const struct safetensors_tensor *tensor)
{
    return tensor->rank == 2 && *tensor->type->name != 'I' && model_has_end(tensor->name, ".weight");
}

static bool is_target(const struct model *model, const struct model_tensor *tensor, uint32_t block)
{
    (void)model;
    return tensor->quantized && tensor->block == block;
}

static bool is_left(const struct model *model, const struct model_tensor *tensor, uint32_t block)
{
    (void)block;
    return !tensor->quantized && is_weight(tensor->source) && !model_is_embedding(model, tensor->source);
}

/* Embeddings that stay too, although no class of theirs is a target. */
static bool is_ignored(const struct model *model, const struct model_tensor *tensor, uint32_t block)
{
    (void)model;
    (void)block;
    return !tensor->quantized && is_weight(tensor->source);
}

/* By class embeddings are no target. */
static bool is_embedding_target(const struct model *model, const struct model_tensor *tensor, uint32_t block)
{
    return is_target(model, tensor, block) && model_is_embedding(model, tensor->source);
}

static size_t count_matrices(const struct model *model, uint32_t block)
{
    size_t count = 0;

    for (size_t i = 0; i < model->shard_count; i++)
        for (size_t t = 0; t < model->shards[i].tensor_count; t++)
            count += is_target(model, &model->shards[i].tensors[t], block);
    return count;
}

static bool add_names(const struct model *model, model_means *means, uint32_t block, cJSON *list)
{
    bool ok = true;

    for (size_t i = 0; i < model->shard_count; i++)
        for (size_t t = 0; ok && t < model->shards[i].tensor_count; t++)
            if (means(model, &model->shards[i].tensors[t], block))
                ok = model_add_module(list, model->shards[i].tensors[t].source->name);
    return ok;
}

static bool add_targets(const struct model *model, cJSON *targets, uint32_t block, bool by_class)
{
    cJSON *linear = by_class ? cJSON_CreateString("Linear") : NULL;

    if (!by_class)
        return add_names(model, is_target, block, targets) &&
               model_add_patterns(model, is_target, block, targets);
    return linear && cJSON_AddItemToArray(targets, linear) &&
           add_names(model, is_embedding_target, block, targets);
}

static bool add_weights(const struct model_options *options, cJSON *group, uint32_t block)
{
    cJSON *weights = cJSON_AddObjectToObject(group, "weights");
    const bool whole = block == 0, mx = options->rule && options->rule != CLQ_NVFP4;
    const char *strategy = whole ? "channel" : options->rule == CLQ_NVFP4 ? "tensor_group" : "group";

    return weights && cJSON_AddNumberToObject(weights, "num_bits", options->dtype.bits) &&
           cJSON_AddStringToObject(weights, "type", *options->dtype_name == 'f' ? "float" : "int") &&
           cJSON_AddBoolToObject(weights, "symmetric", options->symmetric) &&
           cJSON_AddStringToObject(weights, "strategy", strategy) &&
           (whole ? cJSON_AddNullToObject(weights, "group_size")
                  : cJSON_AddNumberToObject(weights, "group_size", block)) &&
           (!mx || cJSON_AddStringToObject(weights, "scale_dtype", "torch.uint8")) &&
           cJSON_AddBoolToObject(weights, "dynamic", 0) && cJSON_AddNullToObject(weights, "actorder") &&
           cJSON_AddNullToObject(weights, "block_structure");
}

static const char *format_of(const struct model_options *options)
{
    if (options->rule == CLQ_NVFP4)
        return "nvfp4-pack-quantized";
    if (options->rule)
        return options->dtype.bits == 4 ? "mxfp4-pack-quantized" : "mxfp8-quantized";
    if (*options->dtype_name == 'f')
        return "float-quantized";
    return options->dtype.bits == 4 ? "pack-quantized" : "int-quantized";
}

/* The format stands in each group: without it readers infer one, and of int8 another. */
static bool add_group(const struct model *model, cJSON *groups, uint32_t block, bool by_class)
{
    const struct model_options *options = &model->options;
    char name[16];
    cJSON *group = NULL, *targets = NULL;

    snprintf(name, sizeof name, "group_%d", cJSON_GetArraySize(groups));
    group = cJSON_AddObjectToObject(groups, name);
    targets = group ? cJSON_AddArrayToObject(group, "targets") : NULL;
    return targets && add_targets(model, targets, block, by_class) && add_weights(options, group, block) &&
           cJSON_AddNullToObject(group, "input_activations") &&
           cJSON_AddNullToObject(group, "output_activations") &&
           cJSON_AddStringToObject(group, "format", format_of(options));
}

static bool add_groups(const struct model *model, cJSON *groups)
{
    size_t counts[LENGTHS], most = 0;
    bool ok = true;

    for (size_t b = 0; b < LENGTHS; b++) {
        counts[b] = count_matrices(model, lengths[b]);
        most = counts[b] > counts[most] ? b : most;
    }
    ok = add_group(model, groups, lengths[most], true);
    for (size_t b = 0; ok && b < LENGTHS; b++)
        ok = b == most || counts[b] == 0 || add_group(model, groups, lengths[b], false);
    return ok;
}

char *model_print_scheme(const struct model *model)
{
    cJSON *root = cJSON_CreateObject();
    cJSON *groups = root ? cJSON_AddObjectToObject(root, "config_groups") : NULL;
    cJSON *ignore = root ? cJSON_AddArrayToObject(root, "ignore") : NULL;
    char *text = NULL;

    if (groups && ignore && add_groups(model, groups) && add_names(model, is_ignored, 0, ignore) &&
        model_add_patterns(model, is_left, 0, ignore) && model_add_tied_heads(model, ignore) &&
        cJSON_AddStringToObject(root, "quant_method", "compressed-tensors") &&
        cJSON_AddStringToObject(root, "format", format_of(&model->options)) &&
        cJSON_AddStringToObject(root, "quantization_status", "compressed") &&
        cJSON_AddNullToObject(root, "kv_cache_scheme") &&
        cJSON_AddNullToObject(root, "global_compression_ratio"))
        text = cJSON_PrintUnformatted(root);
    cJSON_Delete(root);
    return text;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* config.json for OUT: the input's, byte for byte, with a quantization_config as its last member. */
#include "model.h"

#include <cjson/cJSON.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool add_module(cJSON *list, const char *tensor)
{
    const size_t length = strlen(tensor) - strlen(".weight");
    char *module = strndup(tensor, length);
    cJSON *item = module ? cJSON_CreateString(module) : NULL;

    free(module);
    return item && cJSON_AddItemToArray(list, item);
}

static bool is_weight(const struct safetensors_tensor *tensor)
{
    const size_t length = strlen(tensor->name);

    return tensor->rank == 2 && *tensor->type->name != 'I' && length > 7 &&
           strcmp(tensor->name + length - 7, ".weight") == 0;
}

/* Readers quantize the layers of class Linear; an embedding that is quantized is named besides, and matrices
 * that are not are left out by name. */
static bool add_modules(const struct model *model, cJSON *targets, cJSON *ignore)
{
    static const char *const embeddings[] = {"*embed*", "*wte*", "*wpe*"};
    bool ok = true;

    for (size_t i = 0; i < model->shard_count; i++)
        for (size_t t = 0; ok && t < model->shards[i].file.count; t++) {
            const struct model_tensor *tensor = &model->shards[i].tensors[t];

            if (!tensor->quantized && is_weight(tensor->source))
                ok = add_module(ignore, tensor->source->name);
            else if (tensor->quantized && model_glob(embeddings, 3, tensor->source->name, FNM_CASEFOLD))
                ok = add_module(targets, tensor->source->name);
        }
    return ok;
}

static bool add_weights(const struct model_options *options, cJSON *group)
{
    cJSON *weights = cJSON_AddObjectToObject(group, "weights");
    const bool whole = options->block == 0, mx = options->rule && options->rule != CLQ_NVFP4;
    const char *strategy = whole ? "channel" : options->rule == CLQ_NVFP4 ? "tensor_group" : "group";

    return weights && cJSON_AddNumberToObject(weights, "num_bits", options->dtype.bits) &&
           cJSON_AddStringToObject(weights, "type", *options->dtype_name == 'f' ? "float" : "int") &&
           cJSON_AddBoolToObject(weights, "symmetric", options->symmetric) &&
           cJSON_AddStringToObject(weights, "strategy", strategy) &&
           (whole ? cJSON_AddNullToObject(weights, "group_size")
                  : cJSON_AddNumberToObject(weights, "group_size", options->block)) &&
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

static char *print_quantization(const struct model *model)
{
    const struct model_options *options = &model->options;
    cJSON *root = cJSON_CreateObject();
    cJSON *groups = root ? cJSON_AddObjectToObject(root, "config_groups") : NULL;
    cJSON *group = groups ? cJSON_AddObjectToObject(groups, "group_0") : NULL;
    cJSON *targets = group ? cJSON_AddArrayToObject(group, "targets") : NULL;
    cJSON *linear = targets ? cJSON_CreateString("Linear") : NULL;
    cJSON *ignore = root ? cJSON_AddArrayToObject(root, "ignore") : NULL;
    char *text = NULL;

    if (linear && cJSON_AddItemToArray(targets, linear) && ignore && add_weights(options, group) &&
        cJSON_AddNullToObject(group, "input_activations") &&
        cJSON_AddNullToObject(group, "output_activations") && add_modules(model, targets, ignore) &&
        cJSON_AddStringToObject(root, "quant_method", "compressed-tensors") &&
        cJSON_AddStringToObject(root, "format", format_of(options)) &&
        cJSON_AddStringToObject(root, "quantization_status", "compressed") &&
        cJSON_AddNullToObject(root, "kv_cache_scheme") &&
        cJSON_AddNullToObject(root, "global_compression_ratio"))
        text = cJSON_PrintUnformatted(root);
    cJSON_Delete(root);
    return text;
}

/* The last brace is the object's: white space alone may follow it. */
static bool insert(struct model *model, const char *text, bool empty)
{
    const size_t kept = (size_t)(strrchr(text, '}') - text);
    char *quantization = print_quantization(model);

    model->config =
        quantization ? malloc(strlen(text) + strlen(quantization) + sizeof ",\n  \"quantization_config\": \n")
                     : NULL;
    if (model->config) {
        char *at = mempcpy(model->config, text, kept);

        while (at > model->config && strchr(" \t\r\n", at[-1]))
            at--;
        at = stpcpy(stpcpy(at, empty ? "\n" : ",\n"), "  \"quantization_config\": ");
        at = stpcpy(stpcpy(at, quantization), "\n");
        strcpy(at, text + kept);
        model->config_bytes = strlen(model->config);
    }
    cJSON_free(quantization);
    return model->config ||
           fail(model->failure, STATUS_SYSTEM, "%s: no memory for its copy", model->config_path);
}

/* Also by a part of it, such as text_config. */
static bool is_quantized(const cJSON *value)
{
    const cJSON *own = cJSON_GetObjectItem(value, "quantization_config"), *item = NULL;

    if (own && !cJSON_IsNull(own))
        return true;
    cJSON_ArrayForEach(item, value)
    {
        if (is_quantized(item))
            return true;
    }
    return false;
}

bool model_config_read(struct model *model)
{
    const char *beside = model->index_path ? model->index_path : model->options.in_paths[0];
    char *folder = NULL, *text = NULL;
    size_t size_bytes = 0;
    cJSON *root = NULL;
    bool ok = false;

    folder = model_folder_of(beside);
    model->config_path = folder ? model_join(folder, "config.json") : NULL;
    free(folder);
    if (!model->config_path)
        return fail(model->failure, STATUS_SYSTEM, "%s: no memory for its name", beside);
    if (access(model->config_path, F_OK) != 0) {
        free(model->config_path);
        model->config_path = NULL;
    }
    if (!model->config_path || model->options.to == MODEL_PLAIN)
        return true;
    text = model_read_text(model->config_path, &size_bytes, model->failure);
    if (!text)
        return false;
    root = cJSON_ParseWithLengthOpts(text, size_bytes + 1, NULL, 1);
    if (!cJSON_IsObject(root) || strlen(text) != size_bytes)
        fail(model->failure, STATUS_REFUSED, "%s: is no JSON object", model->config_path);
    else if (cJSON_HasObjectItem(root, "quantization_config") || is_quantized(root))
        fail(model->failure, STATUS_REFUSED, "%s: has a quantization_config: the model is quantized already",
             model->config_path);
    else
        ok = insert(model, text, root->child == NULL);
    cJSON_Delete(root);
    free(text);
    return ok;
}

bool model_config_write(struct model *model)
{
    struct output_file file = {.fd = -1};
    char *path = NULL;
    bool ok = false;

    if (!model->config)
        return true;
    path = model_join(model->options.out_path, "config.json");
    ok = (path || fail(model->failure, STATUS_SYSTEM, "%s: no memory for its copy", model->config_path)) &&
         output_file_create(&file, "-o", path, model->failure) &&
         output_file_write(&file, model->config, model->config_bytes, model->failure) &&
         output_file_commit(&file, model->failure);
    output_file_discard(&file);
    free(path);
    return ok;
}

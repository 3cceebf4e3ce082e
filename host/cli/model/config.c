/* SPDX-License-Identifier: Apache-2.0 */
/* config.json for OUT: the input's, byte for byte, with a quantization_config as its last member. */
#include "model.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The last brace is the object's: white space alone may follow it. */
static bool insert(struct model *model, const char *text, bool empty)
{
    const size_t kept = (size_t)(strrchr(text, '}') - text);
    char *quantization = model_print_scheme(model);

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
    return !model->config || model_put(model, model->config_path, model->config, model->config_bytes);
}

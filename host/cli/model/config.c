/* SPDX-License-Identifier: Apache-2.0 */
/* config.json for OUT: the input's, byte for byte, with a quantization_config, its last member unless it
 * has one that is null. */
#include "model.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MEMBER "quantization_config"

/* Of the text all stays but a quantization_config that is null, whose value is replaced. The last brace is
 * the object's: white space alone may follow it. */
bool model_config_make(struct model *model)
{
    const char *text = model->given_config, *null = NULL;
    char *scheme = NULL;

    if (!text)
        return true;
    scheme = model_print_scheme(model);
    model->config = scheme ? malloc(strlen(text) + strlen(scheme) + sizeof ",\n  \"" MEMBER "\": \n") : NULL;
    null = model_find_member(text, MEMBER);
    if (model->config && null) {
        stpcpy(stpcpy(mempcpy(model->config, text, (size_t)(null - text)), scheme), null + strlen("null"));
    } else if (model->config) {
        const char *brace = strrchr(text, '}');
        char *at = mempcpy(model->config, text, (size_t)(brace - text));

        while (strchr(" \t\r\n", at[-1]))
            at--;
        at = stpcpy(stpcpy(at, at[-1] == '{' ? "\n" : ",\n"), "  \"" MEMBER "\": ");
        strcpy(stpcpy(stpcpy(at, scheme), "\n"), brace);
    }
    cJSON_free(scheme);
    model->config_bytes = model->config ? strlen(model->config) : 0;
    return model->config ||
           fail(model->failure, STATUS_SYSTEM, "%s: no memory for its copy", model->config_path);
}

/* Also by a part of it, such as text_config. */
static bool is_quantized(const cJSON *value)
{
    const cJSON *own = cJSON_GetObjectItemCaseSensitive(value, MEMBER), *item = NULL;

    if (own && !cJSON_IsNull(own))
        return true;
    cJSON_ArrayForEach(item, value)
    {
        if (is_quantized(item))
            return true;
    }
    return false;
}

/* The path of config.json beside the input, NULL where it is not there. */
static bool find_config(struct model *model)
{
    const char *beside = model->index_path ? model->index_path : model->options.in.list[0];
    char *folder = model_folder_of(beside);

    model->config_path = folder ? model_join(folder, "config.json") : NULL;
    free(folder);
    if (!model->config_path)
        return fail(model->failure, STATUS_SYSTEM, "%s: no memory for its name", beside);
    if (access(model->config_path, F_OK) != 0) {
        free(model->config_path);
        model->config_path = NULL;
    }
    return true;
}

/* Plain has no config.json, and none is refused for it. */
bool model_config_read(struct model *model)
{
    const bool plain = model->options.to == MODEL_PLAIN;
    struct failure ignored = {.status = STATUS_DONE}, *failure = plain ? &ignored : model->failure;
    char *text = NULL;
    size_t size_bytes = 0;
    cJSON *root = NULL;
    bool ok = false;

    if (!find_config(model))
        return false;
    if (!model->config_path)
        return true;
    text = model_read_text(model->config_path, &size_bytes, failure);
    root = text ? model_parse_json(model->config_path, text, size_bytes, true, failure) : NULL;
    if (root)
        model_read_facts(&model->facts, root);
    if (root && !cJSON_IsObject(root))
        fail(failure, STATUS_REFUSED, "%s: is no JSON object", model->config_path);
    else if (root && is_quantized(root))
        fail(failure, STATUS_REFUSED, "%s: has a " MEMBER ": the model is quantized already",
             model->config_path);
    else
        ok = root != NULL;
    cJSON_Delete(root);
    if (ok && !plain)
        model->given_config = text;
    else
        free(text);
    return ok || plain;
}

bool model_config_write(struct model *model)
{
    return !model->config || model_put(model, model->config_path, model->config, model->config_bytes);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The index of a checkpoint in several files: {"metadata": {..}, "weight_map": {TENSOR: SHARD, ..}}. */
#include "model.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REFUSE(model, ...) fail((model)->failure, STATUS_REFUSED, __VA_ARGS__)

struct entry {
    const char *tensor, *shard;
};

static int by_tensor(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->tensor, ((const struct entry *)b)->tensor);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const cJSON *map_of(const struct model *model)
{
    return cJSON_GetObjectItemCaseSensitive(model->index, "weight_map");
}

/* In OUT's index are the others as cJSON prints them, with 15 digits. */
static bool keeps_numbers(const cJSON *value)
{
    const cJSON *item = NULL;

    if (cJSON_IsNumber(value) && !(value->string && strcmp(value->string, "total_size") == 0))
        return fabs(value->valuedouble) < 1e15;
    cJSON_ArrayForEach(item, value)
    {
        if (!keeps_numbers(item))
            return false;
    }
    return true;
}

/* A name with a folder could lead anywhere. */
static bool check_map(struct model *model)
{
    const cJSON *map = map_of(model), *item = NULL;

    if (!cJSON_IsObject(model->index) || !cJSON_IsObject(map))
        return REFUSE(model, "%s: is no index of a model: it has no object weight_map", model->index_path);
    if (!keeps_numbers(model->index))
        return REFUSE(model, "%s: has a number from 10^15 on, of which OUT's index would lose digits",
                      model->index_path);
    cJSON_ArrayForEach(item, model->index)
    {
        if (item != map && strcmp(item->string, "weight_map") == 0)
            return REFUSE(model, "%s: has two weight_map", model->index_path);
    }
    cJSON_ArrayForEach(item, map)
    {
        const char *name = cJSON_GetStringValue(item);

        if (!name || !*name || strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            return REFUSE(
                model,
                "%s: weight_map says of tensor '%.200s' %s%.200s%s: the name of a file beside the index is "
                "expected",
                model->index_path, item->string, name ? "the shard '" : "no text", name ? name : "",
                name ? "'" : "");
    }
    return map->child || REFUSE(model, "%s: its weight_map is empty", model->index_path);
}

/* It would end a name for cJSON, and not for other readers. */
static bool has_nul(const char *text)
{
    for (const char *at = text; (at = strchr(at, '\\')); at += 2)
        if (strncmp(at + 1, "u0000", 5) == 0)
            return true;
    return false;
}

static bool read_index(struct model *model)
{
    size_t size_bytes = 0;
    char *text = model_read_text(model->index_path, &size_bytes, model->failure);
    bool ok = true;

    if (!text)
        return false;
    model->index = model_parse_json(model->index_path, text, size_bytes, false, model->failure);
    if (model->index && has_nul(text))
        ok = REFUSE(model, "%s: a NUL is in it, which no name may have", model->index_path);
    free(text);
    return ok && model->index && check_map(model);
}

/* The names of the shards, ordered, each once. */
static bool list_shards(struct model *model, const char ***names, size_t *count)
{
    const size_t entries = (size_t)cJSON_GetArraySize(map_of(model));
    const cJSON *item = NULL;
    size_t listed = 0;

    *count = 0;
    *names = malloc((entries + 1) * sizeof **names);
    if (!*names)
        return fail(model->failure, STATUS_SYSTEM, "%s: no memory for its shards", model->index_path);
    cJSON_ArrayForEach(item, map_of(model))
    {
        (*names)[listed++] = item->valuestring;
    }
    qsort(*names, listed, sizeof **names, by_text);
    for (size_t i = 0; i < listed; i++)
        if (*count == 0 || strcmp((*names)[*count - 1], (*names)[i]) != 0)
            (*names)[(*count)++] = (*names)[i];
    return true;
}

bool model_index_open(struct model *model, char ***paths, size_t *count)
{
    const char **names = NULL;
    size_t shards = 0;
    char *folder = NULL;
    bool ok = read_index(model) && list_shards(model, &names, &shards);

    *count = 0;
    folder = ok ? model_folder_of(model->index_path) : NULL;
    *paths = ok ? calloc(shards + 1, sizeof **paths) : NULL;
    if (ok && (!folder || !*paths))
        ok = fail(model->failure, STATUS_SYSTEM, "%s: no memory for its shards", model->index_path);
    for (; ok && *count < shards; ++*count) {
        char *path = (*paths)[*count] = model_join(folder, names[*count]);

        if (!path)
            ok = fail(model->failure, STATUS_SYSTEM, "%s: no memory for its shards", model->index_path);
        else if (access(path, F_OK) != 0)
            ok = REFUSE(model, "%s: its weight_map names the shard '%.200s', which is not beside it: %s",
                        model->index_path, names[*count], strerror(errno));
    }
    free(folder);
    free(names);
    return ok;
}

static bool check_entry(const struct model *model, const struct entry *entry)
{
    for (size_t i = 0; i < model->shard_count; i++)
        if (strcmp(model->shards[i].name, entry->shard) == 0)
            return safetensors_find(&model->shards[i].file, entry->tensor) ||
                   REFUSE(model, "%s: weight_map says that tensor '%.200s' is in '%.200s', and it is not",
                          model->index_path, entry->tensor, entry->shard);
    return false;
}

static bool check_shard(const struct model *model, const struct model_shard *shard,
                        const struct entry *entries, size_t count)
{
    for (size_t t = 0; t < shard->file.count; t++) {
        const struct entry wanted = {.tensor = shard->file.tensors[t].name};

        if (!bsearch(&wanted, entries, count, sizeof *entries, by_tensor))
            return REFUSE(model, "%s: tensor '%.200s' is not in the weight_map of %s", shard->path,
                          wanted.tensor, model->index_path);
    }
    return true;
}

bool model_index_check(const struct model *model)
{
    const size_t count = (size_t)cJSON_GetArraySize(map_of(model));
    struct entry *entries = malloc((count + 1) * sizeof *entries);
    const cJSON *item = NULL;
    size_t at = 0;
    bool ok = true;

    if (!entries)
        return fail(model->failure, STATUS_SYSTEM, "%s: no memory for its names", model->index_path);
    cJSON_ArrayForEach(item, map_of(model))
    {
        entries[at++] = (struct entry){item->string, item->valuestring};
    }
    qsort(entries, count, sizeof *entries, by_tensor);
    for (size_t i = 0; ok && i < count; i++) {
        if (i > 0 && by_tensor(&entries[i - 1], &entries[i]) == 0)
            ok = REFUSE(model, "%s: its weight_map has tensor '%.200s' twice", model->index_path,
                        entries[i].tensor);
        ok = ok && check_entry(model, &entries[i]);
    }
    for (size_t i = 0; ok && i < model->shard_count; i++)
        ok = check_shard(model, &model->shards[i], entries, count);
    free(entries);
    return ok;
}

/* The rest of the index stays as it was. */
static char *print_index(struct model *model)
{
    cJSON *metadata = cJSON_GetObjectItemCaseSensitive(model->index, "metadata");
    cJSON *map = cJSON_CreateObject();
    double total = 0;
    bool ok = map != NULL;

    for (size_t i = 0; ok && i < model->shard_count; i++)
        for (size_t t = 0; ok && t < model->shards[i].out_count; t++) {
            const struct safetensors_tensor *tensor = &model->shards[i].out[t];

            total += (double)(tensor->end - tensor->begin);
            ok = cJSON_AddStringToObject(map, tensor->name, model->shards[i].name) != NULL;
        }
    if (!ok || !cJSON_ReplaceItemInObjectCaseSensitive(model->index, "weight_map", map)) {
        cJSON_Delete(map);
        return NULL;
    }
    if (!cJSON_IsObject(metadata)) {
        cJSON_DeleteItemFromObjectCaseSensitive(model->index, "metadata");
        metadata = cJSON_AddObjectToObject(model->index, "metadata");
    }
    cJSON_DeleteItemFromObjectCaseSensitive(metadata, "total_size");
    cJSON_DeleteItemFromObjectCaseSensitive(metadata, "clquant");
    if (!cJSON_AddStringToObject(metadata, "clquant", "quantize_model")) /* see whole.c */
        return NULL;
    return cJSON_AddNumberToObject(metadata, "total_size", total) ? cJSON_Print(model->index) : NULL;
}

bool model_index_write(struct model *model)
{
    char *text = NULL;
    bool ok = true;

    if (!model->index_path)
        return true;
    text = print_index(model);
    ok = text ? model_put(model, model->index_path, text, strlen(text))
              : fail(model->failure, STATUS_SYSTEM, "%s: no memory for OUT's index", model->index_path);
    cJSON_free(text);
    return ok;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* All shards of the input are opened and checked before anything is done with one. */
#include "model.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_index(const char *path)
{
    const size_t length = strlen(path);

    return length > 5 && strcmp(path + length - 5, ".json") == 0;
}

/* Where each tensor is. */
struct place {
    const char *name;
    const struct model_shard *shard;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct place *)a)->name, ((const struct place *)b)->name);
}

/* OUT has shards of the same names, and they must stay apart. */
static bool check_shards(struct model *model)
{
    for (size_t i = 0; i < model->shard_count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(model->shards[i].name, model->shards[j].name) == 0)
                return fail(model->failure, STATUS_USAGE,
                            "%s: has the name of %s, and OUT has room for one of them", model->shards[i].path,
                            model->shards[j].path);
    return true;
}

static bool check_names(struct model *model)
{
    size_t count = 0, at = 0;
    struct place *places = NULL;
    bool ok = true;

    for (size_t i = 0; i < model->shard_count; i++)
        count += model->shards[i].file.count;
    places = malloc((count + 1) * sizeof *places);
    if (!places)
        return fail(model->failure, STATUS_SYSTEM, "no memory for the names of %zu tensors", count);
    for (size_t i = 0; i < model->shard_count; i++)
        for (size_t t = 0; t < model->shards[i].file.count; t++)
            places[at++] = (struct place){model->shards[i].file.tensors[t].name, &model->shards[i]};
    qsort(places, count, sizeof *places, by_name);
    for (size_t i = 1; ok && i < count; i++)
        if (by_name(&places[i - 1], &places[i]) == 0)
            ok = fail(model->failure, STATUS_REFUSED, "tensor '%.200s' is in %s and in %s", places[i].name,
                      places[i - 1].shard->path, places[i].shard->path);
    free(places);
    return ok;
}

bool model_pick_shards(struct model *model)
{
    const struct texts *asked = &model->options.shards;

    for (size_t i = 0; asked->count > 0 && i < model->shard_count; i++)
        model->shards[i].left_out = true;
    for (size_t a = 0; a < asked->count; a++) {
        size_t i = 0;

        while (i < model->shard_count && strcmp(model->shards[i].name, asked->list[a]) != 0)
            i++;
        if (i == model->shard_count)
            return fail(model->failure, STATUS_USAGE, "--shard '%.200s': the input has no shard of that name",
                        asked->list[a]);
        model->shards[i].left_out = false;
    }
    for (size_t i = 0; i < model->shard_count; i++)
        model->total_bytes += model->shards[i].left_out ? 0 : model->shards[i].file.data_bytes;
    return true;
}

static bool open_shard(struct model *model, char *path)
{
    struct model_shard *shard = &model->shards[model->shard_count];

    *shard = (struct model_shard){.path = path, .name = model_name_of(path)};
    if (!safetensors_open(&shard->file, shard->path, model->failure))
        return false;
    model->shard_count++;
    shard->tensors = calloc(shard->file.count + 1, sizeof *shard->tensors);
    if (!shard->tensors)
        return fail(model->failure, STATUS_SYSTEM, "%s: no memory for its tensors", path);
    for (size_t t = 0; t < shard->file.count; t++, shard->tensor_count++)
        shard->tensors[t].source = &shard->file.tensors[t];
    return true;
}

static bool copy_paths(struct model *model, char ***paths, size_t *count)
{
    const struct model_options *options = &model->options;

    *paths = calloc(options->in.count, sizeof **paths);
    for (*count = 0; *paths && *count < options->in.count; ++*count)
        if (!((*paths)[*count] = strdup(options->in.list[*count])))
            break;
    return *count == options->in.count ||
           fail(model->failure, STATUS_SYSTEM, "no memory for the input files' names");
}

/* The paths become the shards'; those of shards that were not opened are freed. */
static bool open_all(struct model *model, char **paths, size_t count)
{
    size_t next = 0;
    bool ok = true;

    model->shards = calloc(count + 1, sizeof *model->shards);
    if (!model->shards)
        ok = fail(model->failure, STATUS_SYSTEM, "no memory for %zu shards", count);
    while (ok && next < count) {
        ok = open_shard(model, paths[next]);
        next += model->shard_count > next;
    }
    for (; next < count; next++)
        free(paths[next]);
    return ok;
}

bool model_open(struct model *model)
{
    const struct model_options *options = &model->options;
    char **paths = NULL;
    size_t count = 0;
    bool ok = false;

    for (size_t i = 0; i < options->in.count; i++)
        if (is_index(options->in.list[i]))
            model->index_path = options->in.list[i];
    if (model->index_path && options->in.count > 1)
        return fail(model->failure, STATUS_USAGE,
                    "%s: an index names its shards itself, and %zu inputs are given; give it alone",
                    model->index_path, options->in.count);
    if (model->index_path && strcmp(model_name_of(model->index_path), "config.json") == 0)
        return fail(model->failure, STATUS_USAGE,
                    "%s: an index of another name is expected, such as model.safetensors.index.json: OUT has "
                    "a config.json of its own",
                    model->index_path);
    ok = model->index_path ? model_index_open(model, &paths, &count) : copy_paths(model, &paths, &count);
    if (ok)
        ok = open_all(model, paths, count);
    else
        for (size_t i = 0; i < count; i++)
            free(paths[i]);
    free(paths);
    return ok && check_shards(model) && check_names(model) &&
           (!model->index_path || model_index_check(model));
}

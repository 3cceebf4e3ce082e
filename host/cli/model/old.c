/* SPDX-License-Identifier: Apache-2.0 */
/* What an earlier run left in OUT that is no file of this one: readers may take it for a part of the model.
 * Its shards are known by their metadata. */
#include "model.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_of_this_run(const struct model *model, const char *name)
{
    for (size_t i = 0; i < model->shard_count; i++)
        if (strcmp(name, model->shards[i].name) == 0)
            return true;
    if (strcmp(name, "config.json") == 0)
        return model->config != NULL;
    return model->index_path && strcmp(name, model_name_of(model->index_path)) == 0;
}

static bool is_old_shard(const char *path)
{
    struct failure ignored = {.status = STATUS_DONE};
    struct safetensors file;
    struct stat info;
    bool old = false;

    if (!model_has_end(path, ".safetensors") || lstat(path, &info) != 0 || !S_ISREG(info.st_mode) ||
        !safetensors_open(&file, path, &ignored))
        return false;
    old = file.metadata && strstr(file.metadata, "\"clquant\":\"quantize_model ");
    safetensors_close(&file);
    return old;
}

bool model_find_old(struct model *model)
{
    const char *out = model->options.out_path;
    DIR *entries = opendir(out);
    const struct dirent *entry = NULL;
    bool ok = true;

    while (ok && entries && (entry = readdir(entries))) {
        const char *name = entry->d_name;
        char *path = is_of_this_run(model, name) ? NULL : model_join(out, name);

        if (path && (model_describes_out(model, name) || is_old_shard(path)))
            ok = model_list_add(&model->old, path) ||
                 fail(model->failure, STATUS_SYSTEM, "-o %s: no memory for its files", out);
        else
            free(path);
    }
    if (entries)
        closedir(entries);
    model_list_sort(&model->old);
    for (size_t i = 0; ok && model->options.clean && i < model->old.count; i++)
        if (unlink(model->old.list[i]) != 0 && errno != ENOENT)
            ok = fail(model->failure, STATUS_SYSTEM, "%s: cannot be removed: %s", model->old.list[i],
                      strerror(errno));
    return ok;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The folder OUT, in which no file may be one of the input. */
#include "model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool is_input(const struct model *model, const char *path)
{
    const char *const texts[] = {model->index_path, model->config_path};
    struct stat there, input;

    if (stat(path, &there) != 0)
        return false;
    for (size_t i = 0; i < model->shard_count; i++)
        if (fstat(model->shards[i].file.fd, &input) == 0 && same(&there, &input))
            return true;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i] && stat(texts[i], &input) == 0 && same(&there, &input))
            return true;
    return false;
}

static bool check_file(struct model *model, const char *name)
{
    char *path = model_join(model->options.out_path, name);
    bool ok =
        path || fail(model->failure, STATUS_SYSTEM, "%s: no memory for its files", model->options.out_path);

    if (ok && is_input(model, path))
        ok = fail(model->failure, STATUS_USAGE,
                  "-o %s: %s there is a file of the input, which would be lost; give another folder",
                  model->options.out_path, name);
    free(path);
    return ok;
}

static bool make_folder(struct model *model)
{
    const char *path = model->options.out_path;
    struct stat info;

    if (stat(path, &info) == 0)
        return S_ISDIR(info.st_mode) ||
               fail(model->failure, STATUS_USAGE,
                    "-o %s: is there already, and is no folder: OUT is the folder of the model's files",
                    path);
    if (strlen(path) > 12 && strcmp(path + strlen(path) - 12, ".safetensors") == 0)
        return fail(model->failure, STATUS_USAGE,
                    "-o %s: the name of a folder is expected, in which files have the names of the input",
                    path);
    return mkdir(path, 0777) == 0 || errno == EEXIST || /* another run has made it meanwhile */
           fail(model->failure, STATUS_SYSTEM, "-o %s: cannot be made: %s", path, strerror(errno));
}

bool model_open_out(struct model *model)
{
    const char *slash = model->index_path ? strrchr(model->index_path, '/') : NULL;

    if (!make_folder(model))
        return false;
    for (size_t i = 0; i < model->shard_count; i++)
        if (!check_file(model, model->shards[i].name))
            return false;
    if (!check_file(model, "config.json") ||
        (model->index_path && !check_file(model, slash ? slash + 1 : model->index_path)))
        return false;
    output_file_sweep(model->options.out_path);
    return true;
}

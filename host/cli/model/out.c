/* SPDX-License-Identifier: Apache-2.0 */
/* The folder OUT, in which no file may be one of the input. */
#include "model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* A file that OUT gets. */
static bool check_file(struct model *model, const char *name)
{
    const char *out = model->options.out_path;
    char *path = model_join(out, name);
    struct stat there;
    bool ok = path || fail(model->failure, STATUS_SYSTEM, "%s: no memory for its files", out);

    if (ok && is_input(model, path))
        ok = fail(model->failure, STATUS_USAGE,
                  "-o %s: %s there is a file of the input, which would be lost; give another folder", out,
                  name);
    else if (ok && stat(path, &there) == 0 && !S_ISREG(there.st_mode))
        ok = fail(model->failure, STATUS_USAGE, "-o %s: %s there is not a regular file", out, name);
    free(path);
    return ok;
}

/* The errors go to a file that neither the input nor OUT has. */
static bool check_json(struct model *model, const char *const *names, size_t count)
{
    const char *json = model->options.json_path;
    char *path = realpath(json, NULL), *folder = model_folder_of(path ? path : json);
    const char *own = model_name_of(path ? path : json);
    struct stat out, around;
    const bool in_out = folder && stat(folder, &around) == 0 && stat(model->options.out_path, &out) == 0 &&
                        same(&out, &around);
    bool ok = folder || fail(model->failure, STATUS_SYSTEM, "--json %s: no memory for its folder", json);

    if (ok && is_input(model, json))
        ok = fail(model->failure, STATUS_USAGE, "--json %s: is a file of the input, which would be lost",
                  json);
    for (size_t i = 0; ok && in_out && i < count; i++)
        if (names[i] && strcmp(names[i], own) == 0)
            ok = fail(model->failure, STATUS_USAGE, "--json %s: is a file of the model in OUT", json);
    free(path);
    free(folder);
    return ok && output_file_possible("--json", json, model->failure);
}

static bool check_files(struct model *model)
{
    const size_t count = model->shard_count + 2;
    const char **names = calloc(count, sizeof *names);
    bool ok = names || fail(model->failure, STATUS_SYSTEM, "no memory for %zu names", count);

    for (size_t i = 0; ok && i < model->shard_count; i++)
        names[i] = model->shards[i].name;
    if (ok && model->index_path)
        names[count - 2] = model_name_of(model->index_path);
    if (ok && model->config)
        names[count - 1] = "config.json";
    for (size_t i = 0; ok && i < count; i++)
        ok = !names[i] || check_file(model, names[i]);
    ok = ok && (!model->options.json_path || check_json(model, names, count));
    free(names);
    return ok;
}

static bool make_folder(struct model *model, bool *made)
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
    *made = mkdir(path, 0777) == 0;
    return *made || errno == EEXIST || /* another run has made it meanwhile */
           fail(model->failure, STATUS_SYSTEM, "-o %s: cannot be made: %s", path, strerror(errno));
}

bool model_open_out(struct model *model)
{
    bool made = false;
    const bool ok = make_folder(model, &made) && check_files(model);

    if (ok)
        output_file_sweep(model->options.out_path);
    else if (made)
        rmdir(model->options.out_path);
    return ok;
}

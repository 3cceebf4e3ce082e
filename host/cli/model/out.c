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

static bool is_input(const struct model *model, const struct stat *there)
{
    const char *const texts[] = {model->index_path, model->config_path};
    struct stat input;

    for (size_t i = 0; i < model->shard_count; i++)
        if (fstat(model->shards[i].file.fd, &input) == 0 && same(there, &input))
            return true;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i] && stat(texts[i], &input) == 0 && same(there, &input))
            return true;
    return false;
}

static bool is_out(const struct model *model, const char *folder)
{
    struct stat out, there;

    return folder && stat(folder, &there) == 0 && stat(model->options.out_path, &out) == 0 &&
           same(&out, &there);
}

static bool would_be_lost(const struct model *model, const char *name)
{
    return fail(model->failure, STATUS_USAGE,
                "-o %s: %s there is a file of the input, which would be lost; give another folder",
                model->options.out_path, name);
}

/* By their folder, for a shard of the input may be a link, and one in OUT would be replaced. */
static bool check_folders(const struct model *model)
{
    bool ok = true;

    for (size_t i = 0; ok && i < model->shard_count; i++) {
        char *folder = model_folder_of(model->shards[i].path);

        ok = !is_out(model, folder) || would_be_lost(model, model->shards[i].name);
        free(folder);
    }
    return ok;
}

/* A file that OUT gets. */
static bool check_file(struct model *model, const char *name)
{
    const char *out = model->options.out_path;
    char *path = model_join(out, name);
    struct stat there;
    const bool is_there = path && lstat(path, &there) == 0 && !S_ISLNK(there.st_mode);
    bool ok = path || fail(model->failure, STATUS_SYSTEM, "%s: no memory for its files", out);

    if (is_there && is_input(model, &there))
        ok = would_be_lost(model, name);
    else if (is_there && !S_ISREG(there.st_mode))
        ok = fail(model->failure, STATUS_USAGE, "-o %s: %s there is not a regular file", out, name);
    free(path);
    return ok;
}

bool model_create_json(struct model *model, struct output_file *file)
{
    const char *json = model->options.json_path;
    char *folder = model_folder_of(json);
    const bool in_out = is_out(model, folder);

    free(folder);
    return in_out ? output_file_replace(file, "--json", json, 0777, model->failure)
                  : output_file_create(file, "--json", json, model->failure);
}

/* The errors go to a file that neither the input nor OUT has. A link elsewhere may lead into OUT. */
static bool check_json(struct model *model, const char *const *names, size_t count)
{
    const char *json = model->options.json_path;
    char *path = realpath(json, NULL), *own_folder = model_folder_of(json);
    const char *end = is_out(model, own_folder) || !path ? json : path;
    char *folder = model_folder_of(end);
    struct output_file file = {.fd = -1};
    struct stat there;
    bool ok = (own_folder && folder) ||
              fail(model->failure, STATUS_SYSTEM, "--json %s: no memory for its folder", json);

    if (ok && lstat(end, &there) == 0 && is_input(model, &there))
        ok = fail(model->failure, STATUS_USAGE, "--json %s: is a file of the input, which would be lost",
                  json);
    for (size_t i = 0; ok && is_out(model, folder) && i < count; i++)
        if (names[i] && strcmp(names[i], model_name_of(end)) == 0)
            ok = fail(model->failure, STATUS_USAGE, "--json %s: is a file of the model in OUT", json);
    ok = ok && model_create_json(model, &file);
    output_file_discard(&file);
    free(path);
    free(own_folder);
    free(folder);
    return ok;
}

static bool check_files(struct model *model)
{
    const size_t first = model->shard_count + 2, count = first + model->copies.count;
    const char **names = calloc(count, sizeof *names);
    bool ok =
        names ? check_folders(model) : fail(model->failure, STATUS_SYSTEM, "no memory for %zu names", count);

    for (size_t i = 0; ok && i < model->shard_count; i++)
        names[i] = model->shards[i].name;
    if (ok && model->index_path)
        names[first - 2] = model_name_of(model->index_path);
    if (ok && model->config)
        names[first - 1] = "config.json";
    for (size_t i = 0; ok && i < model->copies.count; i++)
        names[first + i] = model_name_of(model->copies.list[i]);
    for (size_t i = 0; ok && i < count; i++)
        ok = !names[i] || check_file(model, names[i]);
    ok = ok && (!model->options.json_path || check_json(model, names, count));
    free(names);
    return ok;
}

/* The folders of the input say who may enter OUT. */
static mode_t folder_mode(const struct model *model)
{
    mode_t mode = 0777;

    for (size_t i = 0; i < model->shard_count; i++) {
        char *folder = model_folder_of(model->shards[i].path);
        struct stat info;

        mode &= folder && stat(folder, &info) == 0 ? info.st_mode : 0;
        free(folder);
    }
    return mode | S_IRWXU;
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
    *made = mkdir(path, folder_mode(model)) == 0;
    return *made || errno == EEXIST || /* another run has made it meanwhile */
           fail(model->failure, STATUS_SYSTEM, "-o %s: cannot be made: %s", path, strerror(errno));
}

bool model_open_out(struct model *model)
{
    bool made = false;
    const bool ok = make_folder(model, &made) && model_lock_out(model) && check_files(model);

    if (ok && model->options.shards.count == 0) /* else other machines write there */
        output_file_sweep(model->options.out_path);
    else if (!ok && made)
        rmdir(model->options.out_path);
    return ok;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A folder as the input: its model, and the small files beside it that readers of OUT want, too. */
#include "model.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const copied[] = {"tokenizer*",     "*tokens*.json",
                                     "vocab*",         "merges*",
                                     "*.tiktoken",     "spiece.model",
                                     "sentencepiece*", "chat_template*",
                                     "*.jinja",        "generation_config.json",
                                     "*.py",           "*processor*.json",
                                     "LICENSE*",       "NOTICE*",
                                     "README*",        NULL};
static const char *const never[] = {"*.safetensors", "*.index.json", "*.bin", "*.pt", NULL};

static bool is_one_of(const char *const *globs, const char *name)
{
    for (; *globs; globs++)
        if (fnmatch(*globs, name, FNM_PERIOD) == 0)
            return true;
    return false;
}

static bool is_folder(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool model_enter_folder(struct model *model)
{
    static const char *const names[] = {"model.safetensors", "model.safetensors.index.json"};
    struct model_options *options = &model->options;
    const char *folder = NULL;
    char *paths[2] = {NULL, NULL};
    bool there[2] = {false, false}, ok = true;

    for (size_t i = 0; i < options->in.count; i++)
        folder = is_folder(options->in.list[i]) ? options->in.list[i] : folder;
    if (!folder)
        return true;
    if (options->in.count > 1)
        return fail(model->failure, STATUS_USAGE, "%s: is a folder, and %zu inputs are given; give it alone",
                    folder, options->in.count);
    for (size_t i = 0; i < 2; i++) {
        paths[i] = model_join(folder, names[i]);
        ok = ok && paths[i];
        there[i] = ok && access(paths[i], F_OK) == 0;
    }
    if (!ok)
        fail(model->failure, STATUS_SYSTEM, "%s: no memory for its files", folder);
    else if (there[0] == there[1])
        ok = fail(model->failure, STATUS_REFUSED, "%s: has %s %s %s %s; give the file that is meant", folder,
                  there[0] ? "both" : "neither", names[0], there[0] ? "and" : "nor", names[1]);
    if (ok) {
        model->folder = folder;
        model->found_path = paths[there[1]];
        options->in.list[0] = model->found_path;
        paths[there[1]] = NULL;
    }
    free(paths[0]);
    free(paths[1]);
    return ok;
}

static bool add(struct model *model, const char *name)
{
    char *path = model_join(model->folder, name);
    struct stat info;

    if (path && (stat(path, &info) != 0 || !S_ISREG(info.st_mode))) {
        free(path);
        return true;
    }
    if (path && access(path, R_OK) != 0) {
        fail(model->failure, STATUS_REFUSED, "%s: %s; --no-copy leaves such files out", path,
             strerror(errno));
        free(path);
        return false;
    }
    return model_list_add(&model->copies, path) ||
           fail(model->failure, STATUS_SYSTEM, "%s: no memory for its files", model->folder);
}

bool model_find_copies(struct model *model)
{
    DIR *entries = model->folder && !model->options.no_copy ? opendir(model->folder) : NULL;
    const struct dirent *entry = NULL;
    bool ok = true;

    while (ok && entries && (entry = readdir(entries)))
        if (is_one_of(copied, entry->d_name) && !is_one_of(never, entry->d_name))
            ok = add(model, entry->d_name);
    if (entries)
        closedir(entries);
    model_list_sort(&model->copies);
    return ok;
}

bool model_copy_files(struct model *model)
{
    bool ok = true;

    for (size_t i = 0; ok && i < model->copies.count; i++) {
        size_t size_bytes = 0;
        char *text = model_read_text(model->copies.list[i], &size_bytes, model->failure);

        ok = text && model_put(model, model->copies.list[i], text, size_bytes);
        free(text);
    }
    return ok;
}

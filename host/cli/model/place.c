/* SPDX-License-Identifier: Apache-2.0 */
/* Files of OUT: each as private as the file of the input that it comes from, and no link in its place is
 * followed, for it may lead to a file of another model. */
#include "model.h"

#include <stdlib.h>
#include <sys/stat.h>

/* Who cannot enter the folder of the input cannot read its files, whatever their own permissions are. */
mode_t model_mode_of(const char *path)
{
    char *folder = model_folder_of(path);
    struct stat file, around;
    mode_t mode = 0600;

    if (folder && stat(path, &file) == 0 && stat(folder, &around) == 0)
        mode |= file.st_mode & 0777 &
                (mode_t)((around.st_mode & S_IXGRP ? 0070 : 0) | (around.st_mode & S_IXOTH ? 0007 : 0));
    free(folder);
    return mode;
}

bool model_create(struct model *model, struct output_file *file, const char *path, const char *source)
{
    return output_file_replace(file, "-o", path, model_mode_of(source), model->failure);
}

bool model_put(struct model *model, const char *source, const void *bytes, size_t size_bytes)
{
    struct output_file file = {.fd = -1};
    char *path = model_join(model->options.out_path, model_name_of(source));
    const bool ok = (path || fail(model->failure, STATUS_SYSTEM, "%s: no memory for its copy", source)) &&
                    model_create(model, &file, path, source) &&
                    output_file_write(&file, bytes, size_bytes, model->failure) &&
                    output_file_commit(&file, model->failure);

    output_file_discard(&file);
    free(path);
    return ok;
}

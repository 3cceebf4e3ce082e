/* SPDX-License-Identifier: Apache-2.0 */
/* One shard of OUT, whole or not at all. */
#include "stream.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static bool quantizes(const struct model_shard *shard)
{
    for (size_t t = 0; t < shard->tensor_count; t++)
        if (shard->tensors[t].quantized)
            return true;
    return false;
}

/* The input's time says which state of it the shard was made of. It is set once the shard has its name, for
 * the private file is to be known as a new one. */
static bool commit(struct model *model, const struct model_shard *shard, struct output_file *out)
{
    const struct timespec times[] = {{.tv_nsec = UTIME_OMIT}, shard->file.modified};
    const int fd = fcntl(out->fd, F_DUPFD_CLOEXEC, 0);
    const bool ok = output_file_commit(out, model->failure);

    if (ok && fd >= 0)
        futimens(fd, times);
    if (fd >= 0)
        close(fd);
    return ok;
}

static bool is_unchanged(const struct model *model, const struct model_shard *shard)
{
    const struct safetensors *file = &shard->file;
    struct stat now;

    return (fstat(file->fd, &now) == 0 && now.st_mtim.tv_sec == file->modified.tv_sec &&
            now.st_mtim.tv_nsec == file->modified.tv_nsec) ||
           fail(model->failure, STATUS_SYSTEM, "%s: was written to while it was read", shard->path);
}

static bool keeps(struct model_shard *shard)
{
    shard->was_there = model_is_there(shard);
    return shard->was_there;
}

bool model_write_shard(struct model *model, struct model_shard *shard)
{
    struct output_file out = {.fd = -1};
    bool ok = false;

    if (shard->left_out)
        return true;
    if (keeps(shard)) {
        model_show(model, shard, shard->file.data_bytes);
        return true;
    }
    ok = (!quantizes(shard) || model->context || model_open_device(model)) &&
         model_create(model, &out, shard->out_path, shard->path) && model_stream(model, shard, &out) &&
         is_unchanged(model, shard) && model_write_header(shard, &out, model->failure) &&
         (keeps(shard) || /* another run has made it meanwhile */
          (model_uncover(model) && commit(model, shard, &out)));
    output_file_discard(&out);
    return ok;
}

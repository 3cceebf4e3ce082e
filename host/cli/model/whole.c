/* SPDX-License-Identifier: Apache-2.0 */
/* OUT is of one run. Its index and config.json say what all of its shards are: they go before a shard takes
 * the place of one of other options, and come when all shards are of this run. Runs of one machine are kept
 * apart by a lock on the folder, which not every file system has. */
#include "model.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* With --shard several runs share OUT. A run for all shards comes behind those, and never beside another. */
bool model_lock_out(struct model *model)
{
    const char *path = model->options.out_path;
    const bool shares = model->options.shards.count > 0;
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    model->out_fd = fd;
    if (fd < 0 || flock(fd, (shares ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return true;
    if (shares || flock(fd, LOCK_SH | LOCK_NB) != 0)
        return fail(model->failure, STATUS_SYSTEM,
                    "-o %s: another run writes there: wait for its end, or give another folder", path);
    complain("-o %s: runs with --shard write there, and this one waits for their end", path);
    while (flock(fd, LOCK_EX) != 0 && errno == EINTR)
        continue;
    return true;
}

/* Whether a text in OUT was made by a run, which is what the word says. */
static bool holds(const struct model *model, const char *name, const char *word)
{
    struct failure ignored = {.status = STATUS_DONE};
    char *path = model_join(model->options.out_path, name);
    size_t size_bytes = 0;
    char *text = path ? model_read_text(path, &size_bytes, &ignored) : NULL;
    const bool found = text && memmem(text, size_bytes, word, strlen(word));

    free(text);
    free(path);
    return found;
}

bool model_describes_out(const struct model *model, const char *name)
{
    if (strcmp(name, "config.json") == 0)
        return model->config || holds(model, name, "\"quantization_config\"");
    return (model->index_path && strcmp(name, model_name_of(model->index_path)) == 0) ||
           (model_has_end(name, ".index.json") && holds(model, name, "\"clquant\""));
}

bool model_uncover(struct model *model)
{
    const char *path = model->options.out_path;
    DIR *entries = NULL;
    const struct dirent *entry = NULL;
    bool ok = true;

    if (model->is_uncovered)
        return true;
    entries = opendir(path);
    if (!entries)
        return fail(model->failure, STATUS_SYSTEM, "-o %s: cannot be read: %s", path, strerror(errno));
    while (ok && (entry = readdir(entries)))
        if (model_describes_out(model, entry->d_name) && unlinkat(dirfd(entries), entry->d_name, 0) != 0 &&
            errno != ENOENT)
            ok = fail(model->failure, STATUS_SYSTEM, "%s/%s: cannot be removed: %s", path, entry->d_name,
                      strerror(errno));
    closedir(entries);
    model->is_uncovered = ok && output_file_sync_names(model->shards[0].out_path, model->failure);
    return model->is_uncovered;
}

bool model_check_whole(struct model *model)
{
    for (size_t i = 0; i < model->shard_count; i++)
        if (!model_has_header(&model->shards[i]))
            return fail(model->failure, STATUS_SYSTEM,
                        "%s: another run has written there meanwhile; the same command again makes what is "
                        "missing",
                        model->shards[i].out_path);
    return true;
}

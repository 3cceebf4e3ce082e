/* SPDX-License-Identifier: Apache-2.0 */
/* Paths, and small files that are read whole. */
#include "model.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = SAFETENSORS_MAX_HEADER_BYTES };

char *model_join(const char *folder, const char *name)
{
    char *path = malloc(strlen(folder) + strlen(name) + 2);

    if (path)
        stpcpy(stpcpy(stpcpy(path, folder), "/"), name);
    return path;
}

char *model_folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash)
        return strdup(".");
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

const char *model_name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static char *read_whole(int fd, const char *path, size_t size_bytes, struct failure *failure)
{
    char *text = malloc(size_bytes + 1);
    size_t have = 0;

    if (!text) {
        fail(failure, STATUS_SYSTEM, "%s: no memory for its %zu bytes", path, size_bytes);
        return NULL;
    }
    while (have < size_bytes) {
        const ssize_t got = read(fd, text + have, size_bytes - have);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            fail(failure, STATUS_SYSTEM, "%s: cannot be read: %s", path,
                 got < 0 ? strerror(errno) : "it was cut while it was read");
            free(text);
            return NULL;
        }
        have += (size_t)got;
    }
    text[size_bytes] = '\0';
    return text;
}

char *model_read_text(const char *path, size_t *size_bytes, struct failure *failure)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat info;
    char *text = NULL;

    if (fd < 0) {
        fail(failure, STATUS_REFUSED, "%s: %s", path, strerror(errno));
        return NULL;
    }
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
        fail(failure, STATUS_REFUSED, "%s: is not a regular file", path);
    else if (info.st_size > MOST_BYTES)
        fail(failure, STATUS_REFUSED, "%s: has %jd bytes, more than %d: not read", path,
             (intmax_t)info.st_size, MOST_BYTES);
    else
        text = read_whole(fd, path, (size_t)info.st_size, failure);
    *size_bytes = text ? (size_t)info.st_size : 0;
    close(fd);
    return text;
}

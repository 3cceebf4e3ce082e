/* SPDX-License-Identifier: Apache-2.0 */
/* Paths and lists of them, and small files that are read whole. */
#include "model.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
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

void model_list_clear(struct model_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->list[i]);
    free(list->list);
    *list = (struct model_list){0};
}

bool model_list_add(struct model_list *list, char *text)
{
    char **more = text ? realloc(list->list, (list->count + 1) * sizeof *more) : NULL;

    if (!more) {
        free(text);
        return false;
    }
    list->list = more;
    list->list[list->count++] = text;
    return true;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void model_list_sort(struct model_list *list)
{
    if (list->count > 0)
        qsort(list->list, list->count, sizeof *list->list, by_text);
}

void model_list_print(const struct model_list *list, const char *what)
{
    if (list->count == 0)
        return;
    printf("%s:", what);
    for (size_t i = 0; i < list->count; i++) {
        char *name = list->list[i] + (model_name_of(list->list[i]) - list->list[i]);

        tame(name);
        printf("%s %s", i == 0 ? "" : ",", name);
    }
    printf("\n");
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

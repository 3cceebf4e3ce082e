/* SPDX-License-Identifier: Apache-2.0 */
/* Keeping the disk cache within its limit. */
#include "runtime/disk.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifdef __APPLE__
#define st_mtim st_mtimespec
#endif

#define STALE_SECONDS 3600 /* a temporary file older than this has no writer any more */

struct found {
    char name[256];
    struct timespec used;
    size_t bytes;
};

static bool ends_with(const char *text, const char *suffix)
{
    const size_t length = strlen(text), end = strlen(suffix);

    return length >= end && strcmp(text + length - end, suffix) == 0;
}

static int by_use(const void *a, const void *b)
{
    const struct found *x = a, *y = b;

    if (x->used.tv_sec != y->used.tv_sec)
        return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    return x->used.tv_nsec < y->used.tv_nsec ? -1 : x->used.tv_nsec > y->used.tv_nsec;
}

/* The entries of the directory; stale temporary files are removed on the way. */
static struct found *list(DIR *stream, size_t *count)
{
    struct found *all = NULL;
    size_t room = 0;
    const time_t now = time(NULL);

    *count = 0;
    for (struct dirent *item = readdir(stream); item != NULL; item = readdir(stream)) {
        struct stat info;

        if (fstatat(dirfd(stream), item->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(info.st_mode))
            continue;
        if (strncmp(item->d_name, ".new-", 5) == 0 && now - info.st_mtime > STALE_SECONDS)
            unlinkat(dirfd(stream), item->d_name, 0);
        if (!ends_with(item->d_name, CLQ__ENTRY_SUFFIX))
            continue;
        if (*count == room) {
            struct found *grown = realloc(all, (2 * room + 64) * sizeof *all);

            if (grown == NULL)
                break;
            all = grown;
            room = 2 * room + 64;
        }
        strcpy(all[*count].name, item->d_name); /* d_name is no longer than name */
        all[*count].used = info.st_mtim;
        all[*count].bytes = (size_t)info.st_size;
        (*count)++;
    }
    return all;
}

void clq__disk_trim(const char *directory, size_t limit_bytes)
{
    const char *reason;
    const int fd = clq__disk_open(directory, &reason);
    DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
    struct found *all = NULL;
    size_t count = 0, total = 0;

    if (stream == NULL) {
        if (fd >= 0)
            close(fd);
        return;
    }
    all = list(stream, &count);
    for (size_t i = 0; i < count; i++)
        total += all[i].bytes;
    if (total > limit_bytes)
        qsort(all, count, sizeof *all, by_use);
    for (size_t i = 0; i < count && total > limit_bytes; i++) {
        unlinkat(dirfd(stream), all[i].name, 0);
        total -= all[i].bytes;
    }
    free(all);
    closedir(stream);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* clquant cache list, clear: the kernels that are kept on disk. */
#include "cache.h"

#include <clquant/context.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char entry_suffix[] = ".clqbin"; /* a finished entry */
static const char writing_prefix[] = ".new-"; /* one that is being written, or was when its writer died */

struct totals {
    size_t entries;
    uint64_t size_bytes;
    bool failed; /* an entry stays that should go */
};

typedef void (*visitor)(DIR *directory, const struct dirent *entry, const struct stat *info,
                        struct totals *totals);

static bool is_entry(const char *name)
{
    const size_t length = strlen(name);
    const size_t suffix = sizeof entry_suffix - 1;

    return length > suffix && strcmp(name + length - suffix, entry_suffix) == 0;
}

static void count(const struct stat *info, struct totals *totals)
{
    totals->entries++;
    totals->size_bytes += (uint64_t)info->st_size;
}

static void print_entry(DIR *directory, const struct dirent *entry, const struct stat *info,
                        struct totals *totals)
{
    struct tm used;
    char when[32] = "?";

    (void)directory;
    if (!is_entry(entry->d_name))
        return;
    if (localtime_r(&info->st_mtime, &used))
        strftime(when, sizeof when, "%Y-%m-%d %H:%M", &used);
    printf("%10jd bytes  last used %s  %s\n", (intmax_t)info->st_size, when, entry->d_name);
    count(info, totals);
}

static void remove_entry(DIR *directory, const struct dirent *entry, const struct stat *info,
                         struct totals *totals)
{
    const bool ours =
        is_entry(entry->d_name) || strncmp(entry->d_name, writing_prefix, sizeof writing_prefix - 1) == 0;

    if (!ours)
        return;
    if (unlinkat(dirfd(directory), entry->d_name, 0) == 0) {
        count(info, totals);
    } else if (errno != ENOENT) { /* another process may have removed it */
        complain("%s: cannot be removed: %s", entry->d_name, strerror(errno));
        totals->failed = true;
    }
}

static int for_each(const char *path, visitor visit, struct totals *totals)
{
    DIR *directory = opendir(path);
    const struct dirent *entry = NULL;

    if (!directory && errno == ENOENT)
        return STATUS_DONE;
    if (!directory) {
        complain("%s: cannot be read: %s", path, strerror(errno));
        return STATUS_SYSTEM;
    }
    while ((entry = readdir(directory))) {
        struct stat info;

        if (fstatat(dirfd(directory), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(info.st_mode))
            visit(directory, entry, &info, totals);
    }
    closedir(directory);
    return totals->failed ? STATUS_SYSTEM : STATUS_DONE;
}

static int on_directory(const char *path, bool clear)
{
    struct totals totals = {0};
    int status = STATUS_DONE;

    status = for_each(path, clear ? remove_entry : print_entry, &totals);
    if (status == STATUS_DONE)
        printf("%s: %zu entries, %.1f MiB%s\n", path, totals.entries, (double)totals.size_bytes / (1 << 20),
               clear ? ", removed" : "");
    return status;
}

static int on_default(bool clear)
{
    char path[PATH_MAX];

    if (clq_cache_directory(path, sizeof path) == CLQ_OK)
        return on_directory(path, clear);
    printf("there is no cache directory: %s\n", clq_error_detail());
    return STATUS_DONE;
}

int cache_list(void)
{
    return on_default(false);
}

int cache_clear(void)
{
    return on_default(true);
}

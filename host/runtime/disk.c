/* SPDX-License-Identifier: Apache-2.0 */
/* The disk cache's files. A writer fills a private temporary name and renames it: a reader sees an old entry
 * or a new one, never a part. There is no fsync: after a power cut an entry may be short, which its checksum
 * finds. */
#include "runtime/disk.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAX_ENTRY_BYTES (256u << 20)

/* An unset variable and an empty one are the same. */
static const char *environment_of(const char *name)
{
    const char *value = getenv(name);

    return value != NULL && *value != '\0' ? value : NULL;
}

char *clq__disk_directory(const char *wished, bool environment)
{
    const char *base = wished != NULL && *wished != '\0' ? wished : NULL, *below = "";
    char path[PATH_MAX], here[PATH_MAX];
    struct clq__text text = clq__text(path, sizeof path);

    if (base == NULL && environment)
        base = environment_of("CLQ_CACHE_DIR");
    if (base == NULL && environment) {
        base = environment_of("XDG_CACHE_HOME");
        below = "/clquant";
        if (base != NULL && *base != '/') /* its specification says to ignore a relative one */
            base = NULL;
    }
    if (base == NULL && environment) {
        base = environment_of("HOME");
        below = "/.cache/clquant";
    }
    if (base == NULL)
        return NULL;
    if (*base != '/') { /* of where the process is now: what it trusts must not change as it goes elsewhere */
        if (getcwd(here, sizeof here) == NULL)
            return NULL;
        clq__text_add(&text, here);
        clq__text_add(&text, "/");
    }
    clq__text_add(&text, base);
    clq__text_add(&text, below);
    return text.full ? NULL : strdup(path);
}

/* NULL, or the reason not to trust what is open there: somebody else may have written it. */
static const char *distrust(int fd, struct stat *info)
{
    return fstat(fd, info) != 0                  ? strerror(errno)
           : info->st_uid != geteuid()           ? "it belongs to another user"
           : info->st_mode & (S_IWGRP | S_IWOTH) ? "others can write to it"
                                                 : NULL;
}

/* By the path alone another directory may be there by the next call: each asks the one that it has opened. */
int clq__disk_open(const char *directory, const char **reason)
{
    const int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat info;

    *reason = fd < 0 ? strerror(errno) : distrust(fd, &info);
    if (fd < 0 || *reason == NULL)
        return fd;
    close(fd);
    errno = EPERM;
    return -1;
}

/* mkdir -p, each missing part private to its owner. */
static void make_directories(const char *directory)
{
    char *path = strdup(directory);

    for (char *slash = path; slash != NULL;) {
        slash = strchr(slash + 1, '/');
        if (slash != NULL)
            *slash = '\0';
        mkdir(path, 0700);
        if (slash != NULL)
            *slash = '/';
    }
    free(path);
}

bool clq__disk_prepare(const char *directory, const char **reason)
{
    int fd = clq__disk_open(directory, reason);

    if (fd < 0 && errno == ENOENT) {
        make_directories(directory);
        fd = clq__disk_open(directory, reason);
    }
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static bool read_all(int fd, unsigned char *data, size_t size)
{
    size_t done = 0;

    while (done < size) {
        const ssize_t got = read(fd, data + done, size - done);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

static bool write_all(int fd, const unsigned char *data, size_t size)
{
    size_t done = 0;

    while (done < size) {
        const ssize_t put = write(fd, data + done, size - done);

        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        done += (size_t)put;
    }
    return true;
}

static bool file_name(const char *name, char *file, size_t size)
{
    struct clq__text text = clq__text(file, size);

    clq__text_add(&text, name);
    clq__text_add(&text, CLQ__ENTRY_SUFFIX);
    return !text.full;
}

int clq__disk_get(const char *directory, const char *name, void **data, size_t *size_bytes)
{
    int result = -1, fd = -1;
    char file[NAME_MAX];
    const char *reason;
    struct stat info;
    unsigned char *bytes = NULL;
    const int at = clq__disk_open(directory, &reason);

    if (at < 0 || !file_name(name, file, sizeof file))
        goto end;
    fd = openat(at, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || distrust(fd, &info) != NULL || !S_ISREG(info.st_mode) || info.st_size <= 0 ||
        info.st_size > (off_t)MAX_ENTRY_BYTES)
        goto end;
    bytes = malloc((size_t)info.st_size);
    if (bytes == NULL || !read_all(fd, bytes, (size_t)info.st_size))
        goto end;
    futimens(fd, NULL); /* the oldest entry is the one that was not used for longest */
    *data = bytes;
    *size_bytes = (size_t)info.st_size;
    bytes = NULL;
    result = 0;
end:
    free(bytes);
    if (fd >= 0)
        close(fd);
    if (at >= 0)
        close(at);
    return result;
}

int clq__disk_put(const char *directory, const char *name, const void *data, size_t size_bytes)
{
    int result = -1, fd = -1;
    char file[NAME_MAX], temporary[NAME_MAX];
    const char *reason;
    const int at = clq__disk_open(directory, &reason);

    if (at < 0 || !file_name(name, file, sizeof file))
        goto end;
    /* the address of a local differs between threads, the number between processes */
    snprintf(temporary, sizeof temporary, ".new-%ld-%p-%s", (long)getpid(), (void *)&result, name);
    fd = openat(at, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        goto end;
    result = write_all(fd, data, size_bytes) ? 0 : -1;
    if (close(fd) != 0) /* some file systems tell only now that there was no room */
        result = -1;
    if (result == 0 && renameat(at, temporary, at, file) != 0)
        result = -1;
    if (result != 0)
        unlinkat(at, temporary, 0);
end:
    if (at >= 0)
        close(at);
    return result;
}

double clq__seconds(void)
{
    struct timespec now = {0};

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

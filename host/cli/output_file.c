/* SPDX-License-Identifier: Apache-2.0 */
/* Private temporary file, fsync, rename; see output_file.h. */
#include "output_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PRIVATE ".clquant-"

enum { LARGE_BYTES = 1 << 18, OLD_SECONDS = 3600 };

/* What a signal handler can reach: the name to remove, empty when there is none. */
static char temporary[PATH_MAX];

/* All other signals end a program that does nothing about them; SIGXFSZ is ignored below. */
static const int harmless[] = {SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH, SIGXFSZ};
/* A driver may need these for its kernels, as PoCL needs SIGFPE. */
static const int faults[] = {SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV};
static bool ignored[NSIG]; /* by the caller */

static void remove_temporary(void)
{
    if (temporary[0])
        unlink(temporary);
}

static void on_signal(int number)
{
    remove_temporary();
    signal(number, SIG_DFL);
    raise(number);
}

static bool is_one_of(const int *numbers, size_t count, int number)
{
    for (size_t i = 0; i < count; i++)
        if (numbers[i] == number)
            return true;
    return false;
}

void output_file_note_signals(void)
{
    struct sigaction given;

    for (int number = 1; number <= SIGRTMAX; number++)
        ignored[number] = sigaction(number, NULL, &given) == 0 && given.sa_handler == SIG_IGN;
    atexit(remove_temporary); /* a driver may end the process */
}

/* A signal that the caller ignores, as nohup does with SIGHUP, stays ignored. A handler that is there is a
 * driver's: LLVM's know nothing of the private file, and make nothing of SIGQUIT and SIGUSR1. */
void output_file_catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    struct sigaction old;

    sigemptyset(&action.sa_mask);
    signal(SIGXFSZ, SIG_IGN); /* a write past the limit then fails with a sentence */
    for (int number = 1; number <= SIGRTMAX; number++)
        if (!ignored[number] && !is_one_of(harmless, sizeof harmless / sizeof *harmless, number) &&
            sigaction(number, NULL, &old) == 0 &&
            (old.sa_handler == SIG_DFL || !is_one_of(faults, sizeof faults / sizeof *faults, number)))
            sigaction(number, &action, NULL);
}

static bool cannot(const struct output_file *file, const char *what, struct failure *failure)
{
    return fail(failure, STATUS_SYSTEM, "%s: cannot be %s: %s", file->path, what, strerror(errno));
}

/* Only a regular file may be replaced: a rename over a device or a directory would destroy it. */
static bool check_place(struct output_file *file, const char *option, const char *path, bool follows,
                        struct failure *failure)
{
    struct stat info;
    size_t length = strlen(path);
    const bool exists = lstat(path, &info) == 0;
    const bool is_link = exists && S_ISLNK(info.st_mode);
    const bool replaces = is_link && !follows;

    if (!exists && errno == ENAMETOOLONG) /* the private name is short: only the rename would fail */
        return fail(failure, STATUS_SYSTEM, "%s: cannot be created: %s", path, strerror(errno));
    if (length == 0 || path[length - 1] == '/')
        return fail(failure, STATUS_USAGE, "%s '%s': a file's name is expected", option, path);
    if (strcmp(path, "-") == 0)
        return fail(
            failure, STATUS_USAGE,
            "%s -: standard output is not possible, because the file is renamed into its place when it is "
            "whole; give a file's name (./- for a file called -)",
            option);
    if (!replaces && stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return fail(failure, STATUS_USAGE, "%s %s: is there already, and is not a regular file", option,
                    path);
    file->path = replaces ? strdup(path) : realpath(path, NULL);
    if (!file->path && is_link && follows)
        return fail(failure, STATUS_USAGE, "%s %s: is a symbolic link that leads to no file: %s", option,
                    path, strerror(errno));
    if (!file->path)
        file->path = strdup(path);
    if (!file->path)
        return fail(failure, STATUS_SYSTEM, "no memory for a path");
    return true;
}

/* The old file's owner, if that may be given, and its permissions; or those of any new file.
 * mkostemp's are private. */
static void give_permissions(int fd, const char *path, mode_t most)
{
    struct stat info;
    mode_t mask = 0;

    if (lstat(path, &info) == 0 && S_ISREG(info.st_mode)) {
        const bool given = fchown(fd, info.st_uid, info.st_gid) == 0;

        (void)given;
        fchmod(fd, info.st_mode & most);
        return;
    }
    mask = umask(0);
    umask(mask);
    fchmod(fd, 0666 & ~mask & most);
}

static bool create_temporary(struct output_file *file, mode_t most, struct failure *failure)
{
    const char *slash = strrchr(file->path, '/');
    const int directory_bytes = slash ? (int)(slash - file->path) + 1 : 0;
    char name[PATH_MAX];

    if ((size_t)snprintf(name, sizeof name, "%.*s" PRIVATE "XXXXXX", directory_bytes, file->path) >=
        sizeof name) {
        errno = ENAMETOOLONG;
        return cannot(file, "created", failure);
    }
    file->fd = mkostemp(name, O_CLOEXEC);
    if (file->fd < 0)
        return cannot(file, "created", failure);
    memcpy(temporary, name, sizeof name);
    flock(file->fd, LOCK_EX | LOCK_NB); /* held until it is closed, and so where the program is killed not */
    give_permissions(file->fd, file->path, most);
    return true;
}

static bool create(struct output_file *file, const char *option, const char *path, bool follows, mode_t most,
                   struct failure *failure)
{
    sigset_t all;
    sigset_t before;
    bool ok = false;

    *file = (struct output_file){.fd = -1};
    if (!check_place(file, option, path, follows, failure)) {
        output_file_discard(file);
        return false;
    }
    output_file_catch_signals();
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    ok = create_temporary(file, most, failure);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (!ok)
        output_file_discard(file);
    return ok;
}

bool output_file_create(struct output_file *file, const char *option, const char *path,
                        struct failure *failure)
{
    return create(file, option, path, true, 0777, failure);
}

bool output_file_replace(struct output_file *file, const char *option, const char *path, mode_t most,
                         struct failure *failure)
{
    return create(file, option, path, false, most, failure);
}

bool output_file_write(struct output_file *file, const void *bytes, size_t size_bytes,
                       struct failure *failure)
{
    const char *from = bytes;

    while (size_bytes > 0) {
        ssize_t put = write(file->fd, from, size_bytes);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return cannot(file, "written", failure);
        from += put;
        size_bytes -= (size_t)put;
    }
    return true;
}

bool output_file_write_at(struct output_file *file, uint64_t position, const void *bytes, size_t size_bytes,
                          struct failure *failure)
{
    const char *from = bytes;
    const off_t first = (off_t)position;
    const off_t whole = (off_t)size_bytes;

    while (size_bytes > 0) {
        ssize_t put = pwrite(file->fd, from, size_bytes, (off_t)position);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return cannot(file, "written", failure);
        from += put;
        position += (uint64_t)put;
        size_bytes -= (size_t)put;
    }
    if (whole >= LARGE_BYTES) /* on its way to the disk, so that the end waits for little */
        sync_file_range(file->fd, first, whole, SYNC_FILE_RANGE_WRITE);
    return true;
}

static void sweep_one(int folder, const char *name)
{
    const int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat info;

    if (fd < 0)
        return;
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_mtim.tv_sec < time(NULL) - OLD_SECONDS &&
        flock(fd, LOCK_EX | LOCK_NB) == 0)
        unlinkat(folder, name, 0);
    close(fd);
}

void output_file_sweep(const char *folder)
{
    DIR *entries = opendir(folder);
    const struct dirent *entry = NULL;

    while (entries && (entry = readdir(entries)))
        if (strncmp(entry->d_name, PRIVATE, strlen(PRIVATE)) == 0 &&
            strlen(entry->d_name) == strlen(PRIVATE "XXXXXX"))
            sweep_one(dirfd(entries), entry->d_name);
    if (entries)
        closedir(entries);
}

const char *output_file_private_name(void)
{
    return temporary;
}

/* File systems that sync no directory say so in several ways. */
bool output_file_sync_names(const char *path, struct failure *failure)
{
    const char *slash = strrchr(path, '/');
    char name[PATH_MAX];
    const int directory_bytes = slash ? (int)(slash - path) + 1 : 0;
    int fd = -1;
    bool ok = true;

    snprintf(name, sizeof name, "%.*s.", directory_bytes, path);
    fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0 && fsync(fd) != 0 && errno == EIO)
        ok = fail(failure, STATUS_SYSTEM, "%s: its folder cannot be synced: %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    return ok;
}

/* Closed behind the rename: until then another run's sweep must find the lock held. */
bool output_file_commit(struct output_file *file, struct failure *failure)
{
    bool ok = false;

    if (fsync(file->fd) != 0)
        return cannot(file, "written", failure);
    if (rename(temporary, file->path) != 0)
        return cannot(file, "put into place", failure);
    temporary[0] = '\0';
    ok = output_file_sync_names(file->path, failure);
    output_file_discard(file);
    return ok;
}

void output_file_discard(struct output_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    remove_temporary();
    temporary[0] = '\0';
    free(file->path);
    *file = (struct output_file){.fd = -1};
}

bool output_file_possible(const char *option, const char *path, struct failure *failure)
{
    struct output_file file;
    const bool possible = output_file_create(&file, option, path, failure);

    output_file_discard(&file);
    return possible;
}

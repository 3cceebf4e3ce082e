/* SPDX-License-Identifier: Apache-2.0 */
/* The system calls and allocations of the library, through the linker's --wrap. What a failing call would
 * have released (close, closedir) is released all the same, as the kernel does. */
#include "inject.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_long blocks, files;

long inject_live_blocks(void)
{
    return atomic_load(&blocks);
}

long inject_live_files(void)
{
    return atomic_load(&files);
}

static bool fails(const char *name, int error)
{
    if (!inject_here(error == ENOMEM ? FAULT_MEMORY : FAULT_FILE, name, NULL))
        return false;
    errno = error;
    return true;
}

static void *counted(void *block)
{
    if (block != NULL)
        atomic_fetch_add(&blocks, 1);
    return block;
}

static int opened(int fd)
{
    if (fd >= 0)
        atomic_fetch_add(&files, 1);
    return fd;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
char *__real_strdup(const char *text);
void __real_free(void *block);
int __real_open(const char *path, int flags, ...);
int __real_openat(int at, const char *path, int flags, ...);
int __real_close(int fd);
DIR *__real_fdopendir(int fd);
int __real_closedir(DIR *stream);
int __real_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);

void *__wrap_malloc(size_t size)
{
    return fails("malloc", ENOMEM) ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails("calloc", ENOMEM) ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *block, size_t size)
{
    if (fails("realloc", ENOMEM))
        return NULL;
    return block == NULL ? counted(__real_realloc(NULL, size)) : __real_realloc(block, size);
}

char *__wrap_strdup(const char *text)
{
    return fails("strdup", ENOMEM) ? NULL : counted(__real_strdup(text));
}

void __wrap_free(void *block)
{
    if (block != NULL)
        atomic_fetch_sub(&blocks, 1);
    __real_free(block);
}

static int permission_of(int flags, va_list arguments)
{
    return flags & O_CREAT ? va_arg(arguments, int) : 0;
}

int __wrap_open(const char *path, int flags, ...)
{
    va_list arguments;
    int permission;

    va_start(arguments, flags);
    permission = permission_of(flags, arguments);
    va_end(arguments);
    return fails("open", EMFILE) ? -1 : opened(__real_open(path, flags, permission));
}

int __wrap_openat(int at, const char *path, int flags, ...)
{
    va_list arguments;
    int permission;

    va_start(arguments, flags);
    permission = permission_of(flags, arguments);
    va_end(arguments);
    return fails("openat", EMFILE) ? -1 : opened(__real_openat(at, path, flags, permission));
}

int __wrap_close(int fd)
{
    const int result = __real_close(fd);

    if (result == 0)
        atomic_fetch_sub(&files, 1);
    return fails("close", EIO) ? -1 : result;
}

DIR *__wrap_fdopendir(int fd) /* which closedir closes */
{
    return fails("fdopendir", EMFILE) ? NULL : __real_fdopendir(fd);
}

int __wrap_closedir(DIR *stream)
{
    atomic_fetch_sub(&files, 1);
    return __real_closedir(stream);
}

int __wrap_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    if (inject_here(FAULT_MUTEX, "pthread_mutex_init", NULL))
        return EAGAIN;
    return __real_pthread_mutex_init(mutex, attributes);
}

/* Calls that own nothing. */
#define PLAIN(type, name, error, parameters, arguments)                                                      \
    type __real_##name parameters;                                                                           \
    type __wrap_##name parameters                                                                            \
    {                                                                                                        \
        return fails(#name, error) ? -1 : __real_##name arguments;                                           \
    }
PLAIN(ssize_t, read, EIO, (int fd, void *data, size_t size), (fd, data, size))
PLAIN(ssize_t, write, ENOSPC, (int fd, const void *data, size_t size), (fd, data, size))
PLAIN(int, mkdir, EACCES, (const char *path, mode_t mode), (path, mode))
PLAIN(int, fstat, EIO, (int fd, struct stat *info), (fd, info))
PLAIN(int, fstatat, EIO, (int at, const char *path, struct stat *info, int flags), (at, path, info, flags))
PLAIN(int, futimens, EROFS, (int fd, const struct timespec times[2]), (fd, times))
PLAIN(int, renameat, EIO, (int from, const char *old, int to, const char *new), (from, old, to, new))
PLAIN(int, unlinkat, EIO, (int at, const char *path, int flags), (at, path, flags))

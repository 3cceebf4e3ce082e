/* SPDX-License-Identifier: Apache-2.0 */
/* Plain file work, apart from the library's own. */
#include "files.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void files_remove(const char *path)
{
    char below[PATH_MAX];
    DIR *stream = unlink(path) == 0 ? NULL : opendir(path);

    for (struct dirent *item = stream ? readdir(stream) : NULL; item != NULL; item = readdir(stream)) {
        if (strcmp(item->d_name, ".") == 0 || strcmp(item->d_name, "..") == 0)
            continue;
        snprintf(below, sizeof below, "%s/%s", path, item->d_name);
        files_remove(below);
    }
    if (stream != NULL)
        closedir(stream);
    rmdir(path);
}

int files_count(const char *directory, const char *suffix, char *path)
{
    DIR *stream = opendir(directory);
    int count = 0;

    for (struct dirent *item = stream ? readdir(stream) : NULL; item != NULL; item = readdir(stream)) {
        const size_t length = strlen(item->d_name), end = strlen(suffix);

        if (item->d_type == DT_DIR || length < end || strcmp(item->d_name + length - end, suffix) != 0)
            continue;
        if (path != NULL)
            snprintf(path, PATH_MAX, "%s/%s", directory, item->d_name);
        count++;
    }
    if (stream != NULL)
        closedir(stream);
    return count;
}

unsigned char *files_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    unsigned char *data = NULL;
    struct stat info;

    if (file != NULL && fstat(fileno(file), &info) == 0 && (data = malloc((size_t)info.st_size + 1)) != NULL)
        *size = fread(data, 1, (size_t)info.st_size, file);
    if (file != NULL)
        fclose(file);
    return data;
}

bool files_write(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    const bool written = file != NULL && fwrite(data, 1, size, file) == size;

    return file != NULL && fclose(file) == 0 && written;
}

bool files_age(const char *path, long seconds)
{
    struct timespec times[2];

    clock_gettime(CLOCK_REALTIME, &times[0]);
    times[0].tv_sec -= seconds;
    times[1] = times[0];
    return utimensat(AT_FDCWD, path, times, 0) == 0;
}

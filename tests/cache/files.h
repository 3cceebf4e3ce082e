/* SPDX-License-Identifier: Apache-2.0 */
/* Scratch directories and files of the cache tests. */
#ifndef CLQUANT_CACHE_FILES_H
#define CLQUANT_CACHE_FILES_H

#include <stdbool.h>
#include <stddef.h>

/* Removes a file or a directory with all that is in it. */
void files_remove(const char *path);

/* How many names of the directory end so; the last of them in path, where it is not NULL. */
int files_count(const char *directory, const char *suffix, char *path);

/* The whole file, malloc'ed, and a byte more; NULL where it cannot be read. */
unsigned char *files_read(const char *path, size_t *size);
bool files_write(const char *path, const void *data, size_t size);

/* Makes the file seem unused for that long. */
bool files_age(const char *path, long seconds);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of the binary cache as files: one a name, in a directory that only its owner can write to.
 * Everything here may fail without harm: the kernel is then built from source. */
#ifndef CLQ_RUNTIME_DISK_H
#define CLQ_RUNTIME_DISK_H

#include <stdbool.h>
#include <stddef.h>

#define CLQ__ENTRY_SUFFIX ".clqbin"

/* The directory by the rules of context.h, malloc'ed; NULL where there is none. */
char *clq__disk_directory(const char *wished, bool environment);

/* The directory, where this user owns it and nobody else can write to it; -1, with the reason and errno,
 * where that is not. */
int clq__disk_open(const char *directory, const char **reason);

/* Makes the directory where it is missing. False, with the reason, where it cannot be trusted or used. */
bool clq__disk_prepare(const char *directory, const char **reason);

/* As clq_cache_get and clq_cache_put. A put is whole or not at all, also when several processes put at once.
 */
int clq__disk_get(const char *directory, const char *name, void **data, size_t *size_bytes);
int clq__disk_put(const char *directory, const char *name, const void *data, size_t size_bytes);

/* Removes the oldest entries until the rest is within the limit, and what killed writers left behind. */
void clq__disk_trim(const char *directory, size_t limit_bytes);

/* The system's seconds since some moment. C's own clock is not in every Windows. */
double clq__seconds(void);

#endif

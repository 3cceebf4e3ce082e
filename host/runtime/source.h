/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel sources: the files of cl/, embedded at build time, with their #includes resolved. */
#ifndef CLQ_RUNTIME_SOURCE_H
#define CLQ_RUNTIME_SOURCE_H

#include <clquant/status.h>
#include <stddef.h>
#include <stdint.h>

/* cl/embed.cmake writes the table: every .cl, .clh and args header, by its path below cl/. */
struct clq__file {
    const char *name;
    const unsigned char *data;
    size_t size_bytes;
};
extern const struct clq__file clq__files[];
extern const size_t clq__num_files;
/* The text of cl/variants.txt. */
extern const char clq__variants[];

/* The whole text of a kernel file, each include once, with #line directives, so that a build log names file
 * and line. *source is malloc'ed and NUL-terminated. CLQ_ERROR_VALUE names a file that does not exist. */
clq_status clq__source(const char *file, char **source, size_t *size_bytes);

#endif

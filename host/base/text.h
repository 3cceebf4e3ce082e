/* SPDX-License-Identifier: Apache-2.0 */
/* Text in a buffer of fixed size. Text that does not fit is cut, and `full` says so. */
#ifndef CLQ_BASE_TEXT_H
#define CLQ_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct clq__text {
    char *data;
    size_t size, length; /* length excludes the NUL, which is always there */
    bool full;
};

struct clq__text clq__text(char *data, size_t size_bytes);
void clq__text_add(struct clq__text *text, const char *more);
void clq__text_add_part(struct clq__text *text, const char *more, size_t length);
void clq__text_format(struct clq__text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* FNV-1a: every step is one-to-one in the state, so two texts of one length that differ in one byte never
 * meet. */
#define CLQ__HASH_START 0xcbf29ce484222325u
uint64_t clq__hash(uint64_t state, const void *data, size_t size_bytes);

#endif

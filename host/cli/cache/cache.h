/* SPDX-License-Identifier: Apache-2.0 */
/* clquant cache: what its actions share. */
#ifndef CLQUANT_CLI_CACHE_H
#define CLQUANT_CLI_CACHE_H

#include "failure.h"

#include <stddef.h>

/* The options of an action, NULL where they were not given. */
struct cache_options {
    const char *device_text, *variants_path;
};

/* A file of variants, a line each as clq_context_build takes them. What follows a # is a comment. */
struct variant_lines {
    struct variant_line {
        size_t number;
        char *text;
    } * lines;
    size_t count;
};

/* Every line is looked at: the failure names the file, the first wrong line, and what is wrong with it. */
bool variant_lines_read(struct variant_lines *lines, const char *path, struct failure *failure);
void variant_lines_clear(struct variant_lines *lines);

/* The actions; the result is the exit status. */
int cache_list(void);
int cache_clear(void);
int cache_fill(const struct cache_options *options);
int cache_export(const char *directory, const struct cache_options *options);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The results as a table of text, and as a plot. */
#ifndef CLQ_KV_CACHE_TABLE_H
#define CLQ_KV_CACHE_TABLE_H

#include "decode.h"

#include <failure.h>

/* The outputs' own size: their root mean square, which the errors are to be seen beside. */
double table_rms(const float *outputs, size_t count);
void table_errors(const float *outputs, const float *right, size_t count, struct result *result);

/* Markdown, which is readable as it is. */
void table_print(const struct result *results, int count);

/* Bars of bytes and errors; the path's end says whether SVG or PNG. */
bool plot_draw(const struct result *results, int count, const char *title, const char *path,
               struct failure *failure);

#endif

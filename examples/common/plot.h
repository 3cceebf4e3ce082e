/* SPDX-License-Identifier: Apache-2.0 */
/* A picture that gnuplot draws at the other end of a pipe, beside its place, which it takes once it is whole.
 * Functions that fail leave a sentence for clq_error_detail. */
#ifndef CLQ_EXAMPLES_PLOT_H
#define CLQ_EXAMPLES_PLOT_H

#include <clquant/clquant.h>
#include <stdio.h>

struct plot {
    FILE *gnuplot; /* takes commands between begin and end */
    const char *path;
    char part[4096];
};

/* Whether the picture can be drawn, before what it shows is measured. path ends in .svg or .png, here and
 * below. */
clq_status plot_check(const char *path);

/* Opens gnuplot, and tells it where to draw and how high. */
clq_status plot_begin(struct plot *plot, const char *path, int height);
clq_status plot_end(struct plot *plot);

/* A text in gnuplot's own quoting. */
void plot_quoted(FILE *gnuplot, const char *text);

#endif

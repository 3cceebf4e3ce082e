/* SPDX-License-Identifier: Apache-2.0 */
/* A plot of --plot, drawn by gnuplot at the other end of a pipe. */
#ifndef CLQUANT_BENCH_GNUPLOT_H
#define CLQUANT_BENCH_GNUPLOT_H

#include <failure.h>
#include <stdio.h>

/* Whether gnuplot is in PATH, and path can be a file: worth knowing before the work is done. */
bool gnuplot_can_draw(const char *path, struct failure *failure);

/* put writes to gnuplot what draws the plot into `output`, a name that becomes path once gnuplot has succeeded. A gnuplot that
 * ends early is told by its status, so the signal of the broken pipe is ignored from then on. */
bool gnuplot_draw(const char *path, void (*put)(const void *what, const char *output, FILE *to),
                  const void *what, struct failure *failure);

/* In gnuplot's own quoting: what stands between single quotes is literal, and two of them are one. */
void gnuplot_put_quoted(const char *text, FILE *to);

#endif

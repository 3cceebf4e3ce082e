/* gnuplot at the other end of a pipe. */
#ifndef CLQUANT_BENCH_GNUPLOT_H
#define CLQUANT_BENCH_GNUPLOT_H

#include <stdbool.h>
#include <stdio.h>

/* Whether PATH has it. */
bool gnuplot_is_there(void);

/* NULL: it cannot be started, and errno says why. Close gives its exit status. A gnuplot that ends early is
 * told by that status, so the signal of the broken pipe is ignored from then on. */
FILE *gnuplot_open(void);
int gnuplot_close(FILE *gnuplot);

/* In gnuplot's own quoting: what stands between single quotes is literal, and two of them are one. */
void gnuplot_put_quoted(const char *text, FILE *to);

#endif

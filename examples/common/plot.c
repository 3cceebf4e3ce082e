/* SPDX-License-Identifier: Apache-2.0 */
/* Drawing by gnuplot. */
#define _POSIX_C_SOURCE 200809L
#include "plot.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static clq_status place(struct plot *plot, const char *path)
{
    *plot = (struct plot){.path = path};
    if (snprintf(plot->part, sizeof plot->part, "%s.part", path) >= (int)sizeof plot->part)
        return clq_error_set(CLQ_ERROR_VALUE, "--plot has a name of more than %zu bytes", sizeof plot->part);
    return CLQ_OK;
}

clq_status plot_check(const char *path)
{
    struct plot plot;
    FILE *file;
    clq_status status = place(&plot, path);

    if (status != CLQ_OK)
        return status;
    if (system("command -v gnuplot >/dev/null") != 0)
        return clq_error_set(CLQ_ERROR_SYSTEM,
                             "--plot needs gnuplot, which is not in PATH (Debian: apt install gnuplot-nox)");
    file = fopen(plot.part, "w");
    if (file == NULL)
        return clq_error_set(CLQ_ERROR_SYSTEM, "--plot %.200s: %s", path, strerror(errno));
    fclose(file);
    remove(plot.part);
    return CLQ_OK;
}

clq_status plot_begin(struct plot *plot, const char *path, int height)
{
    clq_status status = place(plot, path);

    if (status != CLQ_OK)
        return status;
    signal(SIGPIPE, SIG_IGN); /* a gnuplot that ends early is told by its status */
    plot->gnuplot = popen("gnuplot", "w");
    if (plot->gnuplot == NULL)
        return clq_error_set(CLQ_ERROR_SYSTEM, "gnuplot cannot be started: %s", strerror(errno));
    fprintf(plot->gnuplot,
            "set terminal %s size 1000, %d background 'white' noenhanced font 'sans,11'\nset output ",
            strcmp(strrchr(path, '.'), ".png") == 0 ? "pngcairo" : "svg", height);
    plot_quoted(plot->gnuplot, plot->part);
    fputc('\n', plot->gnuplot);
    return CLQ_OK;
}

clq_status plot_end(struct plot *plot)
{
    if (pclose(plot->gnuplot) == 0 && rename(plot->part, plot->path) == 0)
        return CLQ_OK;
    remove(plot->part);
    return clq_error_set(CLQ_ERROR_SYSTEM, "gnuplot failed to draw '%.200s'", plot->path);
}

/* What stands between single quotes is literal, and two of them are one. */
void plot_quoted(FILE *gnuplot, const char *text)
{
    fputc('\'', gnuplot);
    for (; *text; text++) {
        if (*text == '\'')
            fputc('\'', gnuplot);
        fputc(*text, gnuplot);
    }
    fputc('\'', gnuplot);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The results as a table, and as points, drawn by gnuplot at the other end of a pipe. */
#define _POSIX_C_SOURCE 200809L
#include "run.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static double perplexity(const struct result *result)
{
    return exp(result->nll / (double)result->predicted);
}

void report_print(const struct result *results, int count)
{
    printf("| cache                  | bits an element | bytes a token | perplexity | KL divergence | tokens "
           "a second |\n"
           "|:-----------------------|----------------:|--------------:|-----------:|--------------:|--------"
           "--------:|\n");
    for (int i = 0; i < count; i++) {
        const struct result *r = &results[i];

        printf("| %-22s | %15.3f | %13.0f | %10.3f | %13.5f | ", r->format->name, r->bits, r->token_bytes,
               perplexity(r), r->divergence / (double)r->predicted);
        if (r->timed > 0)
            printf("%15.1f |\n", (double)r->timed / r->seconds);
        else
            printf("%15s |\n", "one step");
    }
}

/* In gnuplot's own quoting: what stands between single quotes is literal, and two of them are one. */
static void put_quoted(const char *text, FILE *to)
{
    fputc('\'', to);
    for (; *text; text++)
        fputs(*text == '\'' ? "''" : (const char[]){*text, 0}, to);
    fputc('\'', to);
}

static void put_points(const struct result *results, int count, const char *part, const char *path, FILE *to)
{
    fputs("$rows << EOD\n", to);
    for (int i = 0; i < count; i++)
        fprintf(to, "%.4f %.6f \"%s\"\n", results[i].bits, perplexity(&results[i]), results[i].format->name);
    fprintf(to,
            "EOD\nset terminal %s size 1000, 560 background 'white' noenhanced font 'sans,11'\nset output ",
            strcmp(strrchr(path, '.'), ".png") == 0 ? "pngcairo" : "svg");
    put_quoted(part, to);
    fprintf(
        to,
        "\nset title 'perplexity over bits an element of the cache'\nset logscale y\nset grid\nunset key\n"
        "set xlabel 'bits an element, with scales'\nset ylabel 'perplexity'\nset xrange [3.5:18]\n"
        "plot $rows using 1:2 with points pointtype 7 linecolor rgb '#4477aa', "
        "$rows using 1:2:3 with labels left offset 0.7, 0.3\n");
}

/* The picture is drawn beside its place and renamed once it is whole. */
clq_status report_plot(const struct result *results, int count, const char *path)
{
    char part[4096];
    FILE *gnuplot;

    if (snprintf(part, sizeof part, "%s.part", path) >= (int)sizeof part)
        return clq_error_set(CLQ_ERROR_VALUE, "--plot has a name of more than %zu bytes", sizeof part);
    signal(SIGPIPE, SIG_IGN); /* a gnuplot that ends early is told by its status */
    gnuplot = popen("gnuplot", "w");
    if (gnuplot == NULL)
        return clq_error_set(CLQ_ERROR_SYSTEM, "gnuplot cannot be started: %s", strerror(errno));
    put_points(results, count, part, path, gnuplot);
    if (pclose(gnuplot) == 0 && rename(part, path) == 0)
        return CLQ_OK;
    remove(part);
    return clq_error_set(CLQ_ERROR_SYSTEM, "gnuplot (Debian: gnuplot-nox) failed to draw '%.200s'", path);
}

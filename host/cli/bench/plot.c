/* SPDX-License-Identifier: Apache-2.0 */
/* The shares of the stream loop as bars, drawn by gnuplot at the other end of a pipe. */
#include "../output_file.h"
#include "report.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_there(void)
{
    const char *path = getenv("PATH");
    char name[4096];

    for (const char *at = path ? path : ""; *at;) {
        size_t length = strcspn(at, ":");

        snprintf(name, sizeof name, "%.*s/gnuplot", (int)length, at);
        if (access(name, X_OK) == 0)
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

bool report_can_plot(const char *path, struct failure *failure)
{
    if (is_there())
        return output_file_possible("--plot", path, failure);
    return fail(failure, STATUS_SYSTEM,
                "--plot needs gnuplot, which is not in PATH (Debian: apt install gnuplot-nox)");
}

/* In gnuplot's own quoting: what stands between single quotes is literal, and two of them are one. */
static void put_quoted(const char *text, FILE *to)
{
    fputc('\'', to);
    for (; *text; text++) {
        if (*text == '\'')
            fputc('\'', to);
        fputc(*text, to);
    }
    fputc('\'', to);
}

static void put_rows(const struct report *report, FILE *to)
{
    size_t bars = 0;

    fprintf(to, "$rows << EOD\n");
    for (size_t i = 0; i < report->count; i++) {
        const struct report_row *row = &report->rows[i];

        if (row->share_of_stream > 0)
            fprintf(to, "%zu %.4f \"%s %s to %s, %s, %s\"\n", bars++, row->share_of_stream,
                    row->operator_name, row->src, row->dst, row->mode, row->note);
    }
    fprintf(to, "EOD\nbars = %zu\n", bars);
}

static void put_plot(const struct report *report, const char *output, FILE *to)
{
    put_rows(report, to);
    fprintf(to, "set terminal svg size 1000, 80 + 18 * bars background 'white' font 'sans,11' "
                "noenhanced\nset output ");
    put_quoted(output, to);
    fprintf(to, "\nset title ");
    put_quoted(report->device, to);
    fprintf(to, "\nset xlabel 'share of the stream loop'\n"
                "set xrange [0:*]\nset yrange [bars - 0.5:-0.5]\nset grid xtics\nunset key\n"
                "set style fill solid 0.7 noborder\nset arrow from 1, graph 0 to 1, graph 1 nohead\n"
                "plot $rows using (0):1:(0):2:($1 - 0.35):($1 + 0.35):ytic(3) with boxxyerror, "
                "$rows using 2:1:(sprintf('%%.2f', $2)) with labels left offset 0.3, 0\n");
}

/* gnuplot succeeds on a full disk too, so how a picture ends tells whether it is all there: SVG or PNG. */
static bool is_whole(const struct output_file *file)
{
    static const char svg[] = "</svg>", png[] = "IEND";
    char end[16] = "";
    const off_t size = lseek(file->fd, 0, SEEK_END);
    const ssize_t count =
        size >= (off_t)sizeof end ? pread(file->fd, end, sizeof end, size - (off_t)sizeof end) : 0;

    return count == (ssize_t)sizeof end && (memmem(end, sizeof end, svg, strlen(svg)) != NULL ||
                                            memmem(end, sizeof end, png, strlen(png)) != NULL);
}

static bool draw(const struct report *report, const char *path, struct failure *failure)
{
    FILE *gnuplot;
    int status;

    signal(SIGPIPE, SIG_IGN);
    gnuplot = popen("gnuplot", "w");
    if (!gnuplot)
        return fail(failure, STATUS_SYSTEM, "gnuplot cannot be started: %s", strerror(errno));
    put_plot(report, output_file_private_name(), gnuplot);
    status = pclose(gnuplot);
    if (status == -1)
        return fail(failure, STATUS_SYSTEM, "gnuplot cannot be waited for: %s", strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    return fail(failure, STATUS_SYSTEM, "gnuplot failed to draw '%s' (%s %d)", path,
                WIFEXITED(status) ? "exit status" : "signal",
                WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

bool report_plot(const struct report *report, const char *path, struct failure *failure)
{
    struct output_file file;
    bool done = output_file_create(&file, "--plot", path, failure) && draw(report, path, failure);

    if (done && !is_whole(&file))
        done = fail(failure, STATUS_SYSTEM, "gnuplot left '%s' unfinished: is the disk full?", path);
    done = done && output_file_commit(&file, failure);
    output_file_discard(&file);
    return done;
}

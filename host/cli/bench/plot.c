/* The shares of the stream loop as bars, drawn by gnuplot. */
#include "../output_file.h"
#include "gnuplot.h"
#include "report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool report_can_plot(const char *svg, struct failure *failure)
{
    if (gnuplot_is_there())
        return report_can_write("--plot", svg, failure);
    return fail(failure, STATUS_SYSTEM,
                "bench: --plot needs gnuplot, which is not in PATH (Debian: apt install gnuplot-nox)");
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

static void put_plot(const struct report *report, const char *path, FILE *to)
{
    put_rows(report, to);
    fprintf(to, "set terminal svg size 1000, 80 + 18 * bars background 'white' font 'sans,11' "
                "noenhanced\nset output ");
    gnuplot_put_quoted(path, to);
    fprintf(to, "\nset title ");
    gnuplot_put_quoted(report->device, to);
    fprintf(to, "\nset xlabel 'share of the stream loop'\n"
                "set xrange [0:*]\nset yrange [bars - 0.5:-0.5]\nset grid xtics\nunset key\n"
                "set style fill solid 0.7 noborder\nset arrow from 1, graph 0 to 1, graph 1 nohead\n"
                "plot $rows using (0):1:(0):2:($1 - 0.35):($1 + 0.35):ytic(3) with boxxyerror, "
                "$rows using 2:1:(sprintf('%%.2f', $2)) with labels left offset 0.3, 0\n");
}

static bool draw(const struct report *report, const char *path, struct failure *failure)
{
    FILE *gnuplot = gnuplot_open();
    int status = 0;

    if (!gnuplot)
        return fail(failure, STATUS_SYSTEM, "bench: gnuplot cannot be started: %s", strerror(errno));
    put_plot(report, output_file_private_name(), gnuplot);
    status = gnuplot_close(gnuplot);
    return status == 0 ||
           fail(failure, STATUS_SYSTEM, "bench: gnuplot failed to draw '%s' (status %d)", path, status);
}

bool report_plot(const struct report *report, const char *path, struct failure *failure)
{
    struct output_file file;
    const bool done = output_file_create(&file, "--plot", path, failure) && draw(report, path, failure) &&
                      output_file_commit(&file, failure);

    output_file_discard(&file);
    return done;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The shares of the stream loop as bars, drawn by gnuplot. */
#include "gnuplot.h"
#include "report.h"

#include <stdio.h>

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

static void put_plot(const void *what, const char *output, FILE *to)
{
    const struct report *report = what;

    put_rows(report, to);
    fprintf(to, "set terminal svg size 1000, 80 + 18 * bars background 'white' font 'sans,11' "
                "noenhanced\nset output ");
    gnuplot_put_quoted(output, to);
    fprintf(to, "\nset title ");
    gnuplot_put_quoted(report->device, to);
    fprintf(to, "\nset xlabel 'share of the stream loop'\n"
                "set xrange [0:*]\nset yrange [bars - 0.5:-0.5]\nset grid xtics\nunset key\n"
                "set style fill solid 0.7 noborder\nset arrow from 1, graph 0 to 1, graph 1 nohead\n"
                "plot $rows using (0):1:(0):2:($1 - 0.35):($1 + 0.35):ytic(3) with boxxyerror, "
                "$rows using 2:1:(sprintf('%%.2f', $2)) with labels left offset 0.3, 0\n");
}

bool report_plot(const struct report *report, const char *path, struct failure *failure)
{
    return gnuplot_draw(path, put_plot, report, failure);
}

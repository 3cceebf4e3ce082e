/* SPDX-License-Identifier: Apache-2.0 */
/* Two fields of bars, drawn by gnuplot. */
#include "table.h"

#include <gnuplot.h>
#include <math.h>
#include <string.h>

struct plot {
    const struct result *results;
    int count;
    const char *title, *terminal;
};

struct field {
    const char *title, *column, *format, *colour, *names, *left, *right;
};

/* A bar for each row with its figure at the end, for which a fifth is left free. */
static void put_field(const struct field *field, double largest, FILE *to)
{
    fprintf(to,
            "set title '%s'\nset lmargin at screen %s\nset rmargin at screen %s\nset xrange [0:%.9g]\n"
            "plot $rows using (0):0:(0):%s:($0 - 0.35):($0 + 0.35)%s with boxxyerror linecolor rgb '%s', "
            "$rows using %s:0:(sprintf('%s', $%s)) with labels left offset 0.4, 0\n",
            field->title, field->left, field->right, largest > 0.0 ? 1.2 * largest : 1.0, field->column,
            field->names, field->colour, field->column, field->format, field->column);
}

static void put_plot(const void *what, const char *output, FILE *to)
{
    const struct plot *plot = what;
    const struct result *results = plot->results;
    const int count = plot->count;
    static const struct field bytes = {
        "bytes per token, keys and values", "1", "%.0f", "#4477aa", ":ytic(3)", "0.18", "0.55"};
    static const struct field errors = {
        "RMS error of the attention output", "2", "%.5f", "#cc6677", "", "0.58", "0.97"};
    double most_bytes = 0.0, most_error = 0.0;

    fprintf(to, "$rows << EOD\n");
    for (int i = 0; i < count; i++) {
        fprintf(to, "%zu %.7f \"%s\"\n", results[i].token_bytes, results[i].rms_error,
                results[i].format->name);
        most_bytes = fmax(most_bytes, (double)results[i].token_bytes);
        most_error = fmax(most_error, results[i].rms_error);
    }
    fprintf(to,
            "EOD\nset terminal %s size 1000, %d background 'white' noenhanced font 'sans,11'\nset output ",
            plot->terminal, 80 + 36 * count);
    gnuplot_put_quoted(output, to);
    fprintf(to, "\nset multiplot layout 1, 2 title ");
    gnuplot_put_quoted(plot->title, to);
    fprintf(
        to,
        "\nset yrange [%d.5:-0.5]\nset border 2\nset tics scale 0\nset format y ''\nunset xtics\nunset key\n"
        "set style fill solid 0.7 noborder\n",
        count - 1);
    put_field(&bytes, most_bytes, to);
    put_field(&errors, most_error, to);
}

bool plot_draw(const struct result *results, int count, const char *title, const char *path,
               struct failure *failure)
{
    const struct plot plot = {results, count, title,
                              strcmp(strrchr(path, '.'), ".png") == 0 ? "pngcairo" : "svg"};

    return gnuplot_draw(path, put_plot, &plot, failure);
}

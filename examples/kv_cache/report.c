/* SPDX-License-Identifier: Apache-2.0 */
/* The results as a table of text, and as two fields of bars. */
#include "../common/plot.h"
#include "kv_cache.h"

void report_print(const struct result *results, int count)
{
    printf("| %-21s | bytes per token |  saved | max error | RMS error | quantize+scatter | dequantize | "
           "products |\n",
           "cache");
    printf("|:----------------------|----------------:|-------:|----------:|----------:|-----------------:|"
           "-----------:|---------:|\n");
    for (int i = 0; i < count; i++)
        printf("| %-21s | %15zu | %4.1f %% | %9.5f | %7.2f %% | %13.0f µs | %7.0f µs | %5.0f µs |\n",
               results[i].format->name, results[i].token_bytes,
               100.0 * (1.0 - (double)results[i].token_bytes / (double)results[0].token_bytes),
               results[i].max_error, 100.0 * results[i].rms_error, results[i].put_us, results[i].get_us,
               results[i].products_us);
}

int report_can_plot(const char *path)
{
    const clq_status status = plot_check(path);

    return status == CLQ_OK ? DONE
                            : complain(status == CLQ_ERROR_VALUE ? USAGE : SYSTEM, "%s", clq_error_detail());
}

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

static void put_plot(const struct result *results, int count, const char *title, FILE *to)
{
    static const struct field bytes = {
        "bytes per token, keys and values", "1", "%.0f", "#4477aa", ":ytic(3)", "0.18", "0.55"};
    static const struct field errors = {
        "RMS error of the attention output", "2", "%.2f %%", "#cc6677", "", "0.58", "0.97"};
    double most_bytes = 0.0, most_error = 0.0;

    fprintf(to, "$rows << EOD\n");
    for (int i = 0; i < count; i++) {
        fprintf(to, "%zu %.7f \"%s\"\n", results[i].token_bytes, 100.0 * results[i].rms_error,
                results[i].format->name);
        most_bytes = fmax(most_bytes, (double)results[i].token_bytes);
        most_error = fmax(most_error, 100.0 * results[i].rms_error);
    }
    fprintf(to, "EOD\nset multiplot layout 1, 2 title ");
    plot_quoted(to, title);
    fprintf(
        to,
        "\nset yrange [%d.5:-0.5]\nset border 2\nset tics scale 0\nset format y ''\nunset xtics\nunset key\n"
        "set style fill solid 0.7 noborder\n",
        count - 1);
    put_field(&bytes, most_bytes, to);
    put_field(&errors, most_error, to);
}

int report_plot(const struct result *results, int count, const char *title, const char *path)
{
    struct plot plot;

    if (plot_begin(&plot, path, 80 + 36 * count) != CLQ_OK)
        return complain(SYSTEM, "%s", clq_error_detail());
    put_plot(results, count, title, plot.gnuplot);
    return plot_end(&plot) == CLQ_OK ? DONE : complain(SYSTEM, "%s", clq_error_detail());
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The results as a table of text, and as two fields of bars, drawn by gnuplot at the other end of a pipe. */
#define _POSIX_C_SOURCE 200809L
#include "kv_cache.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { MOST_PATH = 4096 };

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

/* The picture is drawn beside its place and renamed once it is whole. */
static void part_of(const char *path, char part[MOST_PATH])
{
    snprintf(part, MOST_PATH, "%s.part", path);
}

int report_can_plot(const char *path)
{
    char part[MOST_PATH];
    FILE *file = NULL;

    if (strlen(path) + sizeof ".part" > MOST_PATH)
        return complain(USAGE, "--plot has a name of more than %d bytes", MOST_PATH);
    if (system("command -v gnuplot >/dev/null") != 0)
        return complain(SYSTEM,
                        "--plot needs gnuplot, which is not in PATH (Debian: apt install gnuplot-nox)");
    part_of(path, part);
    file = fopen(part, "w");
    if (file == NULL)
        return complain(SYSTEM, "--plot %s: %s", path, strerror(errno));
    fclose(file);
    remove(part);
    return DONE;
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

static void put_plot(const struct result *results, int count, const char *title, const char *path, FILE *to)
{
    static const struct field bytes = {
        "bytes per token, keys and values", "1", "%.0f", "#4477aa", ":ytic(3)", "0.18", "0.55"};
    static const struct field errors = {
        "RMS error of the attention output", "2", "%.2f %%", "#cc6677", "", "0.58", "0.97"};
    double most_bytes = 0.0, most_error = 0.0;
    char part[MOST_PATH];

    fprintf(to, "$rows << EOD\n");
    for (int i = 0; i < count; i++) {
        fprintf(to, "%zu %.7f \"%s\"\n", results[i].token_bytes, 100.0 * results[i].rms_error,
                results[i].format->name);
        most_bytes = fmax(most_bytes, (double)results[i].token_bytes);
        most_error = fmax(most_error, 100.0 * results[i].rms_error);
    }
    fprintf(to,
            "EOD\nset terminal %s size 1000, %d background 'white' noenhanced font 'sans,11'\nset output ",
            strcmp(strrchr(path, '.'), ".png") == 0 ? "pngcairo" : "svg", 80 + 36 * count);
    part_of(path, part);
    put_quoted(part, to);
    fprintf(to, "\nset multiplot layout 1, 2 title ");
    put_quoted(title, to);
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
    char part[MOST_PATH];
    FILE *gnuplot;

    signal(SIGPIPE, SIG_IGN); /* a gnuplot that ends early is told by its status */
    gnuplot = popen("gnuplot", "w");
    if (gnuplot == NULL)
        return complain(SYSTEM, "gnuplot cannot be started: %s", strerror(errno));
    put_plot(results, count, title, path, gnuplot);
    part_of(path, part);
    if (pclose(gnuplot) == 0 && rename(part, path) == 0)
        return DONE;
    remove(part);
    return complain(SYSTEM, "gnuplot failed to draw '%s'", path);
}

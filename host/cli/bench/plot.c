/* SPDX-License-Identifier: Apache-2.0 */
/* The shares of the stream loop as bars: an SVG. */
#include "report.h"

#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 1000, LEFT = 560, TOP = 50, STEP = 18, FULL = 400 /* of the largest share */ };

/* Text of a driver may hold what SVG has for itself. */
static void put_text(FILE *to, int x, int y, const char *anchor, const char *text)
{
    fprintf(to, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">", x, y, anchor);
    for (; *text; text++)
        if (*text == '<' || *text == '&')
            fprintf(to, "&#%d;", *text);
        else
            fputc(*text, to);
    fprintf(to, "</text>\n");
}

static void put_row(FILE *to, const struct report_row *row, int y, double unit)
{
    const int length = (int)(row->share_of_stream * unit);
    char text[256];

    snprintf(text, sizeof text, "%s %s to %s, %s, %s", row->operator_name, row->src, row->dst, row->mode,
             row->note);
    put_text(to, LEFT - 6, y + STEP - 5, "end", text);
    fprintf(to, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#8a6bbe\"/>\n", LEFT, y + 2,
            length, STEP - 4);
    snprintf(text, sizeof text, "%.2f", row->share_of_stream);
    put_text(to, LEFT + length + 4, y + STEP - 5, "start", text);
}

static void put_plot(FILE *to, const struct report *report)
{
    double most = 1;
    int y = TOP;

    for (size_t i = 0; i < report->count; i++)
        most = report->rows[i].share_of_stream > most ? report->rows[i].share_of_stream : most;
    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
            "font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            WIDTH, TOP + (int)report->count * STEP);
    fprintf(to, "<path d=\"M%d %dV%d\" stroke=\"black\"/>\n", LEFT + (int)(FULL / most), TOP,
            TOP + (int)report->count * STEP);
    put_text(to, WIDTH / 2, STEP, "middle", report->device);
    put_text(to, LEFT, 2 * STEP, "start", "share of the stream loop; the line is 1");
    for (size_t i = 0; i < report->count; i++)
        if (report->rows[i].share_of_stream > 0) {
            put_row(to, &report->rows[i], y, FULL / most);
            y += STEP;
        }
    fprintf(to, "</svg>\n");
}

bool report_plot(const struct report *report, const char *path, struct failure *failure)
{
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    bool done;

    if (to)
        put_plot(to, report);
    done = to && fclose(to) == 0 ? report_write("--plot", path, text, failure)
                                 : fail(failure, STATUS_SYSTEM, "bench: no memory for the plot");
    free(text);
    return done;
}

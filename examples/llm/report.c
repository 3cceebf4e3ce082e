/* SPDX-License-Identifier: Apache-2.0 */
/* The results as a table, and as points of a picture. */
#include "../common/plot.h"
#include "run.h"

#include <math.h>

enum { HEIGHT = 520, AREA_WIDTH = 890, AREA_HEIGHT = 395 }; /* in pixels, of a picture that is 1000 wide */

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

/* A format is a point; float16, with twice the bits of all others, is the line at 0 and its right end. */
struct picture {
    int count;
    struct label labels[NUM_FORMATS];
    char texts[NUM_FORMATS][64];
    double bits[NUM_FORMATS], more[NUM_FORMATS]; /* per cent of float16's perplexity */
    double low, high;                            /* the ends of the axis of those */
};

static const double LEAST_BITS = 3.0, MOST_BITS = 10.0;

static void describe(struct picture *p, const struct result *results, int count)
{
    *p = (struct picture){.count = count, .high = 1.0};
    for (int i = 0; i < count; i++) {
        p->bits[i] = fmin(results[i].bits, MOST_BITS);
        p->more[i] = 100.0 * (perplexity(&results[i]) / perplexity(&results[0]) - 1.0);
        p->low = fmin(p->low, 1.1 * p->more[i]);
        p->high = fmax(p->high, 1.1 * p->more[i]);
    }
    p->low = fmin(p->low, -0.08 * p->high);
    for (int i = 0; i < count; i++) {
        snprintf(p->texts[i], sizeof p->texts[i], i == 0 ? "%s" : "%s  %+.1f %%", results[i].format->name,
                 p->more[i]);
        p->labels[i] = (struct label){
            .text = p->texts[i],
            .x = (p->bits[i] - LEAST_BITS) / (MOST_BITS - LEAST_BITS) * AREA_WIDTH,
            .y = (p->more[i] - p->low) / (p->high - p->low) * AREA_HEIGHT,
        };
    }
    labels_place(p->labels, count, AREA_WIDTH, AREA_HEIGHT);
}

static void draw_label(FILE *gnuplot, const struct label *label)
{
    const double x = label->at_x / AREA_WIDTH, y = label->at_y / AREA_HEIGHT;

    fprintf(gnuplot, "set label '%s' at graph %f, %f %s front\n", label->text, x, y,
            label->is_left ? "right" : "left");
    if (label->has_line)
        fprintf(gnuplot, "set arrow from graph %f, %f to graph %f, %f nohead linecolor '#999999'\n",
                label->x / AREA_WIDTH, label->y / AREA_HEIGHT, x, y);
}

clq_status report_plot(const struct result *results, int count, const char *path)
{
    struct picture p;
    struct plot plot;

    describe(&p, results, count);
    TRY(plot_begin(&plot, path, HEIGHT));
    fputs("set termoption font 'sans,14'\nset lmargin at screen 0.08\nset rmargin at screen 0.97\n"
          "set bmargin at screen 0.14\nset tmargin at screen 0.9\nunset key\n"
          "set title 'perplexity, in per cent above that with a float16 cache'\n"
          "set xlabel 'bits an element of the cache, with scales (float16: 16)'\nset format y '%g %%'\n"
          "set border 3 linecolor '#888888'\nset tics nomirror scale 0.5\n"
          "set grid ytics linecolor '#dddddd' linetype 1\n",
          plot.gnuplot);
    fprintf(plot.gnuplot, "set xrange [%f:%f]\nset yrange [%f:%f]\n$rows << EOD\n", LEAST_BITS, MOST_BITS,
            p.low, p.high);
    for (int i = 1; i < count; i++)
        fprintf(plot.gnuplot, "%f %f\n", p.bits[i], p.more[i]);
    fputs("EOD\n", plot.gnuplot);
    for (int i = 0; i < count; i++)
        draw_label(plot.gnuplot, &p.labels[i]);
    fprintf(plot.gnuplot, "plot 0 with lines linecolor '#444444'%s\n",
            count > 1 ? ", $rows using 1:2 with points pointtype 7 pointsize 1.2 linecolor '#4477aa'" : "");
    return plot_end(&plot);
}

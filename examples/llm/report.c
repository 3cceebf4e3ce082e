/* SPDX-License-Identifier: Apache-2.0 */
/* The results as a table, and as points of a picture. */
#include "../common/plot.h"
#include "run.h"

#include <math.h>

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

clq_status report_plot(const struct result *results, int count, const char *path)
{
    struct plot plot;

    TRY(plot_begin(&plot, path, 560));
    fputs("$rows << EOD\n", plot.gnuplot);
    for (int i = 0; i < count; i++)
        fprintf(plot.gnuplot, "%.4f %.6f \"%s\"\n", results[i].bits, perplexity(&results[i]),
                results[i].format->name);
    fputs(
        "EOD\nset title 'perplexity over bits an element of the cache'\nset logscale y\nset grid\nunset key\n"
        "set xlabel 'bits an element, with scales'\nset ylabel 'perplexity'\nset xrange [3.5:18]\n"
        "plot $rows using 1:2 with points pointtype 7 linecolor rgb '#4477aa', "
        "$rows using 1:2:3 with labels left offset 0.7, 0.3\n",
        plot.gnuplot);
    return plot_end(&plot);
}

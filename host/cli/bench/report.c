/* SPDX-License-Identifier: Apache-2.0 */
/* The rows, and how they look as text. */
#include "report.h"

#include <stdio.h>
#include <stdlib.h>

bool report_add(struct report *report, const struct report_row *row)
{
    struct report_row *rows = realloc(report->rows, (report->count + 1) * sizeof *rows);

    if (!rows)
        return false;
    rows[report->count++] = *row;
    report->rows = rows;
    return true;
}

void report_clear(struct report *report)
{
    free(report->rows);
}

void report_print_head(const struct report *report)
{
    printf("%s, driver %s, %s; %.0f MiB of input; copy %.1f GB/s", report->device, report->driver,
           report->type, report->input_mib, report->copy_gbps);
    if (report->memcpy_gbps > 0)
        printf(", memcpy %.1f GB/s", report->memcpy_gbps);
    printf("\n");
    printf(
        "GB/s: bytes read once and written once. of stream, copy, memcpy: our rate over theirs. vs: above 1, "
        "ours is faster.\n\n");
    printf("%-24s %-8s %-5s %-10s %8s %7s %7s %7s %7s  %s\n", "operator", "from", "to", "mode", "ms", "GB/s",
           "stream", "copy", "memcpy", "vs, note");
}

static void print_share(double share)
{
    if (share > 0)
        printf(" %7.2f", share);
    else
        printf(" %7s", "");
}

void report_print_row(const struct report_row *row)
{
    printf("%-24s %-8s %-5s %-10s %8.3f", row->operator_name, row->src ? row->src : "",
           row->dst ? row->dst : "", row->mode ? row->mode : "", row->median_s * 1e3);
    if (row->gbps > 0)
        printf(" %7.1f", row->gbps);
    else
        printf(" %7s", "");
    print_share(row->share_of_stream);
    print_share(row->share_of_copy);
    print_share(row->share_of_memcpy);
    printf("  ");
    for (size_t i = 0; i < row->peers; i++)
        printf("%s %.2f, ", row->vs[i].name, row->vs[i].ratio);
    printf("%s\n", row->note);
    fflush(stdout);
}

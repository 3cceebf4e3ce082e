/* SPDX-License-Identifier: Apache-2.0 */
/* The results: a line of text each as they come, then JSON and a plot. */
#ifndef CLQUANT_BENCH_REPORT_H
#define CLQUANT_BENCH_REPORT_H

#include "../failure.h"

#include <stddef.h>
#include <stdint.h>

/* A figure that a row does not have is 0. */
struct report_row {
    const char *operator_name, *src, *dst, *mode;
    char note[96];
    int ndim;
    int64_t shape[4];
    double bytes, median_s, gbps, share_of_stream;
    const char *peer; /* what else stood beside it, and the ratio of its time to ours; NULL: nothing */
    double ratio;
};

struct report {
    char device[256], driver[256];
    const char *type;
    double input_mib; /* that the device's buffers allow */
    struct report_row *rows;
    size_t count;
    size_t not_run; /* rows that would have begun too late */
};

/* Keeps a copy. */
bool report_add(struct report *report, const struct report_row *row, struct failure *failure);
void report_clear(struct report *report);

void report_print_head(const struct report *report);
void report_print_row(const struct report_row *row);

/* A file of this text; option is what the user gave its path by. */
bool report_write(const char *option, const char *path, const char *text, struct failure *failure);

bool report_write_json(const struct report *report, const char *path, struct failure *failure);
bool report_plot(const struct report *report, const char *path, struct failure *failure); /* plot.c */

#endif

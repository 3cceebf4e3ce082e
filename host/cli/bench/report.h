/* SPDX-License-Identifier: Apache-2.0 */
/* The results: a line of text each as they come, then JSON and a plot. */
#ifndef CLQUANT_BENCH_REPORT_H
#define CLQUANT_BENCH_REPORT_H

#include "../failure.h"

#include <stddef.h>
#include <stdint.h>

enum { REPORT_RANK = 8, REPORT_PEERS = 6 };

/* A figure that a row does not have is 0. */
struct report_row {
    const char *operator_name;
    const char *src, *dst, *mode; /* NULL: does not apply */
    char note[96];
    int axis, has_axis;
    int ndim;
    int64_t shape[REPORT_RANK];
    double bytes, median_s, gbps, share_of_stream, share_of_copy, share_of_memcpy;
    struct {
        const char *name;
        double ratio;
    } vs[REPORT_PEERS];
    size_t peers;
};

struct report {
    char device[256], driver[256];
    const char *type;
    double input_mib;              /* that the device's buffers allow */
    double copy_gbps, memcpy_gbps; /* 0: not measured */
    struct report_row *rows;
    size_t count;
    size_t not_run; /* rows that would have begun too late */
};

/* Keeps a copy; false where there is no memory. */
bool report_add(struct report *report, const struct report_row *row);
void report_clear(struct report *report);

void report_print_head(const struct report *report);
void report_print_row(const struct report_row *row);

bool report_write_json(const struct report *report, const char *path, struct failure *failure);

/* Whether gnuplot is in PATH, and path can be a file: worth knowing before the work is done. A gnuplot that
 * ends early is told by its status, so the signal of the broken pipe is ignored from then on. */
bool report_can_plot(const char *path, struct failure *failure);
bool report_plot(const struct report *report, const char *path, struct failure *failure);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What all rows of the benchmark share: the device, the data, the results so far. */
#ifndef CLQUANT_BENCH_BENCH_H
#define CLQUANT_BENCH_BENCH_H

#include "../failure.h"
#include "../progress.h"
#include "pool.h"
#include "report.h"
#include "rows.h"

#include <clquant/clquant.h>

struct bench_options {
    const char *device_text;
    const char *only; /* words that a row's label must hold; NULL: every row */
    const char *json_path, *plot_path;
    size_t size_bytes; /* of the input, at most */
    size_t seconds;    /* after which no row begins; 0: without end */
};

/* The library that calls go to: the command's own, or one that the lab loaded. */
#define LIBRARY_CALLS(X)                                                                                     \
    X(error_detail)                                                                                          \
    X(quantize)                                                                                              \
    X(group_quantize)                                                                                        \
    X(quantize_scatter)                                                                                      \
    X(dynamic_quantize)                                                                                      \
    X(dynamic_quantize_scatter)                                                                              \
    X(find_scales)                                                                                           \
    X(dequantize)                                                                                            \
    X(move_rows)
struct library {
    clq_context *context;
#define LIBRARY_MEMBER(name) __typeof__(clq_##name) *name;
    LIBRARY_CALLS(LIBRARY_MEMBER)
};

struct bench {
    struct bench_options options;
    struct failure failure;
    char *log; /* of a kernel of bench.cl that did not build */
    struct progress progress;
    struct report report;
    bool counting; /* rows only count themselves */
    size_t rows_found, rows_done;
    double end_s; /* of now_s, where options.seconds are over */

    clq_context *context; /* the library's */
    struct library library;
    cl_command_queue queue;
    struct pool *pool; /* NULL where the device is no CPU: the host's loops are then no measure */
    struct limit *limit;

    cl_mem x, y, scales;        /* x and y are x_bytes long, scales holds MOST_SCALES floats */
    size_t x_bytes, next_piece; /* of x, data_next_piece */
    float *scale_values;        /* what is in scales */
    void *x_host, *y_host;      /* only between data_begin_host and data_end_host */
    int filled_with;            /* enum reference_type, or -1 */
};

enum { MOST_SCALES = 1 << 18 };

/* Everything below notes the sentence in bench->failure and returns false where it fails. */

/* The device, a queue, and for a CPU the threads. */
bool bench_open_device(struct bench *bench);
void bench_close_device(struct bench *bench);

/* The status of the library's call, or the code of OpenCL's, is that of success. */
bool library_check(struct bench *bench, clq_status status);
bool device_check(struct bench *bench, const char *call, cl_int code);

/* Waits for the event, and releases it. */
bool device_wait(struct bench *bench, cl_event done);

/* True when this row is wanted and there is time for it; while counting it is only counted. label: words
 * for --only and the progress. */
bool bench_wants(struct bench *bench, const char *label);

/* Prints a finished row and keeps it. */
bool bench_add(struct bench *bench, const struct report_row *row);

/* One kernel of bench.cl, built for these numbers; the caller releases it. */
bool device_kernel(struct bench *bench, const char *name, size_t reads, size_t writes, size_t args_longs,
                   cl_kernel *kernel);

/* Every row of the table; what a call costs the host; what one for all layers does;
 * what the first call of a process costs. */
bool measure_rows(struct bench *bench);
bool host_cost_rows(struct bench *bench);
bool layers_cost_rows(struct bench *bench);
bool first_call_rows(struct bench *bench);

/* What the child process of first_call_rows does. */
int first_call_main(const char *device_text);

#endif

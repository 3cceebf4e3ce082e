/* SPDX-License-Identifier: Apache-2.0 */
/* What all rows of the benchmark share: the device, and the memory of the tensors. */
#ifndef CLQUANT_BENCH_BENCH_H
#define CLQUANT_BENCH_BENCH_H

#include "../failure.h"
#include "rows.h"
#include "stream.h"

#include <clquant/clquant.h>

/* The library that calls go to: the command's own, or one that the lab loaded. */
struct library {
    clq_context *context;
    __typeof__(clq_error_detail) *error_detail;
    clq_status (*calls[OPERATIONS])(clq_context *context, cl_command_queue queue, const void *desc,
                                    cl_uint num_wait, const cl_event *wait, cl_event *done);
};

struct bench {
    const char *device_text;
    size_t size_bytes; /* of the input, at most */
    struct failure failure;
    char *log; /* of a kernel of bench.cl that did not build */

    clq_context *context; /* the library's */
    struct library library;
    cl_command_queue queue;
    bool on_host; /* a CPU: the host's loops, with a thread for every processor, are the measure */

    cl_mem x, y, scales;        /* x and y are x_bytes long, scales holds MOST_SCALES floats */
    size_t x_bytes, next_piece; /* of x, data_next_piece */
    void *pages[3];             /* that the three stand on, of a CPU */
    void *x_host, *y_host;      /* only between data_begin_host and data_end_host */
    int filled_with;            /* enum reference_type, or -1 */
};

enum { MOST_SCALES = 1 << 18 };

/* Everything below notes the sentence in bench->failure and returns false where it fails. */

/* The device, a queue, for a CPU the threads, and buffers as large as was asked for and the device allows:
 * the same for the operator and for what it is compared with. On a CPU the host's loops work on the very
 * bytes of the device's buffers, mapped, so that pages and caches are alike. close accepts what open left. */
bool bench_open(struct bench *bench);
void bench_close(struct bench *bench);

/* The status of the library's call, or the code of OpenCL's, is that of success. */
bool library_check(struct bench *bench, clq_status status);
bool device_check(struct bench *bench, const char *call, cl_int code);

/* Waits for the event, and releases it. */
bool device_wait(struct bench *bench, cl_event done);

/* One kernel of bench.cl, built for these numbers; the caller releases it. */
bool device_kernel(struct bench *bench, const char *name, size_t reads, size_t writes, cl_kernel *kernel);

/* Fills x with random finite values of the type, the same each time, between 2^-6 and 4 in size, unless it
 * holds such already; and writes all of y, so that its pages are there. */
bool data_fill(struct bench *bench, enum reference_type src);

/* MOST_SCALES new scales between a half and three halves of around. */
bool data_fill_scales(struct bench *bench, float around);

/* Makes y hold no result, but this byte everywhere. */
bool data_spoil(struct bench *bench, unsigned char byte);

/* x_host and y_host are valid between the two. */
bool data_begin_host(struct bench *bench);
bool data_end_host(struct bench *bench);

/* Where in x a piece of so many bytes begins, on a page, that comes after the last one that any contestant
 * took, in a ring: what one of them has just read is in the caches for nobody. */
size_t data_next_piece(struct bench *bench, size_t bytes);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* One tensor quantized into one format on the device, checked and measured. */
#ifndef CLQ_DEMO_DEMO_H
#define CLQ_DEMO_DEMO_H

#include "../common/values.h"

#include <clquant/clquant.h>
#include <stdbool.h>

struct demo {
    clq_context *context;
    cl_command_queue queue;
};

struct format {
    const char *name;
    DLDataType dtype;
    float largest; /* the scale is absmax / largest */
};

/* A dense tensor of floats in host memory. */
struct data {
    DLDataType dtype;
    int rank;
    int64_t shape[8];
    const void *values;
};

/* Of all tensors that took a format. */
struct total {
    size_t tensors, x_bytes, kept_bytes; /* kept: with the scales */
    double noise, signal;                /* sums of squares, of errors and of values */
};

/* Prints what it did, and adds it to the total; false where the device failed or a byte differs. */
bool format_run(const struct demo *demo, const struct format *format, const struct data *x,
                struct total *total);
void format_print_total(const struct format *format, const struct total *total);

#endif

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

/* Prints what it did; false where the device failed or a byte differs. */
bool format_run(const struct demo *demo, const struct format *format, const struct data *x);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* One tensor quantized into one format on the device, measured and checked. */
#ifndef CLQ_DEMO_FORMAT_H
#define CLQ_DEMO_FORMAT_H

#include <clquant/clquant.h>
#include <reference.h>
#include <stdbool.h>

struct format {
    const char *name;
    DLDataType dtype;
    enum reference_type type;
    float largest; /* the scale is absmax / largest */
};

struct demo {
    clq_context *context;
    cl_command_queue queue;
};

/* x is in host memory, dense. Prints what it did; false where the device failed or a byte differs. */
bool format_run(const struct demo *demo, const struct format *format, DLDataType x_dtype,
                const struct reference_tensor *x);

#endif

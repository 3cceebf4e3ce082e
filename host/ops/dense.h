/* SPDX-License-Identifier: Apache-2.0 */
/* Static quantization without indices: what clq_quantize and clq_npu_quantize share. */
#ifndef CLQ_OPS_DENSE_H
#define CLQ_OPS_DENSE_H

#include "plan/static_quantize.h"

#include <clquant/quantize.h>

struct clq__dense {
    const DLTensor *x, *scales, *zero_points, *y;
    const char *x_name, *y_name; /* scales and zero_points are called so everywhere */
    int axis;
    uint32_t mode; /* enum clq_scale_mode */
};

/* What a descriptor of clq_quantize says; refuses reserved numbers. */
clq_status clq__dense_of(const struct clq_quantize_desc *desc, struct clq__dense *call);
/* Every rule but those of buffers, once. */
clq_status clq__dense_check(const struct clq__dense *call, struct clq__static_work *work);

clq_status clq__dense_run(clq_context *context, cl_command_queue queue, const struct clq__dense *call,
                          bool build_only, cl_uint num_wait, const cl_event *wait, cl_event *done);

#endif

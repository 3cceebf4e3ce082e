/* Static quantization as every operator of it shares it: check, fold, choose the variant, fill the arguments,
 * launch. An operator says what it calls its arguments and which rules are its own. */
#ifndef CLQ_OPS_STATIC_QUANTIZE_H
#define CLQ_OPS_STATIC_QUANTIZE_H

#include <clquant/quantize.h>
#include <stdbool.h>

struct clq__static_quantize {
    const DLTensor *x, *scales, *zero_points, *y;
    const char *x_name, *y_name; /* scales and zero_points are called so everywhere */
    int axis;
    uint32_t mode; /* enum clq_scale_mode */
    bool build_only;
};

clq_status clq__static_quantize(clq_context *context, cl_command_queue queue,
                                const struct clq__static_quantize *call, cl_uint num_wait,
                                const cl_event *wait, cl_event *done);

#endif

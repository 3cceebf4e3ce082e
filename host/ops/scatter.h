/* SPDX-License-Identifier: Apache-2.0 */
/* Quantize and scatter: what clq_quantize_scatter and the documented calls share. */
#ifndef CLQ_OPS_SCATTER_H
#define CLQ_OPS_SCATTER_H

#include "plan/static_quantize.h"

#include <clquant/quantize_scatter.h>

/* What a call names its arguments; indices and updates are called so everywhere. */
struct clq__scatter_names {
    const char *input, *cache, *scales, *zero_points;
};

struct clq__scatter {
    const struct clq__scatter_names *names;
    const DLTensor *input, *cache, *indices, *updates, *scales, *zero_points;
    cl_mem report, workspace;
    uint64_t report_offset_bytes, workspace_offset_bytes;
    int axis;
    uint32_t mode, range, unique;
};

/* What a descriptor of clq_quantize_scatter says; refuses reserved numbers. */
clq_status clq__scatter_of(const struct clq_quantize_scatter_desc *desc, struct clq__scatter *call);
/* Every rule but those of buffers, once. input is absent where the call is in place. */
clq_status clq__scatter_check(const struct clq__scatter *call, struct clq__static_work *work,
                              struct clq__view *input);

/* Those of buffers, but for the workspace. */
clq_status clq__scatter_check_memory(const clq_context *context, const struct clq__static_work *work,
                                     const struct clq__view *input);

clq_status clq__scatter_run(clq_context *context, cl_command_queue queue, const struct clq__scatter *call,
                            bool build_only, cl_uint num_wait, const cl_event *wait, cl_event *done);

#endif

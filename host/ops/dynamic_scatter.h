/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic quantization into a cache: what clq_dynamic_quantize_scatter and the documented call share. */
#ifndef CLQ_OPS_DYNAMIC_SCATTER_H
#define CLQ_OPS_DYNAMIC_SCATTER_H

#include "plan/dynamic.h"

#include <clquant/dynamic_quantize_scatter.h>

struct clq__dynamic_scatter {
    const struct clq__dynamic_names *names; /* x stands for updates, y for the cache */
    struct clq__dynamic_tensors tensors;
    const DLTensor *indices;
    cl_mem report, workspace;
    uint64_t report_offset_bytes, workspace_offset_bytes;
    int axis;
    uint32_t range, unique;
};

/* What a descriptor of clq_dynamic_quantize_scatter says; refuses reserved numbers. */
clq_status clq__dynamic_scatter_of(const struct clq_dynamic_quantize_scatter_desc *desc,
                                   struct clq__dynamic_scatter *call);
/* Every rule but those of buffers, once. */
clq_status clq__dynamic_scatter_check(const struct clq__dynamic_scatter *call,
                                      struct clq__dynamic_work *work);

clq_status clq__dynamic_scatter_run(clq_context *context, cl_command_queue queue,
                                    const struct clq__dynamic_scatter *call, bool build_only,
                                    cl_uint num_wait, const cl_event *wait, cl_event *done);

#endif

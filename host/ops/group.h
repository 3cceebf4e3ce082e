/* SPDX-License-Identifier: Apache-2.0 */
/* Group quantization: what clq_group_quantize and the documented call share. */
#ifndef CLQ_OPS_GROUP_H
#define CLQ_OPS_GROUP_H

#include "plan/static_quantize.h"

#include <clquant/group_quantize.h>

struct clq__group {
    const char *scales_name, *zero_points_name; /* the others are called so everywhere */
    const DLTensor *x, *scales, *group_index, *zero_points, *y;
    cl_mem report;
    uint64_t report_offset_bytes;
};

/* What a descriptor of clq_group_quantize says; refuses reserved numbers. */
clq_status clq__group_of(const struct clq_group_quantize_desc *desc, struct clq__group *call);
/* Every rule but those of buffers, once. */
clq_status clq__group_check(const struct clq__group *call, struct clq__static_work *work);

clq_status clq__group_run(clq_context *context, cl_command_queue queue, const struct clq__group *call,
                          bool build_only, cl_uint num_wait, const cl_event *wait, cl_event *done);

#endif

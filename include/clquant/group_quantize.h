/* SPDX-License-Identifier: Apache-2.0 */
/* Static quantization with one row of scales per group of rows, as mixture-of-experts activations have it.
 *
 *   y[r, :] = sat(rint(x[r, :] * scales[g(r), :] + zero_point))       no zero point: no addition
 *
 *   g(r):  lo = 0, hi = E;  while lo < hi { m = (lo + hi) / 2;  group_index[m] <= r ? lo = m + 1 : hi = m }
 *          g = lo
 *
 * group_index holds the end row of each group: non-decreasing, the first at least 0, the last exactly S;
 * empty groups are legal. One that breaks the rule never makes the device read or write outside a buffer: the
 * search decides all the same, and rows with g = E, of no group, keep their bytes and are counted in
 * report.dropped. The arithmetic is that of clquant/quantize.h, with round_first too.
 *
 * Types     x, scales, zero_points: float32, float16, bfloat16, independently, and scales float8_e4m3fn or
 *           float8_e8m0fnu too. group_index: int32, int64. y: a type of groups (tensor.h).
 * Shapes    x [S, H], scales [E, H], group_index [E], zero_points one element, E at least 1; y as x.
 * Layouts, Empty, Workspace, Events, Blocking, Threads: as in clquant/quantize.h.
 * Memory    the same. Scales that are not dense float32 rows are widened into a temporary buffer of 4 bytes
 *           an element. */
#ifndef CLQUANT_GROUP_QUANTIZE_H
#define CLQUANT_GROUP_QUANTIZE_H

#include <clquant/report.h>
#include <clquant/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

struct clq_group_quantize_desc {
    const DLTensor *x;
    const DLTensor *scales;
    const DLTensor *group_index; /* the end row of each group */
    const DLTensor *zero_points; /* NULL: none */
    const DLTensor *y;
    cl_mem report; /* a struct clq_report; NULL: none */
    uint64_t report_offset_bytes;
    uint32_t round_first; /* 1: as in clquant/quantize.h */
    uint32_t reserved32;
    cl_mem workspace; /* clq_group_quantize_workspace bytes; NULL: made for the call where it is needed */
    uint64_t workspace_offset_bytes;
    uint64_t reserved[4];
};

CLQ_API clq_status clq_group_quantize(clq_context *context, cl_command_queue queue,
                                      const struct clq_group_quantize_desc *desc, cl_uint num_wait,
                                      const cl_event *wait, cl_event *done);

/* Checks the descriptor and builds what the call would need, without enqueueing anything. */
CLQ_API clq_status clq_group_quantize_build(clq_context *context, const struct clq_group_quantize_desc *desc);

/* Checks what the descriptor says by itself: types, shapes, axis, strides, options. It takes no device: data
 * may be NULL, report and workspace are not looked at. */
CLQ_API clq_status clq_group_quantize_check(const struct clq_group_quantize_desc *desc);

/* The bytes of workspace that the call would use on the context's device; 0 for most. */
CLQ_API clq_status clq_group_quantize_workspace(clq_context *context,
                                                const struct clq_group_quantize_desc *desc,
                                                size_t *size_bytes);

/* Reads group_index back and checks it: CLQ_ERROR_INDEX, with a sentence that names the first wrong entry and
 * why. Blocks: on the wait list, and on the read. */
CLQ_API clq_status clq_group_quantize_check_indices(clq_context *context, cl_command_queue queue,
                                                    const struct clq_group_quantize_desc *desc,
                                                    cl_uint num_wait, const cl_event *wait);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic quantization of updates, written with its scales and offsets where indices say, in place.
 *
 *   for i in 0 .. N-1:
 *       b, s = indices[i] if indices is [N, 2] else (i, indices[i]), or of slots
 *              (indices[i] / A, indices[i] mod A)
 *       cache[b, .., s : s+U on axis, .., :], cache_scales[b, .., s : s+U, ..],
 *       cache_offsets[b, .., s : s+U, ..]
 *           = y, scales, offsets of dynamic_quantize(updates[i])
 *
 * The formulas, rotate's too, are those of clquant/dynamic_quantize.h; a scale is shared by a row, the last
 * dimension, or with block > 0 by each `block` elements of it. (Blocks along the axis of tokens are the
 * caller's: quantize a whole block of tokens by clq_dynamic_quantize with that axis, and write it by
 * clq_quantize_scatter or a copy once it is full.)
 *
 * Types     updates, smooth_scales: float32, float16, bfloat16. cache: a type of caches or blocks.
 *           cache_scales, cache_offsets: float32, float16, bfloat16, both of one type. indices: int32, int64.
 * Shapes    cache [D0, .., A, .., H], updates [N, .., U, .., H], of one rank from 3 to 8; A and U stand on
 *           axis, which is neither the first nor the last; U is at most A; all other dimensions are equal.
 *           cache_scales, cache_offsets: cache's shape less the last dimension, or with block [D0, .., A,
 *           .., ceil(H / block)]. smooth_scales: H elements.
 *           block: even where cache has four bits, and a multiple of 8, or no less than H, in words that do
 *           not follow one another.
 *           indices [N]: a start on axis for batch i, N at most D0. indices [N, 2]: (batch, start), any N.
 *           For slots indices [N], any N, and U is 1, which updates may leave out.
 * Blocks    of ggml carry their scales: cache_scales and cache_offsets are NULL, block is 0 or 32, rotate 0
 *           or at least 32, and symmetric 0.
 * Rules     scale_rule, the types that it asks for and global_scale are those of clquant/dynamic_quantize.h.
 * Symmetric cache_offsets is NULL exactly where symmetric is 1.
 * Slots, Outside, Overlap, Workspace, Failure: as in clquant/quantize_scatter.h, for all three outputs, in
 *           place.
 * Layouts, Empty, Memory, Events, Errors, Blocking, Threads: as in clquant/dynamic_quantize.h. */
#ifndef CLQUANT_DYNAMIC_QUANTIZE_SCATTER_H
#define CLQUANT_DYNAMIC_QUANTIZE_SCATTER_H

#include <clquant/quantize_scatter.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zero means default in every field; that of axis is the second-to-last (clquant/tensor.h, at
 * CLQ_AXIS_FIRST). */
struct clq_dynamic_quantize_scatter_desc {
    const DLTensor *cache;
    const DLTensor *cache_scales;  /* NULL: cache has blocks that carry them */
    const DLTensor *cache_offsets; /* NULL: symmetric, or blocks */
    const DLTensor *indices;
    const DLTensor *updates;
    const DLTensor *smooth_scales; /* NULL: none */
    cl_mem report;                 /* a struct clq_report; NULL: none */
    uint64_t report_offset_bytes;
    cl_mem workspace; /* NULL: made for the call where it is needed */
    uint64_t workspace_offset_bytes;
    int32_t axis;
    uint32_t symmetric;           /* 1: the largest magnitude sets the scale, and there is no offset */
    uint32_t out_of_range;        /* enum clq_range_policy */
    uint32_t unique;              /* 1: no two entries overlap */
    uint32_t index_kind;          /* enum clq_index_kind */
    uint32_t rotate;              /* R, as in clquant/dynamic_quantize.h; 0: none */
    uint32_t block;               /* as in clquant/dynamic_quantize.h; 0: none */
    uint32_t scale_rule;          /* enum clq_scale_rule of clquant/dynamic_quantize.h */
    const DLTensor *global_scale; /* of CLQ_NVFP4; NULL: none */
    float least;                  /* of scale_rule, as in clquant/dynamic_quantize.h */
    uint32_t reserved32;
    uint64_t reserved[2];
};

CLQ_API clq_status clq_dynamic_quantize_scatter(clq_context *context, cl_command_queue queue,
                                                const struct clq_dynamic_quantize_scatter_desc *desc,
                                                cl_uint num_wait, const cl_event *wait, cl_event *done);

/* Checks the descriptor and builds what the call would need, without enqueueing anything. */
CLQ_API clq_status clq_dynamic_quantize_scatter_build(clq_context *context,
                                                      const struct clq_dynamic_quantize_scatter_desc *desc);

/* Checks what the descriptor says by itself: types, shapes, axis, strides, options. It takes no device: data
 * may be NULL, report and workspace are not looked at. */
CLQ_API clq_status clq_dynamic_quantize_scatter_check(const struct clq_dynamic_quantize_scatter_desc *desc);

/* The bytes of workspace that the call would use on the context's device; 0 for most. */
CLQ_API clq_status clq_dynamic_quantize_scatter_workspace(
    clq_context *context, const struct clq_dynamic_quantize_scatter_desc *desc, size_t *size_bytes);

/* Reads the indices back and checks them: CLQ_ERROR_INDEX, with a sentence that names the lowest wrong entry
 * and why; it is wrong outside its range, whatever out_of_range makes of it. Blocks: on the wait list, and on
 * the read. */
CLQ_API clq_status clq_dynamic_quantize_scatter_check_indices(
    clq_context *context, cl_command_queue queue, const struct clq_dynamic_quantize_scatter_desc *desc,
    cl_uint num_wait, const cl_event *wait);

#ifdef __cplusplus
}
#endif
#endif

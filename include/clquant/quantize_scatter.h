/* SPDX-License-Identifier: Apache-2.0 */
/* Quantizes updates and writes entry i where indices[i] says, in cache.
 *
 *   for i in 0 .. N-1:
 *       b, s = indices[i] if indices is [N, 2] else (i, indices[i]), or of slots
 *              (indices[i] / A, indices[i] mod A)
 *       cache[b, .., s : s+U on axis, ..] = sat(rint(updates[i] / scale + zero_point))
 *                                           (or updates[i] * scale)
 *
 * The arithmetic is that of clquant/quantize.h, with round_first too.
 *
 * Types     updates: float32, float16, bfloat16. scales: those, float8_e4m3fn, float8_e8m0fnu. zero_points:
 *           updates' types, or int8, uint8, int32, or none. indices: int32, int64. cache: a type of caches
 *           (tensor.h).
 * Shapes    cache [D0, .., A, .., L], updates [N, .., U, .., L], of one rank from 2 to 8; A and U stand on
 *           axis, which is any but the first and for a cache of four bits not the last; U is at most A; all
 *           other dimensions are equal. indices [N]: a start on axis for batch i, N at most D0. indices [N,
 *           2]: (batch, start), any N. For slots indices [N], any N, and U is 1; updates may leave it out:
 *           [N, H, D] for pages [P, A, H, D].
 * scales    and zero_points, independently of each other, are one of:
 *             one element, or one per index of the last axis, in any shape
 *             by shape   of updates' rank, with a size off the last axis that is not 1: every size is 1, or
 *                        updates'; 1 on the first dimension and on axis, for scales do not belong to places
 *             by blocks  `block` > 0, where axis is not the last: the same with ceil(L / block) on the last
 *                        axis, one for as many consecutive elements. scales are by blocks then, and
 *                        zero_points may be
 * Slots     index_kind CLQ_SLOTS: each index is a place of the whole cache, b * A + s: the slot_mapping of
 *           a paged cache, whose pages are the batches. -1 skips the entry: nothing is written, and it is
 *           not counted. out_of_range is CLQ_DROP: any other slot outside of [0, D0 * A) is dropped and
 *           counted.
 * Outside   valid: 0 <= b < D0 and 0 <= s <= A-U. CLQ_DROP leaves such an entry out whole and counts it in
 *           report; CLQ_CLAMP moves start and batch to the nearest valid value; CLQ_WRAP makes the axis a
 *           ring, element u goes to (s + u) mod A, and drops an entry whose batch is not valid. Never a
 *           write outside the cache.
 * Overlap   the last entry wins, element by element, as the loop above leaves it, on every device and run.
 *           Entries that are skipped or dropped win nothing. `unique` promises that none overlap: then
 *           nothing is paid, and a broken promise leaves either entry's bytes. 1-D starts cannot overlap,
 *           and never pay.
 * In place  input is NULL: only those elements change. Else cache becomes a copy of input with them changed,
 *           and input keeps its bytes; it has cache's type and shape.
 * Layouts   any non-negative strides and byte offsets; 64-bit offsets throughout. cache must not overlap
 *           itself or an input.
 * Workspace what last-wins needs with many pairs or slots, and scales and zero points that are widened:
 *           clq_quantize_scatter_workspace says how much. Its rules are those of clquant/quantize.h.
 * Empty     succeeds: nothing but the copy is written, indices are not looked at, and *done still honours the
 *           wait list.
 * Failure   a refused argument leaves every buffer alone. A later failure, to build or to enqueue, gives no
 *           event, but what was enqueued before it still happens: cache may become the copy of input,
 *           workspace is written. Finish the queue before the buffers are used again. In place, cache keeps
 *           its bytes.
 * Memory    as in clquant/quantize.h.
 * Blocking  only to build, the first time a variant is used.
 * Threads   safe on a shared context. */
#ifndef CLQUANT_QUANTIZE_SCATTER_H
#define CLQUANT_QUANTIZE_SCATTER_H

#include <clquant/quantize.h>
#include <clquant/report.h>

#ifdef __cplusplus
extern "C" {
#endif

enum clq_range_policy { CLQ_DROP = 0, CLQ_CLAMP = 1, CLQ_WRAP = 2 };

/* An index is a start where indices are [N], a batch and a start where they are [N, 2], or a slot of the
 * whole cache; of clq_move_rows alone, one of the first k dimensions where they are [N, k]. */
enum clq_index_kind { CLQ_INDICES_BY_SHAPE = 0, CLQ_SLOTS = 1, CLQ_ND = 2 };

/* Zero means default in every field; that of axis is the second-to-last (clquant/tensor.h, at
 * CLQ_AXIS_FIRST). */
struct clq_quantize_scatter_desc {
    const DLTensor *input; /* NULL: in place */
    const DLTensor *cache;
    const DLTensor *indices;
    const DLTensor *updates;
    const DLTensor *scales;
    const DLTensor *zero_points; /* NULL: none */
    cl_mem report;               /* a struct clq_report; NULL: none */
    uint64_t report_offset_bytes;
    cl_mem workspace; /* NULL: made for the call where it is needed */
    uint64_t workspace_offset_bytes;
    int32_t axis;
    uint32_t mode;         /* enum clq_scale_mode */
    uint32_t out_of_range; /* enum clq_range_policy */
    uint32_t unique;       /* 1: no two entries overlap */
    uint32_t index_kind;   /* enum clq_index_kind */
    uint32_t block;        /* indices of the last dimension that share a scale; 0: no blocks */
    uint32_t round_first;  /* 1: as in clquant/quantize.h */
    uint32_t reserved32;
    uint64_t reserved[4];
};

CLQ_API clq_status clq_quantize_scatter(clq_context *context, cl_command_queue queue,
                                        const struct clq_quantize_scatter_desc *desc, cl_uint num_wait,
                                        const cl_event *wait, cl_event *done);

/* Checks the descriptor and builds what the call would need, without enqueueing anything. */
CLQ_API clq_status clq_quantize_scatter_build(clq_context *context,
                                              const struct clq_quantize_scatter_desc *desc);

/* Checks what the descriptor says by itself: types, shapes, axis, strides, options. It takes no device: data
 * may be NULL, report and workspace are not looked at. */
CLQ_API clq_status clq_quantize_scatter_check(const struct clq_quantize_scatter_desc *desc);

/* The bytes of workspace that the call would use on the context's device; 0 for most. */
CLQ_API clq_status clq_quantize_scatter_workspace(clq_context *context,
                                                  const struct clq_quantize_scatter_desc *desc,
                                                  size_t *size_bytes);

/* Reads the indices back and checks them: CLQ_ERROR_INDEX, with a sentence that names the lowest wrong entry
 * and why; it is wrong outside its range, whatever out_of_range makes of it. Blocks: on the wait list, and on
 * the read. */
CLQ_API clq_status clq_quantize_scatter_check_indices(clq_context *context, cl_command_queue queue,
                                                      const struct clq_quantize_scatter_desc *desc,
                                                      cl_uint num_wait, const cl_event *wait);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Moves rows to places and from places, without arithmetic: what caches append, copy, gather, defragment and
 * fork.
 *
 *   for i in 0 .. N-1:
 *       the U positions from the place of src_indices[i] in src go to the place of dst_indices[i] in dst,
 *       as if all were read before any is written
 *
 * Forms     scatter: src_indices is NULL; src is [N, .., U, .., L], and entry i is its row i.
 *           gather: dst_indices is NULL; dst is [N, .., U, .., L].
 *           cache to cache: both are given; U is `positions`, 1 where that is 0. The caches may have other D0
 *           and A: all other dimensions are equal.
 * Types     src and dst: the same, of any kind, blocks too, with the same lanes; bytes move as they are. Or
 *           both of float32, float16, bfloat16: converted, rounded once; a NaN becomes the canonical one.
 *           Indices: int32, int64.
 * input     with dst_indices: of dst's type, lanes and shape. dst is a copy of it before the first row moves,
 *           and must not share bytes with it.
 * Places    of a cache [D0, .., A, .., L], A and U on axis, which is any but the first, and with four bits or
 *           blocks not the last. Indices [N]: a start on axis for batch i, N at most D0. [N, 2]: (batch,
 *           start), any N. CLQ_SLOTS, [N]: b * A + s, U is 1, and -1 skips the entry; the other tensor may
 *           leave that one position out: rows [N, H, D] for pages [P, A, H, D].
 *           CLQ_ND, [N, k]: an index for each of the first k dimensions, k from 1 to the rank, with four bits
 *           or blocks less than that; the rest of the dimensions is the row, and the other tensor is
 *           [N, rest] (of two caches both have CLQ_ND, each with its own k). axis says nothing then.
 * Outside   of either side by itself. CLQ_DROP: the entry moves nothing, and dst keeps its bytes. CLQ_CLAMP:
 *           each number moves to the nearest valid one. CLQ_WRAP: the axis is a ring, element u is at
 *           (s + u) mod A, and an entry whose batch is not valid is dropped; with CLQ_ND each index is taken
 *           around its dimension, so that -1 is the last one. Slots: CLQ_DROP.
 * Report    an entry that either side drops counts as dropped, once; one that moves, and that either side
 *           clamps, as clamped; one that either side skips does not count.
 * Overlap   the last entry that moves wins, element by element, on every device and run.
 * In place  src and dst may share bytes, and places may be both read and written: then a workspace holds the
 *           rows in between, of N * U positions. dst must not share bytes with indices.
 * unique    1: no two entries write one place, and no row that is read is written. Nothing is paid then; a
 *           broken promise leaves any of the bytes that were there.
 * Layouts   any non-negative strides and byte offsets; 64-bit offsets throughout. dst must not overlap
 *           itself. Fast: rows whose elements follow one another, 16-byte aligned.
 * Workspace what last-wins needs with many entries, places of CLQ_ND, and rows in between:
 *           clq_move_rows_workspace says how much. Its rules are those of clquant/quantize.h.
 * Empty     succeeds: nothing is written, indices are not looked at, and *done still honours the wait list.
 * Failure   a refused argument leaves every buffer alone. A later failure, to build or to enqueue, gives no
 *           event; workspace and report may be written then, and dst keeps its bytes, or is the copy of
 *           input. Finish the queue before the buffers are used again.
 * Memory    as in clquant/quantize.h.
 * Blocking  only to build, the first time a variant is used.
 * Threads   safe on a shared context. */
#ifndef CLQUANT_MOVE_ROWS_H
#define CLQUANT_MOVE_ROWS_H

#include <clquant/quantize_scatter.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zero means default in every field; that of axis is the second-to-last (clquant/tensor.h, at
 * CLQ_AXIS_FIRST). */
struct clq_move_rows_desc {
    const DLTensor *src;
    const DLTensor *src_indices; /* NULL: entry i is row i of src */
    const DLTensor *dst_indices; /* NULL: entry i becomes row i of dst */
    const DLTensor *dst;
    cl_mem report; /* a struct clq_report; NULL: none */
    uint64_t report_offset_bytes;
    cl_mem workspace; /* NULL: made for the call where it is needed */
    uint64_t workspace_offset_bytes;
    int32_t axis;
    uint32_t positions;        /* U between two caches; 0: 1. Else 0, for src or dst says it */
    uint32_t src_out_of_range; /* enum clq_range_policy */
    uint32_t dst_out_of_range;
    uint32_t src_index_kind; /* enum clq_index_kind */
    uint32_t dst_index_kind;
    uint32_t unique; /* 1: no place is written twice, and none is both read and written */
    uint32_t reserved32;
    const DLTensor *input; /* what dst begins as, and is copied from first; NULL: dst itself */
    uint64_t reserved[3];
};

CLQ_API clq_status clq_move_rows(clq_context *context, cl_command_queue queue,
                                 const struct clq_move_rows_desc *desc, cl_uint num_wait,
                                 const cl_event *wait, cl_event *done);

/* Checks the descriptor and builds what the call would need, without enqueueing anything. */
CLQ_API clq_status clq_move_rows_build(clq_context *context, const struct clq_move_rows_desc *desc);

/* Checks what the descriptor says by itself: types, shapes, axis, strides, options. It takes no device: data
 * may be NULL, report and workspace are not looked at. */
CLQ_API clq_status clq_move_rows_check(const struct clq_move_rows_desc *desc);

/* The bytes of workspace that the call would use on the context's device; 0 for most. */
CLQ_API clq_status clq_move_rows_workspace(clq_context *context, const struct clq_move_rows_desc *desc,
                                           size_t *size_bytes);

/* Reads the indices of both sides back and checks them: CLQ_ERROR_INDEX, with a sentence that names the
 * lowest wrong entry, of src_indices first, and why; it is wrong outside its range, whatever out_of_range
 * makes of it. Blocks: on the wait list, and on the reads. */
CLQ_API clq_status clq_move_rows_check_indices(clq_context *context, cl_command_queue queue,
                                               const struct clq_move_rows_desc *desc, cl_uint num_wait,
                                               const cl_event *wait);

#ifdef __cplusplus
}
#endif
#endif

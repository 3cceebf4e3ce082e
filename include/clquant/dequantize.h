/* SPDX-License-Identifier: Apache-2.0 */
/* The way back: quantized tensors and caches to floats, dense or gathered.
 *
 *   CLQ_DEQUANTIZE_DIVIDE     y = (q - zero_point) * scale      undoes CLQ_DIVIDE
 *   CLQ_DEQUANTIZE_MULTIPLY   y = (q - zero_point) / scale      undoes CLQ_MULTIPLY, and group_quantize
 *   CLQ_DEQUANTIZE_DYNAMIC    y = (q + offset) * scale          undoes dynamic quantization
 *                             y = q * scale                     the same without offsets
 *                             y = (q * scale) * global_scale    of NVFP4
 *
 * q widens to binary32 (int32 rounds to nearest-even); every operation is one binary32 operation, rounded
 * once, to nearest-even; then the result is rounded once more, to y's type. Subnormals count, in y too. Every
 * NaN is the canonical one of its type. No zero point: no subtraction. The same bytes on every device.
 *
 * With indices it gathers first, and U is the size of y on axis:
 *
 *   for i in 0 .. N-1:
 *       b, s = indices[i] if indices is [N, 2] else (i, indices[i]), or of slots
 *              (indices[i] / A, indices[i] mod A)
 *       y[i] = dequantized q[b, .., s : s+U on axis, ..]
 *
 * With group_index, in multiply mode, row r of q [S, H] takes the scales of its group, as
 * clquant/group_quantize.h finds it. Rows of no group keep their bytes in y, and are counted in report.
 *
 * rotate is R of rows that were turned (clquant/dynamic_quantize.h): in dynamic mode each R neighbours of a
 * row are turned back, once (q + offset) * scale is there and before it is rounded to y's type. R divides the
 * size of the last dimension. In the other modes it is 0.
 *
 * Types       q: a type of y, or blocks (clquant/tensor.h). scales: float32, float16, bfloat16,
 *             float8_e4m3fn, float8_e8m0fnu; in dynamic mode the latter beside floats alone, and
 *             float8_e4m3fn beside float4_e2m1fn. zero_points, offsets: the first
 *             three, or int8, uint8, int32, or none. y: float32, float16, bfloat16. indices, group_index:
 *             int32, int64. All else is independent of each other.
 * Shapes      y as q, rank 0 to 8; with indices [N, .., U, ..] of q [D0, .., A, ..] as updates and cache in
 *             clquant/quantize_scatter.h, from rank 2 on, and in dynamic mode from rank 3 on with axis not
 *             the last.
 * scales      divide, multiply: as in clquant/quantize.h; with indices as in clquant/quantize_scatter.h.
 *             With group_index [E, H]. Dynamic: q's shape without `axis`; with block > 0 of q's rank, along
 *             axis ceil(size / block), one for each block, with block_before > 0 ceil(size / block_before) in
 *             front of it; with block_all one element. With indices they are those of the last axis, or of
 *             blocks of it, and are gathered from the places of their rows.
 * zero_points divide, multiply: the same, independently; with group_index one. Dynamic: none.
 * offsets     dynamic: as scales, or none where quantization was symmetric. Else: none.
 * global_scale dynamic: float32 of one element, beside q float4_e2m1fn, scales float8_e4m3fn and no offsets.
 * block       dynamic: where q has four bits and axis is the last it is even. 0 with group_index.
 * block_before as in clquant/quantize.h; 0 with indices and with group_index. With rotate q has at most seven
 *             dimensions then.
 * Blocks      q of ggml's blocks (clquant/tensor.h), in dynamic mode: y is what they hold, scales and
 *             offsets are NULL, block is 0 or 32, block_before 0, rotate 0 or at least 32, and without
 *             indices axis is the last.
 * Slots       index_kind CLQ_SLOTS, with indices: as in clquant/quantize_scatter.h. -1 leaves the entry's
 *             bytes in y as they are, and is not counted.
 * Outside     CLQ_DROP leaves the entry's bytes in y as they are and counts it in report; CLQ_CLAMP and
 *             CLQ_WRAP as in clquant/quantize_scatter.h. Never a read outside of q.
 * Memory      as in clquant/quantize.h. Scales and zero points that differ along a row of y and are not
 *             dense float32 are widened into a temporary buffer of 4 bytes an element each.
 * Layouts     as in clquant/quantize.h. Several entries may read one place.
 * Errors      with rotate as in clquant/dynamic_quantize.h.
 * Empty, Workspace, Events, Blocking, Threads: as in clquant/quantize.h. */
#ifndef CLQUANT_DEQUANTIZE_H
#define CLQUANT_DEQUANTIZE_H

#include <clquant/quantize_scatter.h>
#include <clquant/report.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The first two share the numbers of enum clq_scale_mode, whose work they undo. */
enum clq_dequantize_mode {
    CLQ_DEQUANTIZE_DIVIDE = 0,
    CLQ_DEQUANTIZE_MULTIPLY = 1,
    CLQ_DEQUANTIZE_DYNAMIC = 2,
};

/* Zero means default in every field. axis (clquant/tensor.h, at CLQ_AXIS_FIRST): without indices that of
 * scales and zero_points or offsets, by default the last, neither used nor checked where both have one
 * element and block is 0, with block_all and with group_index; with indices that of the starts, by default
 * the second-to-last, and blocks are those of the last axis. New fields take the place of reserved ones,
 * which must be zero. */
struct clq_dequantize_desc {
    const DLTensor *q;
    const DLTensor *scales;
    const DLTensor *zero_points; /* divide and multiply; NULL: none */
    const DLTensor *offsets;     /* dynamic; NULL: none */
    const DLTensor *indices;     /* NULL: all of q */
    const DLTensor *group_index; /* the end row of each group; NULL: none */
    const DLTensor *y;
    cl_mem report; /* a struct clq_report, of indices or group_index; NULL: none */
    uint64_t report_offset_bytes;
    int32_t axis;
    uint32_t mode;         /* enum clq_dequantize_mode */
    uint32_t out_of_range; /* enum clq_range_policy */
    uint32_t index_kind;   /* enum clq_index_kind, of indices */
    uint32_t block;     /* indices of axis that share a scale, with indices those of the last; 0: no blocks */
    uint32_t block_all; /* dynamic: 1 where all of q has one scale */
    uint32_t rotate;    /* R of rows that were turned, in dynamic mode; 0: none */
    uint32_t block_before; /* with block, indices of the dimension in front of axis; 0: it is not cut */
    cl_mem workspace;      /* clq_dequantize_workspace bytes; NULL: made for the call where it is needed */
    uint64_t workspace_offset_bytes;
    const DLTensor *global_scale; /* dynamic: of NVFP4, a second scale of all of q; NULL: none */
    uint64_t reserved[3];
};

CLQ_API clq_status clq_dequantize(clq_context *context, cl_command_queue queue,
                                  const struct clq_dequantize_desc *desc, cl_uint num_wait,
                                  const cl_event *wait, cl_event *done);

/* Checks the descriptor and builds what the call would need, without enqueueing anything. */
CLQ_API clq_status clq_dequantize_build(clq_context *context, const struct clq_dequantize_desc *desc);

/* Checks what the descriptor says by itself: types, shapes, axis, strides, options. It takes no device: data
 * may be NULL, report and workspace are not looked at. */
CLQ_API clq_status clq_dequantize_check(const struct clq_dequantize_desc *desc);

/* The bytes of workspace that the call would use on the context's device; 0 for most. */
CLQ_API clq_status clq_dequantize_workspace(clq_context *context, const struct clq_dequantize_desc *desc,
                                            size_t *size_bytes);

/* Reads indices or group_index back and checks them: CLQ_ERROR_INDEX, with a sentence that names the lowest
 * wrong entry and why; it is wrong outside its range, whatever out_of_range makes of it. CLQ_ERROR_NULL where
 * the descriptor has neither. Blocks: on the wait list, and on the read. */
CLQ_API clq_status clq_dequantize_check_indices(clq_context *context, cl_command_queue queue,
                                                const struct clq_dequantize_desc *desc, cl_uint num_wait,
                                                const cl_event *wait);

#ifdef __cplusplus
}
#endif
#endif

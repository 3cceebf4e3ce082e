/* SPDX-License-Identifier: Apache-2.0 */
/* Static quantization: the scale is given.
 *
 *   divide    y = sat(rint(f32(x) / f32(scale) + f32(zero_point)))       no zero point: no addition
 *   multiply  y = sat(rint(f32(x) * f32(scale) + f32(zero_point)))
 *
 * With round_first = 1
 *
 *   divide    y = sat(rint(rint(f32(x) / f32(scale)) + f32(zero_point)))
 *   multiply  y = sat(rint(rint(f32(x) * f32(scale)) + f32(zero_point)))
 *
 * which is the order of ONNX's QuantizeLinear, and of PyTorch, which multiplies with 1 / scale. The outer
 * rint changes nothing where the zero point is whole. (Without it ties differ from theirs where the zero
 * point is odd.) A NaN stays 0, where ONNX Runtime gives the lowest value of the type.
 *
 * Every operation is one binary32 operation, rounded once, to nearest-even. rint rounds ties to even; sat
 * clamps to the range of y's type: +inf gives its end, -inf its beginning, NaN gives 0. A scale of 0 or below
 * follows IEEE. For a y of floats the sum is rounded to the type instead, to nearest-even, subnormals too:
 * beyond its largest finite value and for an infinity that value, NaN gives 0x7f, and -0 stays -0. The bytes
 * are the same on every device and every run (docs/numerics.md).
 *
 * Types     x: float32, float16, bfloat16. scales: those, float8_e4m3fn, float8_e8m0fnu. zero_points: x's
 *           types, or int8, uint8, int32, or absent (NULL). y: any of clquant/tensor.h's for it. Every
 *           combination works; round_first is for a y of integers.
 * Shapes    x and y are alike (of four bits in bytes or words: y's last dimension is a half or an eighth of
 *           x's), rank 0 to 8. scales and zero_points, independently of each other, are one of:
 *             one element, 0-D, 1-D or of x's rank
 *             by axis    one per index of `axis`, 1-D, or of x's rank with every other dimension 1
 *             by shape   of x's rank, with a size off the axis that is not 1: every size is 1, or x's. A
 *                        cache [B, H, S, D] takes [1, H, 1, 1], one for each head, and [1, H, 1, D], one
 *                        for each head and channel
 *             by blocks  `block` > 0: of x's rank; along axis ceil(size / block), one for as many
 *                        consecutive indices, the last block may be shorter; every other size is 1, or x's.
 *                        scales are by blocks then, and zero_points may be.
 *                        `block_before` > 0 besides: so is the dimension in front of axis, which is not the
 *                        first then, by ceil(size / block_before). Blocks of 128 x 128 have a scale each
 *           axis is by default the last; where both have one element and block is 0 it is neither used nor
 *           checked.
 * Layouts   any non-negative strides and byte offsets, zero strides for inputs; more than 2^31 elements. y
 *           must not overlap itself or an input; two tensors in one buffer must have disjoint byte ranges.
 * Empty     succeeds: nothing is written, and *done still honours the wait list.
 * Memory    nothing is retained; all buffers must live until *done completes. Scales and zero points that
 *           differ along a row and are not dense float32 are widened into a temporary buffer of 4 bytes an
 *           element each; so, on PoCL's CPUs, are those of short rows in long calls, repeated: 64 KiB at
 *           most of each. If four bits lie along the last axis, scales of blocks of an odd number of
 *           elements, or of words with gaps, are written out there: 4 bytes for each element of a block. Thus
 *           are scales of blocks of a tensor of eight dimensions that do not merge.
 * Workspace the buffer whose pieces are the temporary buffers, from any multiple of 4 bytes on:
 *           clq_quantize_workspace says how large it is. A call that is given one makes no buffer, nor does
 *           a plan when it is enqueued or recorded. None given: one buffer is made for each call. It holds
 *           anything before and after, and is one call's until *done completes.
 * Events    as clEnqueueNDRangeKernel; done may be NULL. In-order and out-of-order queues are both right.
 * Blocking  only to build, the first time that a variant (types, mode, with a zero point or without) is
 *           used: a second or more on PoCL and on phones, unless the cache on disk has it.
 *           clq_quantize_build does it ahead of time.
 * Threads   safe on a shared context. */
#ifndef CLQUANT_QUANTIZE_H
#define CLQUANT_QUANTIZE_H

#include <clquant/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

enum clq_scale_mode { CLQ_DIVIDE = 0, CLQ_MULTIPLY = 1 };

/* Zero means default in every field; that of axis is the last (clquant/tensor.h, at CLQ_AXIS_FIRST). Thus
 * callers write only what they mean:
 *   &(struct clq_quantize_desc){.x = &x, .scales = &scales, .y = &y}
 * New fields take the place of reserved ones, which must be zero. */
struct clq_quantize_desc {
    const DLTensor *x;
    const DLTensor *scales;
    const DLTensor *zero_points; /* NULL: none */
    const DLTensor *y;
    int32_t axis;
    uint32_t mode;        /* enum clq_scale_mode */
    uint32_t block;       /* indices of axis that share a scale; 0: no blocks */
    uint32_t round_first; /* 1: rounded before the zero point is added, then again */
    cl_mem workspace;     /* clq_quantize_workspace bytes; NULL: made for the call where it is needed */
    uint64_t workspace_offset_bytes;
    uint32_t block_before; /* with block, indices of the dimension in front of axis; 0: it is not cut */
    uint32_t reserved32;
    uint64_t reserved[3];
};

CLQ_API clq_status clq_quantize(clq_context *context, cl_command_queue queue,
                                const struct clq_quantize_desc *desc, cl_uint num_wait, const cl_event *wait,
                                cl_event *done);

/* Checks the descriptor and builds what clq_quantize would need for it, without enqueueing anything. */
CLQ_API clq_status clq_quantize_build(clq_context *context, const struct clq_quantize_desc *desc);

/* Checks what the descriptor says by itself: types, shapes, axis, strides, options. It takes no device: data
 * may be NULL, report and workspace are not looked at. */
CLQ_API clq_status clq_quantize_check(const struct clq_quantize_desc *desc);

/* The bytes of workspace that the call would use on the context's device; 0 for most. */
CLQ_API clq_status clq_quantize_workspace(clq_context *context, const struct clq_quantize_desc *desc,
                                          size_t *size_bytes);

#ifdef __cplusplus
}
#endif
#endif

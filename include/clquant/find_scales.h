/* SPDX-License-Identifier: Apache-2.0 */
/* Finds static scales: those with which the values of x fill the range of a type.
 *
 *   mx, mn = the largest and the least finite value of x, at least 0 and at most 0
 *
 *             scale to divide by             scale to multiply with         zero point
 *   absmax    max(amax / steps, 2^-100)      min(steps / amax, 2^100)       0; uint8: 128; uint4: 8
 *             amax = max(mx, -mn), steps = 127; int4, uint4: 7; floats: their largest
 *   minmax    max(half / steps, 2^-100)      min(steps / half, 2^100)       see below
 *             half = mx * 0.5 - mn * 0.5, steps = 127.5; int4, uint4: 7.5
 *
 * The zero point of minmax is lowest + rint(-mn / scale), or lowest + rint(-mn * scale), at most the
 * highest; lowest = -128; int4: -8; uint8, uint4: 0.
 *
 * Every operation is one binary32 operation, rounded once, to nearest-even; rint rounds ties to even.
 * Infinities and NaN count as 0, so that a scale is always finite and above 0: clq_quantize sends an
 * infinity to the end of the range and NaN to 0 with any scale. With the scales and zero points that are
 * found, for the same type and mode, clq_quantize keeps every finite value within half a step (of floats:
 * within their rounding), and 0 exact (docs/numerics.md). The bytes are the same on every device and
 * every run.
 *
 * Types     x: float32, float16, bfloat16. scales: float32. zero_points: float32, int32, or of 8 bits:
 *           uint8 for uint8 and uint4, int8 for the others; may be NULL where all of them are 0: absmax of
 *           all but uint8 and uint4. dtype, that x is to be quantized to: a type of caches (tensor.h), int8
 *           where it is left zero; floats with absmax alone.
 *
 * Shapes    x of rank 0 to 8. scales are any that clq_quantize takes (clquant/quantize.h): one element, by
 *           axis, by shape, or by blocks. The range is over all of x that a scale serves. axis is by
 *           default the last; where scales has one element and block is 0 it is neither used nor checked.
 *           zero_points: as scales; by axis as many.
 *
 * Layouts   any non-negative strides and byte offsets; more than 2^31 elements. The outputs overlap neither
 *           themselves nor anything else.
 *
 * Empty     where x has no elements every scale is that of zeros. If scales has none nothing is written,
 *           and *done still honours the wait list.
 *
 * Memory    nothing is retained; all buffers must live until *done completes. Ranges of parts of x go into
 *           a temporary buffer: none, or mostly a few bytes for every hundred of x; up to a quarter of x
 *           where an index has few values that lie together. Workspace: as in clquant/quantize.h.
 *
 * Events    as clEnqueueNDRangeKernel; done may be NULL. In-order and out-of-order queues are both right.
 *
 * Errors    also CLQ_ERROR_DEVICE, where a device would end the loops that it takes: docs/operators.md.
 *
 * Blocking  only to build, the first time a variant is used.
 *
 * Threads   safe on a shared context. */
#ifndef CLQUANT_FIND_SCALES_H
#define CLQUANT_FIND_SCALES_H

#include <clquant/quantize.h>

#ifdef __cplusplus
extern "C" {
#endif

enum clq_scale_method { CLQ_ABSMAX = 0, CLQ_MINMAX = 1 };

/* Zero means default in every field; that of axis is the last (clquant/tensor.h, at CLQ_AXIS_FIRST). New
 * fields take the place of reserved ones, which must be zero. */
struct clq_find_scales_desc {
    const DLTensor *x;
    const DLTensor *scales;
    const DLTensor *zero_points; /* NULL: none */
    DLDataType dtype;            /* CLQ_INT8, CLQ_FLOAT8_E4M3FN and so on */
    int32_t axis;
    uint32_t method;       /* enum clq_scale_method */
    uint32_t mode;         /* enum clq_scale_mode: what clq_quantize will do with the scales */
    uint32_t block;        /* indices of axis that share a scale; 0: no blocks */
    uint32_t block_before; /* with block, indices of the dimension in front of axis; 0: it is not cut */
    cl_mem workspace;      /* clq_find_scales_workspace bytes; NULL: made for the call where it is needed */
    uint64_t workspace_offset_bytes;
    uint64_t reserved[4];
};

CLQ_API clq_status clq_find_scales(clq_context *context, cl_command_queue queue,
                                   const struct clq_find_scales_desc *desc, cl_uint num_wait,
                                   const cl_event *wait, cl_event *done);

/* Checks the descriptor and builds what clq_find_scales would need for it, without enqueueing anything. */
CLQ_API clq_status clq_find_scales_build(clq_context *context, const struct clq_find_scales_desc *desc);

/* Checks what the descriptor says by itself: types, shapes, axis, strides, options. It takes no device: data
 * may be NULL, report and workspace are not looked at. */
CLQ_API clq_status clq_find_scales_check(const struct clq_find_scales_desc *desc);

/* The bytes of workspace that the call would use on the context's device; 0 for most. */
CLQ_API clq_status clq_find_scales_workspace(clq_context *context, const struct clq_find_scales_desc *desc,
                                             size_t *size_bytes);

#ifdef __cplusplus
}
#endif
#endif

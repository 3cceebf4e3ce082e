/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic quantization: the scale of each row, or of each block of it, is found from it.
 *
 *   mx, mn = max, min of the values that share a scale and are not NaN; both 0 where all are
 *
 *                   asymmetric                                    symmetric
 *   int4   scale    max((mx - mn) / 15, 1e-12)                    max(amax / 7, 1e-12)
 *          off      7 - mx / scale                                none
 *   int8   scale    max((mx - mn) / 255, 1e-12)                   max(amax / 127, 1e-12)
 *          off      127 - mx / scale                              none
 *   uint4, uint8: int4's and int8's scale, and off = 15 or 255 - mx / scale; never symmetric
 *   floats: always symmetric, max(amax / largest, 1e-12) with the largest of the type
 *
 *   scales[..] = scale    offsets[..] = -off                     both rounded to their type, and so used in
 *   y = sat(rint(x * (1 / scale) + off))
 *   back again:  x = (y + offset) * scale, or y * scale           (clquant/dequantize.h)
 *
 * amax is the largest |x| that is not NaN. smooth_scales, one value per element of a row, multiply x before
 * all else. Every operation is one binary32 operation, rounded once, to nearest-even, in this order. sat
 * clamps to the range of y's type; NaN gives 0. Floats are rounded as in clquant/quantize.h. The bytes are
 * the same on every device and every run; what infinities and constant rows give is in docs/operators.md.
 *
 * Shared    a scale is shared by a row, the last dimension; with axis by another dimension; with block > 0
 *           by each `block` indices of axis, the last ones may be fewer; with block_before > 0 besides, where
 *           axis is not the first, by as many indices of the dimension in front of it too, so that blocks are
 *           of both; with block_all by all of x.
 *           smooth_scales and rotate always run along the last dimension.
 * Rotated   rotate is R, a power of two from 2 to 1024 that divides H: each R neighbours of a row are
 *           turned by the orthonormal Walsh-Hadamard matrix, after smooth_scales and before all else, in
 *           binary32 and in exactly this order:
 *               for h = 1, 2, 4, .. R/2:   for each i with (i / h) even:
 *                   (v[i], v[i+h]) = (v[i] + v[i+h], v[i] - v[i+h])
 *               v[i] = v[i] * c            c = 1 / sqrt(R), rounded to binary32
 *           Range and values are those of the turned row. One infinity becomes R infinities, two may become
 *           NaN, and sums may overflow. Sums count subnormals. The way back turns once more: the matrix is
 *           its own inverse.
 * Types     x, smooth_scales: float32, float16, bfloat16. y: a type of caches, or blocks. scales, offsets:
 *           float32, float16, bfloat16, both of one type. For float16 scale is at least 2^-24 where it says
 *           1e-12 above, and asymmetric at least max(|mx|, |mn|) * 2^-15 too, so that the offset is finite.
 * Shapes    x [.., H], rank 1 to 8, H at least 1; y as x (of four bits: H even; bytes or words have a half
 *           or an eighth of it). scales, offsets: x's shape less axis; with block, x's with ceil(size /
 *           block) along axis, and with block_before ceil(size / block_before) in front of it; with block_all
 *           one element. smooth_scales: H elements.
 * block     even where y has four bits and axis is the last. With block_all 0. block_before is 0 where block
 *           is; with rotate x has at most seven dimensions then.
 * Blocks    of ggml (types of y in tensor.h) carry their scales: scales and offsets are NULL, block is 0 or
 *           32, axis the last, symmetric, block_before, block_all and type_max 0, group_index NULL, and
 *           rotate 0 or at least 32. docs/operators.md has their formulas.
 * Rules     with scale_rule, of MX and of NVFP4, y is float8_e4m3fn, float8_e5m2 or float4_e2m1fn, scales are
 *           float8_e8m0fnu, or of CLQ_NVFP4 float8_e4m3fn, and symmetric is 1. They are of blocks along axis,
 *           32 or 16 where block is 0; block_before, block_all and type_max are 0, group_index NULL. Words of
 *           four bits that do not follow one another have blocks along the last dimension, of multiples of 8.
 *           Smooth scales and rotate take a pass of their own. A block whose largest magnitude is below
 *           `least` has the scale of that, as where scales are found from max(amax, 1e-4). CLQ_NVFP4 may
 *           have a global_scale, float32 of one element, by which all scales of blocks are divided; a
 *           quotient by 0 is 0. The way back: clquant/dequantize.h in dynamic mode, with the block that was
 *           meant and the same global_scale.
 * Symmetric offsets is NULL exactly where symmetric is 1; y is signed then, and of floats it must be.
 * type_max  takes the place of 127, 7 or the largest in the scale; y saturates at the range of its type.
 * Groups    with group_index [E], int32 or int64, x is [S, H], and smooth_scales [E, H]: row r is
 *           multiplied by those of its group, as clquant/group_quantize.h finds it. Rows of no group keep
 *           their bytes in y, scales and offsets. axis is the last then, and block and block_all are 0.
 * Layouts   any non-negative strides and byte offsets, zero strides for inputs; more than 2^31 elements. y,
 *           scales and offsets must not overlap themselves, each other or an input; they may lie between
 *           one another in rows of equal stride, a scale behind its quants.
 * Empty     an x without elements succeeds, and *done still honours the wait list. If scales and offsets
 *           have elements all the same, by another axis than the last or with block_all, they are those of
 *           a row of no element: amax, mx and mn 0.
 * Memory    nothing is retained; all buffers must live until *done completes. smooth_scales that are not
 *           dense float32 are widened into a temporary buffer. By another axis than the last, with
 *           block_before, and with block_all, the scales are found in a pass of their own, with temporary
 *           buffers of some words a scale; where x is smoothed or turned besides, or turned in blocks that
 *           `block` cuts, its values are made ready in another, 4 bytes an element. Workspace: as in
 *           clquant/quantize.h.
 * Failure   a refused argument leaves every buffer alone, and so does a failure to build or to make a
 *           buffer. One to enqueue may leave scales written and y not, by another axis, with block_before
 *           and with block_all, or y and scales of some blocks, where the last ones are shorter.
 * Events    as clEnqueueNDRangeKernel; done may be NULL. In-order and out-of-order queues are both right.
 * Errors    also CLQ_ERROR_DEVICE, where a device would end the loops that a row takes: docs/operators.md.
 * Blocking  only to build, the first time a variant is used.
 * Threads   safe on a shared context. */
#ifndef CLQUANT_DYNAMIC_QUANTIZE_H
#define CLQUANT_DYNAMIC_QUANTIZE_H

#include <clquant/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How the scale of a block is found. The formulas are in docs/operators.md. */
enum clq_scale_rule {
    CLQ_SCALE_BY_RANGE = 0, /* as above */
    CLQ_MX_FLOOR = 1,       /* OCP Microscaling: scales float8_e8m0fnu, blocks of 32 where block is 0 */
    CLQ_MX_EVEN = 2,
    CLQ_MX_CEIL = 3,
    CLQ_MX_RCEIL = 4,
    CLQ_NVFP4 = 5, /* scales float8_e4m3fn, y float4_e2m1fn, blocks of 16 where block is 0 */
};

struct clq_dynamic_quantize_desc {
    const DLTensor *x;
    const DLTensor *smooth_scales; /* NULL: none */
    const DLTensor *y;
    const DLTensor *scales;  /* NULL: y has blocks that carry them */
    const DLTensor *offsets; /* NULL: symmetric, or blocks */
    uint32_t symmetric;      /* 1: the largest magnitude sets the scale, and there is no offset */
    uint32_t rotate;         /* R: each R neighbours of a row are turned before all else; 0: none */
    int32_t axis;       /* whose indices share a scale (clquant/tensor.h, at CLQ_AXIS_FIRST); 0: the last */
    uint32_t block;     /* indices of axis that share a scale; 0: all of them */
    uint32_t block_all; /* 1: all of x has one scale */
    float type_max;     /* symmetric: what the largest magnitude becomes; 0: the largest value of y's type */
    const DLTensor *group_index; /* the end row of each group; NULL: none */
    cl_mem workspace; /* clq_dynamic_quantize_workspace bytes; NULL: made for the call where it is needed */
    uint64_t workspace_offset_bytes;
    uint32_t block_before; /* with block, indices of the dimension in front of axis; 0: it is not cut */
    uint32_t scale_rule;   /* enum clq_scale_rule */
    const DLTensor *global_scale; /* of CLQ_NVFP4, a second scale of all of x; NULL: none */
    float least;                  /* of scale_rule: a largest magnitude below it counts as it */
    uint32_t reserved32;
    uint64_t reserved[1];
};

CLQ_API clq_status clq_dynamic_quantize(clq_context *context, cl_command_queue queue,
                                        const struct clq_dynamic_quantize_desc *desc, cl_uint num_wait,
                                        const cl_event *wait, cl_event *done);

/* Checks the descriptor and builds what the call would need, without enqueueing anything. */
CLQ_API clq_status clq_dynamic_quantize_build(clq_context *context,
                                              const struct clq_dynamic_quantize_desc *desc);

/* Checks what the descriptor says by itself: types, shapes, axis, strides, options. It takes no device: data
 * may be NULL, report and workspace are not looked at. */
CLQ_API clq_status clq_dynamic_quantize_check(const struct clq_dynamic_quantize_desc *desc);

/* The bytes of workspace that the call would use on the context's device; 0 for most. */
CLQ_API clq_status clq_dynamic_quantize_workspace(clq_context *context,
                                                  const struct clq_dynamic_quantize_desc *desc,
                                                  size_t *size_bytes);

#ifdef __cplusplus
}
#endif
#endif

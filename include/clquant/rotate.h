/* SPDX-License-Identifier: Apache-2.0 */
/* Rotates rows by an orthonormal Hadamard matrix: the known cure for outlier channels before int4.
 *
 *   y[r, b*n : (b+1)*n] = x[r, b*n : (b+1)*n] * M        for every block b of n elements of a row
 *   M[i][j] = h[i][j] / sqrt(n),  h symmetric, of +1 and -1, its rows orthogonal
 *
 * M is its own inverse, so the same call rotates back, and it keeps products: (qM)·(kM) = q·k. A few channels
 * that are tens of times larger than the rest stretch the range of every row and leave the others a few of
 * int4's 16 values; rotated, what they hold is spread over all n. With keys and queries rotated the scores of
 * an attention are those of before; with values rotated, its output comes out rotated.
 *
 * A library of its own, clquant_rotate, over clquant and CLBlast, whose products these are. They are float32
 * sums in an order that differs from device to device, so unlike all else in clquant **the bytes may differ
 * between devices**, by rounding: at most (n + 2) * 2^-24 times the sum of |x| / sqrt(n) over the block.
 *
 * Sizes     n is a power of two, or 12, 20 or 28 times one: 64, 80, 96, 112, 128, 160, 192, 256 .. at most
 *           4096. h is Sylvester's matrix of the power of two and, where there is one, Paley's of order 12,
 *           20 or 28.
 * Types     x, y: float32.
 * Shapes    x and y are alike, of rank 1 to 8, dense and row-major, their last dimension a multiple of n. y
 *           must not overlap x. CLBlast counts elements in 32 bits: byte_offset / 4 and the elements together
 *           are at most 2^31-1.
 * NaN, inf  spread over their whole block.
 * Empty     succeeds: nothing is written, and *done still honours the wait list.
 * Memory    nothing is retained but by the rotation: n * n floats on the device. All must live until *done
 *           completes.
 * Events    as clEnqueueNDRangeKernel; done may be NULL. CLBlast takes no wait list: one that is given
 *           becomes a barrier in the queue. In-order and out-of-order queues are both right.
 * Blocking  to build, the first time that CLBlast is used on a device: up to half a minute on PoCL, which
 *           keeps what it built. CLBlast's own memory of it is freed by CLBlastClearCache.
 * Threads   safe on a shared context and rotation. CLBlast 1.5.3 (Debian 12's) has a race where two threads'
 *           first calls build: rotations keep out of each other's way, calls of your own need a lock.
 * Status    one of CLBlast's own is passed on unchanged (CLBlastStatusCode). */
#ifndef CLQUANT_ROTATE_H
#define CLQUANT_ROTATE_H

#include <clquant/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct clq_rotation clq_rotation;

/* Makes M of n rows in a buffer of the context. On failure *rotation is NULL. */
CLQ_API clq_status clq_rotation_create(clq_context *context, int64_t n, clq_rotation **rotation);

/* NULL is fine. Work that was enqueued goes on. */
CLQ_API void clq_rotation_destroy(clq_rotation *rotation);

struct clq_rotate_rows_desc {
    const clq_rotation *rotation; /* of the context that the call is given */
    const DLTensor *x;
    const DLTensor *y;
    uint64_t reserved[4]; /* must be zero */
};

CLQ_API clq_status clq_rotate_rows(clq_context *context, cl_command_queue queue,
                                   const struct clq_rotate_rows_desc *desc, cl_uint num_wait,
                                   const cl_event *wait, cl_event *done);

#ifdef __cplusplus
}
#endif
#endif

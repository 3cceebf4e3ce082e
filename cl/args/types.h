/* SPDX-License-Identifier: Apache-2.0 */
/* The types of which every kernel's arguments are made. Compiled by the host's C and by OpenCL C, so that
 * both sides see the same bytes. */
#ifndef CLQ_ARGS_TYPES_H
#define CLQ_ARGS_TYPES_H

#ifdef __OPENCL_C_VERSION__
typedef long clq_i64;
typedef ulong clq_u64;
typedef uint clq_u32;
#else
#include <stdint.h>
typedef int64_t clq_i64;
typedef uint64_t clq_u64;
typedef uint32_t clq_u32;
#endif

/* Fails to compile on the side where the struct has another size: padding would shift every argument. */
#define CLQ_SAME_SIZE(name, size_bytes)                                                                      \
    typedef char clq_same_size_of_##name[sizeof(struct name) == (size_bytes) ? 1 : -1]

/* The type of a value that is read once a row: a build parameter would only multiply the kernels. */
enum clq_scalar {
    CLQ_SCALAR_NONE = 0, /* absent: read as -0.0, which changes nothing where it is added */
    CLQ_SCALAR_F32 = 1,
    CLQ_SCALAR_F16 = 2,
    CLQ_SCALAR_BF16 = 3,
    CLQ_SCALAR_I8 = 4,
    CLQ_SCALAR_U8 = 5,
    CLQ_SCALAR_I32 = 6,
    CLQ_SCALAR_E4M3 = 9,
    CLQ_SCALAR_E8M0 = 12,
};

/* Dimensions outside the rows. A tensor has eight, and one more where one of them is cut into blocks, of
 * which a row has one or more. */
#define CLQ_MOST_DIMS 8

/* Divides by d, from 1 on, without a division: magic is ceil(2^(63 + shift) / d) and shift the least with
 * 2^shift >= d, so that n / d is (2n * magic >> 64) >> shift for every n from 0 to 2^63 - 1.
 * magic32 is ceil(2^(31 + shift) / d): below 2^31, n / d is (2n * magic32 >> 32) >> shift as well.
 * (host/plan/shares/divisor.c, cl/index/divide.clh) */
struct clq_divisor {
    clq_u64 magic;
    clq_u32 shift, magic32; /* the latter of d below 2^31 alone */
};

/* A dimension outside the rows: its size, and how far each tensor moves from one index to the next, in
 * elements (y in units). */
struct clq_dim {
    clq_i64 size, x, y, scale, zero_point;
    struct clq_divisor by_size;
};

#endif

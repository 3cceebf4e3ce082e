/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of 32 values that carry their scale, as ggml lays them out: q8_0, q4_0, q4_1, q5_0, q5_1, iq4_nl. */
#ifndef CLQUANT_REFERENCE_BLOCKS_H
#define CLQUANT_REFERENCE_BLOCKS_H

#include "types.h"

/* 32 values to the bytes of a block. NaN counts as 0. With d before it is stored as float16, inv = 1 / d,
 * which is 0 where d is 0 or subnormal, and m the first value of the largest magnitude, or +0:
 *
 *     q8_0         d = max|x| / 127            q = x * inv to the nearest, halves away from 0
 *     q4_0, q5_0   d = m / -8, m / -16         q = x * inv + 8.5, + 16.5 cut, at most 15, 31
 *     q4_1, q5_1   d = (hi - lo) / 15, / 31    q = (x - lo) * inv + 0.5 cut, at most 15, 31; lo is stored
 *     iq4_nl       t = m / -127, d = a / b     the level L nearest to x / t; a and b are sums of ((x x) L) x
 *                                              and ((x x) L) L
 *
 * Where a value is infinite, q8_0 and the types with lo have an infinite d. Codes of what is no number are 0,
 * and of iq4_nl 15. */
void reference_block_quantize(enum reference_type type, const float *values, unsigned char *block);

/* Value number n of a block. */
float reference_block_value(enum reference_type type, const unsigned char *block, int n);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the rows of dynamic quantization need beside simd.h: the range of a row from the bits of its elements,
 * and results of values that are known to be in range.
 *
 * Floats of every width are sign and magnitude. So of the bits of a row, the largest as signed integers is
 * its largest element unless all are negative, and the largest as unsigned is its smallest element unless
 * none is; then the smallest as unsigned is the one that is missing. NaN lies past infinity on either side.
 * That is two operations for a line of elements, which need not be widened for it. */
#ifndef CLQUANT_BENCH_SIMD_ROWS_H
#define CLQUANT_BENCH_SIMD_ROWS_H

#include "simd.h"

enum { BLOCK_ROWS = 16 };

/* keys are a line of 16 or 32 bits each; `bits` is a constant wherever these are used. */
enum keys_order { KEYS_SIGNED_MAX, KEYS_UNSIGNED_MAX, KEYS_UNSIGNED_MIN };

#if defined(SIMD_IS_AVX512)
#include "simd_rows_avx512.h"
#elif defined(SIMD_IS_AVX2)
#include "simd_rows_avx2.h"
#else
#include "simd_rows_plain.h"
#endif

#endif

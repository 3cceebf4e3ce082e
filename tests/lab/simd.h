/* SPDX-License-Identifier: Apache-2.0 */
/* The few vector operations that the stream and peer loops are made of, for the instruction set that the file
 * is compiled for (SIMD_SET, by CMakeLists.txt). A line is 64 bytes, floats are VF of them. */
#ifndef CLQUANT_BENCH_SIMD_H
#define CLQUANT_BENCH_SIMD_H

#include <stdint.h>
#include <string.h>

#define SIMD_JOIN_(a, b) a##_##b
#define SIMD_JOIN(a, b)  SIMD_JOIN_(a, b)
/* The name of a table in the object file of this instruction set. */
#define SIMD_NAME(name) SIMD_JOIN(name, SIMD_SET)

#ifndef SIMD_INLINE
#define SIMD_INLINE static inline __attribute__((always_inline))
#endif

#if defined(SIMD_IS_AVX512)
#include "simd_avx512.h"
#elif defined(SIMD_IS_AVX2)
#include "simd_avx2.h"
#else
#include "simd_plain.h"
#endif

enum { LINE_BYTES = 64 };

#endif

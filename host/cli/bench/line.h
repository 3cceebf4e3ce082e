/* SPDX-License-Identifier: Apache-2.0 */
/* A line of 64 bytes in the registers of the instruction set that the file is compiled for (SIMD_SET, by
 * CMakeLists.txt). */
#ifndef CLQUANT_BENCH_LINE_H
#define CLQUANT_BENCH_LINE_H

#include <stdint.h>
#include <string.h>

#define SIMD_JOIN_(a, b) a##_##b
#define SIMD_JOIN(a, b)  SIMD_JOIN_(a, b)
/* The name of a table in the object file of this instruction set. */
#define SIMD_NAME(name) SIMD_JOIN(name, SIMD_SET)

#ifndef SIMD_INLINE
#define SIMD_INLINE static inline __attribute__((always_inline))
#endif

enum { LINE_BYTES = 64 };

/* V: a vector; N: how many are a line. */
#if defined(SIMD_IS_AVX512)
#include <immintrin.h>
#define LINE_V            __m512i
#define LINE_ZERO         _mm512_setzero_si512()
#define LINE_LOAD(p)      _mm512_loadu_si512(p)
#define LINE_XOR(a, b)    _mm512_xor_si512(a, b)
#define LINE_STORE(p, v)  _mm512_storeu_si512(p, v)
#define LINE_STREAM(p, v) _mm512_stream_si512(p, v)
#define LINE_FENCE()      _mm_sfence()
#elif defined(SIMD_IS_AVX2)
#include <immintrin.h>
#define LINE_V            __m256i
#define LINE_ZERO         _mm256_setzero_si256()
#define LINE_LOAD(p)      _mm256_loadu_si256(p)
#define LINE_XOR(a, b)    _mm256_xor_si256(a, b)
#define LINE_STORE(p, v)  _mm256_storeu_si256(p, v)
#define LINE_STREAM(p, v) _mm256_stream_si256(p, v)
#define LINE_FENCE()      _mm_sfence()
#elif defined(__SSE2__)
#include <emmintrin.h>
#define LINE_V            __m128i
#define LINE_ZERO         _mm_setzero_si128()
#define LINE_LOAD(p)      _mm_loadu_si128(p)
#define LINE_XOR(a, b)    _mm_xor_si128(a, b)
#define LINE_STORE(p, v)  _mm_storeu_si128(p, v)
#define LINE_STREAM(p, v) _mm_stream_si128(p, v)
#define LINE_FENCE()      _mm_sfence()
#else
#define LINE_V            uint64_t
#define LINE_ZERO         0
#define LINE_LOAD(p)      (*(p))
#define LINE_XOR(a, b)    ((a) ^ (b))
#define LINE_STORE(p, v)  (*(p) = (v))
#define LINE_STREAM(p, v) (*(p) = (v))
#define LINE_FENCE()      ((void)0)
#endif

enum { LINE_VECTORS = LINE_BYTES / sizeof(LINE_V) };

typedef struct {
    LINE_V v[LINE_VECTORS];
} line;

SIMD_INLINE line line_zero(void)
{
    line zero;

    for (int i = 0; i < LINE_VECTORS; i++)
        zero.v[i] = LINE_ZERO;
    return zero;
}

SIMD_INLINE line line_load(const void *p)
{
    line a;

    for (int i = 0; i < LINE_VECTORS; i++)
        a.v[i] = LINE_LOAD((const LINE_V *)p + i);
    return a;
}

SIMD_INLINE line line_xor(line a, line b)
{
    for (int i = 0; i < LINE_VECTORS; i++)
        a.v[i] = LINE_XOR(a.v[i], b.v[i]);
    return a;
}

SIMD_INLINE void line_store(void *p, line a)
{
    for (int i = 0; i < LINE_VECTORS; i++)
        LINE_STORE((LINE_V *)p + i, a.v[i]);
}

/* Past the caches where there is a way; p is a multiple of 64. */
SIMD_INLINE void line_stream(void *p, line a)
{
    for (int i = 0; i < LINE_VECTORS; i++)
        LINE_STREAM((LINE_V *)p + i, a.v[i]);
}

SIMD_INLINE void line_fence(void)
{
    LINE_FENCE();
}

#endif

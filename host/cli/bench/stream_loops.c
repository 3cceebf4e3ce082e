/* SPDX-License-Identifier: Apache-2.0 */
/* The stream loops, compiled once for each instruction set (STREAM_SET, by CMakeLists.txt). */
#include "stream.h"

/* A vector, and a store of one past the caches where there is a way; its place is a multiple of 64. */
#if defined(__AVX512F__)
#include <immintrin.h>
typedef __m512i vector;
#define STREAM(p, v) _mm512_stream_si512(p, v)
#define FENCE()      _mm_sfence()
#elif defined(__AVX2__)
#include <immintrin.h>
typedef __m256i vector;
#define STREAM(p, v) _mm256_stream_si256(p, v)
#define FENCE()      _mm_sfence()
#elif defined(__SSE2__)
#include <emmintrin.h>
typedef __m128i vector;
#define STREAM(p, v) _mm_stream_si128(p, v)
#define FENCE()      _mm_sfence()
#else
typedef uint64_t vector;
#define STREAM(p, v) (*(p) = (v))
#define FENCE()      ((void)0)
#endif
typedef vector unaligned __attribute__((aligned(1), may_alias));

enum { VECTORS = LINE_BYTES / sizeof(vector) };

typedef struct {
    vector v[VECTORS];
} line;

static inline __attribute__((always_inline)) void stream(const struct stream_piece *piece, bool prefetch,
                                                         bool non_temporal)
{
    const uint8_t *src = piece->src;
    uint8_t *dst = piece->dst;
    line sum = {0};

    for (size_t block = 0; block < piece->blocks; block++) {
        for (size_t i = 0; i < piece->reads; i++, src += LINE_BYTES) {
            if (prefetch)
                __builtin_prefetch(src + piece->ahead_bytes);
            for (size_t k = 0; k < VECTORS; k++)
                sum.v[k] ^= ((const unaligned *)src)[k];
        }
        for (size_t i = 0; i < piece->writes; i++, dst += LINE_BYTES)
            for (size_t k = 0; k < VECTORS; k++) {
                if (non_temporal)
                    STREAM((vector *)dst + k, sum.v[k]);
                else
                    ((unaligned *)dst)[k] = sum.v[k];
            }
    }
    if (piece->writes == 0)
        for (size_t k = 0; k < VECTORS; k++)
            ((unaligned *)piece->sink)[k] = sum.v[k];
    if (non_temporal)
        FENCE();
}

void STREAM_SET(const struct stream_piece *piece, bool non_temporal)
{
    if (piece->ahead_bytes > 0 && non_temporal)
        stream(piece, true, true);
    else if (piece->ahead_bytes > 0)
        stream(piece, true, false);
    else if (non_temporal)
        stream(piece, false, true);
    else
        stream(piece, false, false);
}

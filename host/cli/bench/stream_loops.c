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

/* The mixes of the rows, reads to writes, whose loops are unrolled; others have one loop for all. */
#define MIXES(X) X(1, 0) X(0, 1) X(1, 1) X(2, 1) X(1, 2) X(4, 1) X(1, 4) X(8, 1) X(1, 8)

/* Lines that an iteration moves: on an EPYC 9005 reading alone is a seventh faster than a line at a time, two
 * lines to one some 3 %. */
enum { LINES_AT_ONCE = 32 };

#define INLINE static inline __attribute__((always_inline))

INLINE void move_block(const uint8_t **src, uint8_t **dst, line *sum, const struct stream_piece *piece,
                       size_t reads, size_t writes, bool prefetch, bool non_temporal)
{
    for (size_t i = 0; i < reads; i++, *src += LINE_BYTES) {
        if (prefetch)
            __builtin_prefetch(*src + piece->ahead_bytes);
        for (size_t k = 0; k < VECTORS; k++)
            sum->v[k] ^= ((const unaligned *)*src)[k];
    }
    for (size_t i = 0; i < writes; i++, *dst += LINE_BYTES)
        for (size_t k = 0; k < VECTORS; k++) {
            if (non_temporal)
                STREAM((vector *)*dst + k, sum->v[k]);
            else
                ((unaligned *)*dst)[k] = sum->v[k];
        }
}

INLINE void stream(const struct stream_piece *piece, size_t reads, size_t writes, size_t at_once,
                   bool prefetch, bool non_temporal)
{
    const uint8_t *src = piece->src;
    uint8_t *dst = piece->dst;
    line sum = {0};
    size_t block = 0;

    for (; block + at_once <= piece->blocks; block += at_once)
#pragma GCC unroll 32
        for (size_t i = 0; i < at_once; i++)
            move_block(&src, &dst, &sum, piece, reads, writes, prefetch, non_temporal);
    for (; block < piece->blocks; block++)
        move_block(&src, &dst, &sum, piece, reads, writes, prefetch, non_temporal);
    if (writes == 0)
        for (size_t k = 0; k < VECTORS; k++)
            ((unaligned *)piece->sink)[k] = sum.v[k];
    if (non_temporal)
        FENCE();
}

INLINE void by_mix(const struct stream_piece *piece, bool prefetch, bool non_temporal)
{
#define MIX(r, w)                                                                                            \
    if (piece->reads == (r) && piece->writes == (w)) {                                                       \
        stream(piece, r, w, LINES_AT_ONCE / ((r) > (w) ? (r) : (w)), prefetch, non_temporal);                \
        return;                                                                                              \
    }
    MIXES(MIX)
    stream(piece, piece->reads, piece->writes, 1, prefetch, non_temporal);
}

void STREAM_SET(const struct stream_piece *piece, bool non_temporal)
{
    if (piece->ahead_bytes > 0 && non_temporal)
        by_mix(piece, true, true);
    else if (piece->ahead_bytes > 0)
        by_mix(piece, true, false);
    else if (non_temporal)
        by_mix(piece, false, true);
    else
        by_mix(piece, false, false);
}

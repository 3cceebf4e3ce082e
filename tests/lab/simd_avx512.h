/* SPDX-License-Identifier: Apache-2.0 */
/* simd.h for AVX-512 F, BW, VL and DQ. Quotients and products are single IEEE operations. */
#include <immintrin.h>

enum { VF = 16 };
typedef __m512 vf;
typedef __m512i line;

SIMD_INLINE line line_zero(void)
{
    return _mm512_setzero_si512();
}

SIMD_INLINE line line_load(const void *p)
{
    return _mm512_loadu_si512(p);
}

SIMD_INLINE line line_xor(line a, line b)
{
    return _mm512_xor_si512(a, b);
}

SIMD_INLINE void line_store(void *p, line v)
{
    _mm512_storeu_si512(p, v);
}

/* Past the caches; p is a multiple of 64. */
SIMD_INLINE void line_stream(void *p, line v)
{
    _mm512_stream_si512((__m512i *)p, v);
}

SIMD_INLINE void line_fence(void)
{
    _mm_sfence();
}

SIMD_INLINE vf vf_all(float x)
{
    return _mm512_set1_ps(x);
}

SIMD_INLINE vf vf_load_f32(const float *p)
{
    return _mm512_loadu_ps(p);
}

SIMD_INLINE vf vf_load_f16(const uint16_t *p)
{
    return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p));
}

SIMD_INLINE vf vf_load_bf16(const uint16_t *p)
{
    __m512i wide = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)p));
    return _mm512_castsi512_ps(_mm512_slli_epi32(wide, 16));
}

SIMD_INLINE vf vf_multiply(vf a, vf b)
{
    return _mm512_mul_ps(a, b);
}

SIMD_INLINE vf vf_divide(vf a, vf b)
{
    return _mm512_div_ps(a, b);
}

/* Rounds to nearest-even; NaN gives 0, and below hi the conversion itself gives at most -2^31, which every
 * saturating narrowing below turns into its own lowest value. */
SIMD_INLINE __m512i ints_below(vf v, float hi)
{
    __mmask16 numbers = _mm512_cmp_ps_mask(v, v, _CMP_ORD_Q);
    return _mm512_maskz_cvtps_epi32(numbers, _mm512_min_ps(v, vf_all(hi)));
}

/* 64 ints to int8 or, from int16 on, uint8: the packs work in each 16 bytes, the permutation undoes that. */
SIMD_INLINE line bytes_of(__m512i a, __m512i b, __m512i c, __m512i d, int is_signed)
{
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    __m512i low = _mm512_packs_epi32(a, b), high = _mm512_packs_epi32(c, d);
    __m512i bytes = is_signed ? _mm512_packs_epi16(low, high) : _mm512_packus_epi16(low, high);
    return _mm512_permutexvar_epi32(order, bytes);
}

SIMD_INLINE line line_of_i8(const vf v[4])
{
    return bytes_of(ints_below(v[0], 127), ints_below(v[1], 127), ints_below(v[2], 127),
                    ints_below(v[3], 127), 1);
}

SIMD_INLINE line line_of_u8(const vf v[4])
{
    return bytes_of(ints_below(v[0], 255), ints_below(v[1], 255), ints_below(v[2], 255),
                    ints_below(v[3], 255), 0);
}

SIMD_INLINE line line_of_i32(const vf v[1])
{
    __mmask16 numbers = _mm512_cmp_ps_mask(v[0], v[0], _CMP_ORD_Q);
    __mmask16 high = _mm512_cmp_ps_mask(v[0], vf_all(2147483648.0f), _CMP_GE_OQ);
    __m512i ints = _mm512_maskz_cvtps_epi32(numbers, v[0]);
    return _mm512_mask_mov_epi32(ints, high, _mm512_set1_epi32(INT32_MAX));
}

/* 64 int4, each in a byte. */
SIMD_INLINE __m512i nibbles_of(const vf v[4])
{
    __m512i bytes =
        bytes_of(ints_below(v[0], 7), ints_below(v[1], 7), ints_below(v[2], 7), ints_below(v[3], 7), 1);
    return _mm512_and_si512(_mm512_max_epi8(bytes, _mm512_set1_epi8(-8)), _mm512_set1_epi8(15));
}

/* Element 2j in the low half of byte j: even * 1 + odd * 16 in each pair. */
SIMD_INLINE line line_of_i4(const vf v[8])
{
    const __m512i weights = _mm512_set1_epi16(0x1001);
    __m512i low = _mm512_maddubs_epi16(nibbles_of(v), weights);
    __m512i high = _mm512_maddubs_epi16(nibbles_of(v + 4), weights);
    return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7),
                                    _mm512_packus_epi16(low, high));
}

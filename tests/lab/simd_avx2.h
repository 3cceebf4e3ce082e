/* SPDX-License-Identifier: Apache-2.0 */
/* simd.h for AVX2 and F16C. Quotients and products are single IEEE operations. */
#include <immintrin.h>

enum { VF = 8 };
typedef __m256 vf;
typedef struct {
    __m256i low, high;
} line;

SIMD_INLINE line line_zero(void)
{
    return (line){_mm256_setzero_si256(), _mm256_setzero_si256()};
}

SIMD_INLINE line line_load(const void *p)
{
    const __m256i *halves = p;
    return (line){_mm256_loadu_si256(halves), _mm256_loadu_si256(halves + 1)};
}

SIMD_INLINE line line_xor(line a, line b)
{
    return (line){_mm256_xor_si256(a.low, b.low), _mm256_xor_si256(a.high, b.high)};
}

SIMD_INLINE void line_store(void *p, line v)
{
    __m256i *halves = p;
    _mm256_storeu_si256(halves, v.low);
    _mm256_storeu_si256(halves + 1, v.high);
}

/* Past the caches; p is a multiple of 64. */
SIMD_INLINE void line_stream(void *p, line v)
{
    __m256i *halves = p;
    _mm256_stream_si256(halves, v.low);
    _mm256_stream_si256(halves + 1, v.high);
}

SIMD_INLINE void line_fence(void)
{
    _mm_sfence();
}

SIMD_INLINE vf vf_all(float x)
{
    return _mm256_set1_ps(x);
}

SIMD_INLINE vf vf_load_f32(const float *p)
{
    return _mm256_loadu_ps(p);
}

SIMD_INLINE vf vf_load_f16(const uint16_t *p)
{
    return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p));
}

SIMD_INLINE vf vf_load_bf16(const uint16_t *p)
{
    __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)p));
    return _mm256_castsi256_ps(_mm256_slli_epi32(wide, 16));
}

SIMD_INLINE vf vf_multiply(vf a, vf b)
{
    return _mm256_mul_ps(a, b);
}

SIMD_INLINE vf vf_divide(vf a, vf b)
{
    return _mm256_div_ps(a, b);
}

SIMD_INLINE vf zero_for_nan(vf v)
{
    return _mm256_and_ps(v, _mm256_cmp_ps(v, v, _CMP_ORD_Q));
}

/* Rounds to nearest-even; NaN gives 0, and below hi the conversion itself gives at most -2^31, which every
 * saturating narrowing below turns into its own lowest value. */
SIMD_INLINE __m256i ints_below(vf v, float hi)
{
    return _mm256_cvtps_epi32(_mm256_min_ps(zero_for_nan(v), vf_all(hi)));
}

/* 32 ints to int8 or, from int16 on, uint8: the packs work in each 16 bytes, the permutation undoes that. */
SIMD_INLINE __m256i bytes_of(__m256i a, __m256i b, __m256i c, __m256i d, int is_signed)
{
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    __m256i low = _mm256_packs_epi32(a, b), high = _mm256_packs_epi32(c, d);
    __m256i bytes = is_signed ? _mm256_packs_epi16(low, high) : _mm256_packus_epi16(low, high);
    return _mm256_permutevar8x32_epi32(bytes, order);
}

SIMD_INLINE __m256i bytes_below(const vf v[4], float hi, int is_signed)
{
    return bytes_of(ints_below(v[0], hi), ints_below(v[1], hi), ints_below(v[2], hi), ints_below(v[3], hi),
                    is_signed);
}

SIMD_INLINE line line_of_i8(const vf v[8])
{
    return (line){bytes_below(v, 127, 1), bytes_below(v + 4, 127, 1)};
}

SIMD_INLINE line line_of_u8(const vf v[8])
{
    return (line){bytes_below(v, 255, 0), bytes_below(v + 4, 255, 0)};
}

SIMD_INLINE __m256i ints_saturated(vf v)
{
    __m256i ints = _mm256_cvtps_epi32(zero_for_nan(v));
    __m256i high = _mm256_castps_si256(_mm256_cmp_ps(v, vf_all(2147483648.0f), _CMP_GE_OQ));
    return _mm256_blendv_epi8(ints, _mm256_set1_epi32(INT32_MAX), high);
}

SIMD_INLINE line line_of_i32(const vf v[2])
{
    return (line){ints_saturated(v[0]), ints_saturated(v[1])};
}

/* Element 2j in the low half of byte j: even * 1 + odd * 16 in each pair. */
SIMD_INLINE __m256i pairs_of(const vf v[4])
{
    __m256i bytes = _mm256_max_epi8(bytes_below(v, 7, 1), _mm256_set1_epi8(-8));
    return _mm256_maddubs_epi16(_mm256_and_si256(bytes, _mm256_set1_epi8(15)), _mm256_set1_epi16(0x1001));
}

SIMD_INLINE __m256i int4_of(const vf v[8])
{
    return _mm256_permute4x64_epi64(_mm256_packus_epi16(pairs_of(v), pairs_of(v + 4)), 0xd8);
}

SIMD_INLINE line line_of_i4(const vf v[16])
{
    return (line){int4_of(v), int4_of(v + 8)};
}

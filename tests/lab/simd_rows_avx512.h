/* SPDX-License-Identifier: Apache-2.0 */
/* simd_rows.h for AVX-512 F, BW, VL and DQ. */

SIMD_INLINE vf vf_add(vf a, vf b)
{
    return _mm512_add_ps(a, b);
}

SIMD_INLINE float float_of_f16(uint16_t x)
{
    return _mm512_cvtss_f32(_mm512_cvtph_ps(_mm256_castsi128_si256(_mm_cvtsi32_si128(x))));
}

SIMD_INLINE void vf_store(float *p, vf v)
{
    _mm512_storeu_ps(p, v);
}

SIMD_INLINE line keys_pick(line a, line b, int bits, enum keys_order order)
{
    switch (order) {
    case KEYS_SIGNED_MAX:
        return bits == 16 ? _mm512_max_epi16(a, b) : _mm512_max_epi32(a, b);
    case KEYS_UNSIGNED_MAX:
        return bits == 16 ? _mm512_max_epu16(a, b) : _mm512_max_epu32(a, b);
    default:
        return bits == 16 ? _mm512_min_epu16(a, b) : _mm512_min_epu32(a, b);
    }
}

/* The one of all keys. */
SIMD_INLINE uint32_t keys_reduce(line v, int bits, enum keys_order order)
{
    v = keys_pick(v, _mm512_shuffle_i64x2(v, v, 0x4e), bits, order);
    v = keys_pick(v, _mm512_shuffle_i64x2(v, v, 0xb1), bits, order);
    v = keys_pick(v, _mm512_shuffle_epi32(v, _MM_PERM_BADC), bits, order);
    v = keys_pick(v, _mm512_shuffle_epi32(v, _MM_PERM_CDAB), bits, order);
    if (bits == 32)
        return (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(v));
    v = keys_pick(v, _mm512_srli_epi32(v, 16), bits, order);
    return (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(v)) & 0xffff;
}

/* keys_reduce of sixteen lines: each step halves their number, and the keys that are left of each. */
SIMD_INLINE void keys_reduce_block(const line v[BLOCK_ROWS], int bits, enum keys_order order,
                                   uint32_t keys[BLOCK_ROWS])
{
    const __m512i back = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    line pairs[8], fours[4], eights[2], all;

    for (int i = 0; i < 8; i++)
        pairs[i] = keys_pick(_mm512_shuffle_i64x2(v[2 * i], v[2 * i + 1], 0x44),
                             _mm512_shuffle_i64x2(v[2 * i], v[2 * i + 1], 0xee), bits, order);
    for (int i = 0; i < 4; i++)
        fours[i] = keys_pick(_mm512_shuffle_i64x2(pairs[2 * i], pairs[2 * i + 1], 0x88),
                             _mm512_shuffle_i64x2(pairs[2 * i], pairs[2 * i + 1], 0xdd), bits, order);
    for (int i = 0; i < 2; i++)
        eights[i] = keys_pick(_mm512_unpacklo_epi64(fours[2 * i], fours[2 * i + 1]),
                              _mm512_unpackhi_epi64(fours[2 * i], fours[2 * i + 1]), bits, order);
    const __m512 low = _mm512_castsi512_ps(eights[0]), high = _mm512_castsi512_ps(eights[1]);
    all = keys_pick(_mm512_castps_si512(_mm512_shuffle_ps(low, high, 0x88)),
                    _mm512_castps_si512(_mm512_shuffle_ps(low, high, 0xdd)), bits, order);
    if (bits == 16)
        all = _mm512_and_si512(keys_pick(all, _mm512_srli_epi32(all, 16), bits, order),
                               _mm512_set1_epi32(0xffff));
    _mm512_storeu_si512(keys, _mm512_permutexvar_epi32(back, all));
}

/* line_of_i8 and line_of_i4 of values that round into the range: neither NaN nor saturation. In the order
 * that the packs leave, four elements of a vector lie together. */
SIMD_INLINE __m512i bytes_inside(const vf v[4])
{
    return _mm512_packs_epi16(_mm512_packs_epi32(_mm512_cvtps_epi32(v[0]), _mm512_cvtps_epi32(v[1])),
                              _mm512_packs_epi32(_mm512_cvtps_epi32(v[2]), _mm512_cvtps_epi32(v[3])));
}

SIMD_INLINE line inside_i8(const vf v[4])
{
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return _mm512_permutexvar_epi32(order, bytes_inside(v));
}

SIMD_INLINE line inside_i4(const vf v[8])
{
    static const uint16_t order[32] = {0, 8,  16, 24, 1, 9,  17, 25, 2, 10, 18, 26, 3, 11, 19, 27,
                                       4, 12, 20, 28, 5, 13, 21, 29, 6, 14, 22, 30, 7, 15, 23, 31};
    const __m512i weights = _mm512_set1_epi16(0x1001), nibble = _mm512_set1_epi8(15);
    __m512i low = _mm512_maddubs_epi16(_mm512_and_si512(bytes_inside(v), nibble), weights);
    __m512i high = _mm512_maddubs_epi16(_mm512_and_si512(bytes_inside(v + 4), nibble), weights);
    return _mm512_permutexvar_epi16(_mm512_loadu_si512(order), _mm512_packus_epi16(low, high));
}

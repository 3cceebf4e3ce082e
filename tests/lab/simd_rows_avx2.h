/* SPDX-License-Identifier: Apache-2.0 */
/* simd_rows.h for AVX2 and F16C. */

SIMD_INLINE vf vf_add(vf a, vf b)
{
    return _mm256_add_ps(a, b);
}

SIMD_INLINE float float_of_f16(uint16_t x)
{
    return _cvtsh_ss(x);
}

SIMD_INLINE void vf_store(float *p, vf v)
{
    _mm256_storeu_ps(p, v);
}

SIMD_INLINE __m256i half_pick(__m256i a, __m256i b, int bits, enum keys_order order)
{
    switch (order) {
    case KEYS_SIGNED_MAX:
        return bits == 16 ? _mm256_max_epi16(a, b) : _mm256_max_epi32(a, b);
    case KEYS_UNSIGNED_MAX:
        return bits == 16 ? _mm256_max_epu16(a, b) : _mm256_max_epu32(a, b);
    default:
        return bits == 16 ? _mm256_min_epu16(a, b) : _mm256_min_epu32(a, b);
    }
}

SIMD_INLINE line keys_pick(line a, line b, int bits, enum keys_order order)
{
    return (line){half_pick(a.low, b.low, bits, order), half_pick(a.high, b.high, bits, order)};
}

/* The one of all keys. */
SIMD_INLINE uint32_t keys_reduce(line keys, int bits, enum keys_order order)
{
    __m256i v = half_pick(keys.low, keys.high, bits, order);

    v = half_pick(v, _mm256_permute2x128_si256(v, v, 1), bits, order);
    v = half_pick(v, _mm256_shuffle_epi32(v, 0x4e), bits, order);
    v = half_pick(v, _mm256_shuffle_epi32(v, 0xb1), bits, order);
    if (bits == 32)
        return (uint32_t)_mm_cvtsi128_si32(_mm256_castsi256_si128(v));
    v = half_pick(v, _mm256_srli_epi32(v, 16), bits, order);
    return (uint32_t)_mm_cvtsi128_si32(_mm256_castsi256_si128(v)) & 0xffff;
}

/* keys_reduce of eight lines: each step halves their number, and the keys that are left of each. */
SIMD_INLINE void keys_reduce_eight(const line v[8], int bits, enum keys_order order, uint32_t keys[8])
{
    const __m256i back = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    __m256i halves[8], pairs[4], fours[2], all;

    for (int i = 0; i < 8; i++)
        halves[i] = half_pick(v[i].low, v[i].high, bits, order);
    for (int i = 0; i < 4; i++)
        pairs[i] = half_pick(_mm256_permute2x128_si256(halves[2 * i], halves[2 * i + 1], 0x20),
                             _mm256_permute2x128_si256(halves[2 * i], halves[2 * i + 1], 0x31), bits, order);
    for (int i = 0; i < 2; i++)
        fours[i] = half_pick(_mm256_unpacklo_epi64(pairs[2 * i], pairs[2 * i + 1]),
                             _mm256_unpackhi_epi64(pairs[2 * i], pairs[2 * i + 1]), bits, order);
    const __m256 low = _mm256_castsi256_ps(fours[0]), high = _mm256_castsi256_ps(fours[1]);
    all = half_pick(_mm256_castps_si256(_mm256_shuffle_ps(low, high, 0x88)),
                    _mm256_castps_si256(_mm256_shuffle_ps(low, high, 0xdd)), bits, order);
    if (bits == 16)
        all = _mm256_and_si256(half_pick(all, _mm256_srli_epi32(all, 16), bits, order),
                               _mm256_set1_epi32(0xffff));
    _mm256_storeu_si256((__m256i *)keys, _mm256_permutevar8x32_epi32(all, back));
}

SIMD_INLINE void keys_reduce_block(const line v[BLOCK_ROWS], int bits, enum keys_order order,
                                   uint32_t keys[BLOCK_ROWS])
{
    for (int i = 0; i < BLOCK_ROWS; i += 8)
        keys_reduce_eight(v + i, bits, order, keys + i);
}

/* line_of_i8 and line_of_i4 of values that round into the range: neither NaN nor saturation. In the order
 * that the packs leave, four elements of a vector lie together. */
SIMD_INLINE __m256i bytes_inside(const vf v[4])
{
    return _mm256_packs_epi16(_mm256_packs_epi32(_mm256_cvtps_epi32(v[0]), _mm256_cvtps_epi32(v[1])),
                              _mm256_packs_epi32(_mm256_cvtps_epi32(v[2]), _mm256_cvtps_epi32(v[3])));
}

SIMD_INLINE line inside_i8(const vf v[8])
{
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    return (line){_mm256_permutevar8x32_epi32(bytes_inside(v), order),
                  _mm256_permutevar8x32_epi32(bytes_inside(v + 4), order)};
}

SIMD_INLINE __m256i half_inside_i4(const vf v[8])
{
    const __m256i weights = _mm256_set1_epi16(0x1001), nibble = _mm256_set1_epi8(15);
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    __m256i low = _mm256_permutevar8x32_epi32(bytes_inside(v), order);
    __m256i high = _mm256_permutevar8x32_epi32(bytes_inside(v + 4), order);

    low = _mm256_maddubs_epi16(_mm256_and_si256(low, nibble), weights);
    high = _mm256_maddubs_epi16(_mm256_and_si256(high, nibble), weights);
    return _mm256_permute4x64_epi64(_mm256_packus_epi16(low, high), 0xd8);
}

SIMD_INLINE line inside_i4(const vf v[16])
{
    return (line){half_inside_i4(v), half_inside_i4(v + 8)};
}

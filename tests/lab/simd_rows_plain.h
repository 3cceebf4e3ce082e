/* SPDX-License-Identifier: Apache-2.0 */
/* simd_rows.h in C alone. */

SIMD_INLINE vf vf_add(vf a, vf b)
{
    return a + b;
}

SIMD_INLINE float float_of_f16(uint16_t x)
{
    return vf_load_f16(&x);
}

SIMD_INLINE void vf_store(float *p, vf v)
{
    *p = v;
}

/* Signed and unsigned order differ by the first bit, and a minimum is the maximum of the complements: all are
 * the signed maximum of keys with other bits flipped. */
SIMD_INLINE uint32_t flipped_bits(int bits, enum keys_order order)
{
    const uint32_t sign = bits == 16 ? 0x8000 : 0x80000000;
    return order == KEYS_SIGNED_MAX ? 0 : order == KEYS_UNSIGNED_MAX ? sign : sign - 1;
}

SIMD_INLINE line keys_pick(line a, line b, int bits, enum keys_order order)
{
    const uint32_t flipped = flipped_bits(bits, order);
    int16_t a16[32], b16[32];
    int32_t a32[16], b32[16];

    memcpy(bits == 16 ? (void *)a16 : a32, &a, sizeof a);
    memcpy(bits == 16 ? (void *)b16 : b32, &b, sizeof b);
    for (int i = 0; bits == 16 && i < 32; i++) {
        const int16_t x = (int16_t)(a16[i] ^ (int16_t)flipped), y = (int16_t)(b16[i] ^ (int16_t)flipped);
        a16[i] = (int16_t)((x > y ? x : y) ^ (int16_t)flipped);
    }
    for (int i = 0; bits == 32 && i < 16; i++) {
        const int32_t x = a32[i] ^ (int32_t)flipped, y = b32[i] ^ (int32_t)flipped;
        a32[i] = (x > y ? x : y) ^ (int32_t)flipped;
    }
    return line_load(bits == 16 ? (void *)a16 : a32);
}

/* The one of all keys. */
SIMD_INLINE uint32_t keys_reduce(line v, int bits, enum keys_order order)
{
    const uint32_t flipped = flipped_bits(bits, order);
    int16_t keys16[32];
    int32_t keys32[16], most = INT32_MIN;

    memcpy(bits == 16 ? (void *)keys16 : keys32, &v, sizeof v);
    for (int i = 0; i < 512 / bits; i++) {
        const int32_t key =
            bits == 16 ? (int16_t)(keys16[i] ^ (int16_t)flipped) : keys32[i] ^ (int32_t)flipped;
        most = key > most ? key : most;
    }
    return ((uint32_t)most ^ flipped) & (bits == 16 ? 0xffff : 0xffffffff);
}

SIMD_INLINE void keys_reduce_block(const line v[BLOCK_ROWS], int bits, enum keys_order order,
                                   uint32_t keys[BLOCK_ROWS])
{
    for (int i = 0; i < BLOCK_ROWS; i++)
        keys[i] = keys_reduce(v[i], bits, order);
}

/* line_of_i8 and line_of_i4 of values that round into the range: neither NaN nor saturation. */
SIMD_INLINE uint32_t low_bits(float v)
{
    uint32_t bits;

    v += 12582912.0f;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

SIMD_INLINE line inside_i8(const vf v[64])
{
    uint8_t q[64];

    for (int i = 0; i < 64; i++)
        q[i] = (uint8_t)low_bits(v[i]);
    return line_load(q);
}

SIMD_INLINE line inside_i4(const vf v[128])
{
    uint8_t q[64];

    for (int i = 0; i < 64; i++)
        q[i] = (uint8_t)((low_bits(v[2 * i]) & 15) | (low_bits(v[2 * i + 1]) & 15) << 4);
    return line_load(q);
}

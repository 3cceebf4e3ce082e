/* SPDX-License-Identifier: Apache-2.0 */
/* simd.h in C alone: short loops over a line that any compiler turns into what its processor has. */
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { VF = 1 };
typedef float vf;
typedef struct {
    uint64_t words[8];
} line;

SIMD_INLINE line line_zero(void)
{
    return (line){{0}};
}

SIMD_INLINE line line_load(const void *p)
{
    line v;
    memcpy(&v, p, sizeof v);
    return v;
}

SIMD_INLINE line line_xor(line a, line b)
{
    for (int i = 0; i < 8; i++)
        a.words[i] ^= b.words[i];
    return a;
}

SIMD_INLINE void line_store(void *p, line v)
{
    memcpy(p, &v, sizeof v);
}

/* Past the caches where there is a way; p is a multiple of 64. */
SIMD_INLINE void line_stream(void *p, line v)
{
#ifdef __SSE2__
    for (int i = 0; i < 4; i++)
        _mm_stream_si128((__m128i *)p + i, _mm_loadu_si128((const __m128i *)&v + i));
#else
    line_store(p, v);
#endif
}

SIMD_INLINE void line_fence(void)
{
#ifdef __SSE2__
    _mm_sfence();
#endif
}

SIMD_INLINE vf vf_all(float x)
{
    return x;
}

SIMD_INLINE float float_of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

SIMD_INLINE vf vf_load_f32(const float *p)
{
    return *p;
}

/* Exponent and fraction moved into place are the value times 2^-112, subnormals included. */
SIMD_INLINE vf vf_load_f16(const uint16_t *p)
{
    uint32_t sign = (uint32_t)(*p & 0x8000) << 16, rest = (uint32_t)(*p & 0x7fff) << 13;
    uint32_t bits;
    float x = float_of_bits(rest) * 0x1p112f;

    memcpy(&bits, &x, sizeof bits);
    bits = rest >= 0x0f800000 ? rest | 0x7f800000 : bits;
    return float_of_bits(bits | sign);
}

SIMD_INLINE vf vf_load_bf16(const uint16_t *p)
{
    return float_of_bits((uint32_t)*p << 16);
}

SIMD_INLINE vf vf_multiply(vf a, vf b)
{
    return a * b;
}

SIMD_INLINE vf vf_divide(vf a, vf b)
{
    return a / b;
}

/* NaN gives 0. Between -2^22 and 2^22 adding 1.5 * 2^23 leaves the integer, rounded to nearest-even, in the
 * low bits. */
SIMD_INLINE int32_t int_between(float v, float lo, float hi)
{
    int32_t bits;

    v = v == v ? v : 0;
    v = v < lo ? lo : v;
    v = v > hi ? hi : v;
    v += 12582912.0f;
    memcpy(&bits, &v, sizeof bits);
    return bits - 0x4b400000;
}

SIMD_INLINE line line_of_i8(const vf v[64])
{
    int8_t q[64];

    for (int i = 0; i < 64; i++)
        q[i] = (int8_t)int_between(v[i], -128, 127);
    return line_load(q);
}

SIMD_INLINE line line_of_u8(const vf v[64])
{
    uint8_t q[64];

    for (int i = 0; i < 64; i++)
        q[i] = (uint8_t)int_between(v[i], 0, 255);
    return line_load(q);
}

/* From 2^23 on a float has no fraction to round. */
SIMD_INLINE int32_t int_saturated(float v)
{
    int small = v > -0x1p23f && v < 0x1p23f;
    float halves = v < 0 ? -0x1p23f : 0x1p23f;
    float whole = small ? (v + halves) - halves : v;

    if (v != v)
        return 0;
    return v >= 0x1p31f ? INT32_MAX : v < -0x1p31f ? INT32_MIN : (int32_t)whole;
}

SIMD_INLINE line line_of_i32(const vf v[16])
{
    int32_t q[16];

    for (int i = 0; i < 16; i++)
        q[i] = int_saturated(v[i]);
    return line_load(q);
}

SIMD_INLINE line line_of_i4(const vf v[128])
{
    uint8_t q[64];

    for (int i = 0; i < 64; i++) {
        int32_t even = int_between(v[2 * i], -8, 7), odd = int_between(v[2 * i + 1], -8, 7);
        q[i] = (uint8_t)((even & 15) | (odd & 15) << 4);
    }
    return line_load(q);
}

// SPDX-License-Identifier: Apache-2.0
// OpenCL's functions that the kernels of cl/cpu call, for a kernel that is compiled as a program of the host. One that is
// missing here is an error of the linker, which names it.
#define OVERLOADED __attribute__((overloadable))

#define OF_INTEGERS(t)                                                                                                     \
    OVERLOADED t min(t a, t b)                                                                                             \
    {                                                                                                                      \
        return b < a ? b : a;                                                                                              \
    }                                                                                                                      \
    OVERLOADED t max(t a, t b)                                                                                             \
    {                                                                                                                      \
        return a < b ? b : a;                                                                                              \
    }                                                                                                                      \
    OVERLOADED t clamp(t a, t low, t high)                                                                                 \
    {                                                                                                                      \
        return a < low ? low : high < a ? high : a;                                                                        \
    }
OF_INTEGERS(short)
OF_INTEGERS(ushort)
OF_INTEGERS(int)
OF_INTEGERS(uint)
OF_INTEGERS(long)
OF_INTEGERS(ulong)

OVERLOADED float clamp(float v, float low, float high)
{
    const float above = v < low ? low : v;

    return above > high ? high : above;
}

OVERLOADED float fabs(float v)
{
    return as_float(as_uint(v) & 0x7fffffffu);
}

OVERLOADED float16 fabs(float16 v)
{
    return __builtin_astype(__builtin_astype(v, uint16) & 0x7fffffffu, float16);
}

#define SELECTS(t, condition)                                                                                              \
    OVERLOADED t select(t a, t b, condition c)                                                                             \
    {                                                                                                                      \
        return c ? b : a;                                                                                                  \
    }
SELECTS(uint, int)
SELECTS(float, int)
SELECTS(uint8, int8)
SELECTS(float8, int8)

OVERLOADED uint mul_hi(uint a, uint b)
{
    return (uint)((ulong)a * b >> 32);
}

OVERLOADED ulong mul_hi(ulong a, ulong b)
{
    const ulong low = (a & 0xffffffffu) * (b & 0xffffffffu);
    const ulong middle = (a >> 32) * (b & 0xffffffffu) + (low >> 32);
    const ulong other = (a & 0xffffffffu) * (b >> 32) + (middle & 0xffffffffu);

    return (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32);
}

#define OF_VECTORS(t, n)                                                                                               \
    OVERLOADED t##n max(t##n a, t##n b)                                                                                \
    {                                                                                                                  \
        return a > b ? a : b;                                                                                          \
    }                                                                                                                  \
    OVERLOADED t##n min(t##n a, t##n b)                                                                                \
    {                                                                                                                  \
        return b > a ? a : b;                                                                                          \
    }                                                                                                                  \
    OVERLOADED t##n vload##n(size_t i, const global t *p)                                                              \
    {                                                                                                                  \
        t##n v;                                                                                                        \
                                                                                                                       \
        __builtin_memcpy(&v, p + n * i, sizeof v);                                                                     \
        return v;                                                                                                      \
    }                                                                                                                  \
    OVERLOADED t##n vload##n(size_t i, const t *p)                                                                     \
    {                                                                                                                  \
        t##n v;                                                                                                        \
                                                                                                                       \
        __builtin_memcpy(&v, p + n * i, sizeof v);                                                                     \
        return v;                                                                                                      \
    }                                                                                                                  \
    OVERLOADED void vstore##n(t##n v, size_t i, t *p)                                                                  \
    {                                                                                                                  \
        __builtin_memcpy(p + n * i, &v, sizeof v);                                                                     \
    }
#define OF_ALL_VECTORS(t) OF_VECTORS(t, 2) OF_VECTORS(t, 4) OF_VECTORS(t, 8) OF_VECTORS(t, 16)
OF_ALL_VECTORS(ushort)
OF_ALL_VECTORS(short)
OF_ALL_VECTORS(uint)
OF_ALL_VECTORS(int)

#define CONVERTS(to, from)                                                                                             \
    OVERLOADED to convert_##to(from v)                                                                                 \
    {                                                                                                                  \
        return __builtin_convertvector(v, to);                                                                         \
    }
CONVERTS(float8, char8)
CONVERTS(float8, int8)
CONVERTS(float8, uint8)
CONVERTS(uint8, uchar8)
CONVERTS(ushort4, int4)

// Of the bits of a half, without instructions for it.
static float of_half(uint bits)
{
    const uint sign = (bits & 0x8000) << 16, magnitude = bits & 0x7fffu;

    if (magnitude >= 0x7c00u)
        return as_float(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
    if (magnitude < 0x400u)
        return as_float(sign | as_uint((float)magnitude * 0x1p-24f));
    return as_float(sign | ((magnitude << 13) + (112u << 23)));
}

// To the nearest half, ties to even. Below the normal ones a sum with 0.5 rounds where their last bit is.
static ushort half_of(float v)
{
    const uint bits = as_uint(v), sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;

    if (magnitude > 0x7f800000u)
        return (ushort)(sign | 0x7e00u);
    if (magnitude >= 0x477ff000u) // 65520
        return (ushort)(sign | 0x7c00u);
    if (magnitude < 0x38800000u) // 2^-14
        return (ushort)(sign | (as_uint(as_float(magnitude) + 0.5f) - 0x3f000000u));
    return (ushort)(sign | (magnitude - (112u << 23) + 0xfffu + (magnitude >> 13 & 1u)) >> 13);
}

#define OF_HALVES(space)                                                                                                   \
    OVERLOADED float vload_half(size_t i, const space half *p)                                                             \
    {                                                                                                                      \
        return of_half(((const space ushort *)p)[i]);                                                                      \
    }                                                                                                                      \
    OVERLOADED void vstore_half_rte(float v, size_t i, space half *p)                                                      \
    {                                                                                                                      \
        ((space ushort *)p)[i] = half_of(v);                                                                               \
    }
OF_HALVES(global)
OF_HALVES(private)

// SPDX-License-Identifier: Apache-2.0
// What clquant.clh, whose text stands before this, makes of bytes.
//
//   NAME   a type of q

// How the tests number the types that are known at run time; 0: there is none.
enum { NONE, FLOAT32, FLOAT16, BFLOAT16, INT8, UINT8, INT32, E8M0 };
enum { DIVIDE, MULTIPLY, DYNAMIC };

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)

#define LOADS(width, type)                                                                                             \
    static type PASTE(value, width)(global const uchar *p, ulong i, uint of, float none)                               \
    {                                                                                                                  \
        switch (of) {                                                                                                  \
        case FLOAT32:                                                                                                  \
            return PASTE(PASTE(clq_load, width), _float32)(p, i);                                                      \
        case FLOAT16:                                                                                                  \
            return PASTE(PASTE(clq_load, width), _float16)(p, i);                                                      \
        case BFLOAT16:                                                                                                 \
            return PASTE(PASTE(clq_load, width), _bfloat16)(p, i);                                                     \
        case INT8:                                                                                                     \
            return PASTE(PASTE(clq_load, width), _int8)(p, i);                                                         \
        case UINT8:                                                                                                    \
            return PASTE(PASTE(clq_load, width), _uint8)(p, i);                                                        \
        case INT32:                                                                                                    \
            return PASTE(PASTE(clq_load, width), _int32)(p, i);                                                        \
        case E8M0:                                                                                                     \
            return PASTE(PASTE(clq_load, width), _float8_e8m0fnu)(p, i);                                               \
        default:                                                                                                       \
            return (type)(none);                                                                                       \
        }                                                                                                              \
    }                                                                                                                  \
    static type PASTE(undone, width)(global const uchar *q, global const uchar *scales, global const uchar *added,     \
                                     ulong i, uint scale_type, uint added_type, uint how, ulong row)                   \
    {                                                                                                                  \
        const type v = PASTE(PASTE(PASTE(clq_load, width), _), NAME)(q, i);                                            \
                                                                                                                       \
        if (how == DYNAMIC)                                                                                            \
            return PASTE(clq_undo_dynamic, width)(                                                                     \
                v, (type)(value(scales, i / row, scale_type, 0.0f)),                                                   \
                (type)(value(added, i / row, added_type, CLQ_NO_OFFSET)));                                             \
        if (how == MULTIPLY)                                                                                           \
            return PASTE(clq_undo_multiply, width)(v, PASTE(value, width)(scales, i, scale_type, 0.0f),                \
                                                   PASTE(value, width)(added, i, added_type, CLQ_NO_ZERO_POINT));      \
        return PASTE(clq_undo_divide, width)(v, PASTE(value, width)(scales, i, scale_type, 0.0f),                      \
                                             PASTE(value, width)(added, i, added_type, CLQ_NO_ZERO_POINT));            \
    }
LOADS(, float)
LOADS(4, float4)
LOADS(8, float8)

static void put(global uchar *y, ulong i, uint type, float v)
{
    if (type == FLOAT32)
        ((global uint *)y)[i] = as_uint(v);
    else
        ((global ushort *)y)[i] = type == FLOAT16 ? clq_to_float16(v) : clq_to_bfloat16(v);
}

// A work-item does `width` elements, of rows of 8; q begins `skip` bytes on.
kernel void undo(global const uchar *q, global const uchar *scales, global const uchar *added, global uchar *y,
                 const uint width, const uint scale_type, const uint added_type, const uint y_type, const uint how,
                 const uint skip)
{
    const ulong i = get_global_id(0) * width;
    float v[8];

    q += skip;
    if (width == 1)
        v[0] = undone(q, scales, added, i, scale_type, added_type, how, 8);
    else if (width == 4)
        vstore4(undone4(q, scales, added, i, scale_type, added_type, how, 8), 0, v);
    else
        vstore8(undone8(q, scales, added, i, scale_type, added_type, how, 8), 0, v);
    for (uint k = 0; k < width; k++)
        put(y, i + k, y_type, v[k]);
}

// y[entry][u] is the element of the cache [batches, size] that the entry asks for, and stays where it asks for none.
kernel void gather(global const int *cache, global const uchar *indices, global float *y, const long batches,
                   const long size, const long length, const uint bits, const uint pairs, const uint slots,
                   const uint policy)
{
    const long entry = (long)get_global_id(0);
    struct clq_place place;

    if (slots)
        place = clq_place_of_slot(clq_load_index(indices, entry, bits), batches, size);
    else if (pairs)
        place = clq_place_of(clq_load_index(indices, 2 * entry, bits), clq_load_index(indices, 2 * entry + 1, bits),
                             batches, size, length, policy);
    else
        place = clq_place_of(entry, clq_load_index(indices, entry, bits), batches, size, length, policy);
    for (long u = 0; u < length && place.kept; u++)
        y[entry * length + u] = (float)cache[place.batch * size + clq_position_of(place.start, u, size)];
}

// Of blocks, which carry their scales, `width` values.
kernel void load(global const uchar *q, global uint *y, const uint width, const uint skip)
{
    const ulong i = get_global_id(0) * width;

    q += skip;
    if (width == 1)
        y[i] = as_uint(PASTE(clq_load_, NAME)(q, i));
    else if (width == 4)
        vstore4(as_uint4(PASTE(clq_load4_, NAME)(q, i)), 0, y + i);
    else
        vstore8(as_uint8(PASTE(clq_load8_, NAME)(q, i)), 0, y + i);
}

// A row of bytes, of which all work-items move their share.
kernel void move(global const uchar *src, global uchar *dst, const uint bytes, const uint from, const uint to)
{
    clq_move_row(src + from, dst + to, bytes, (uint)get_global_id(0), (uint)get_global_size(0));
}

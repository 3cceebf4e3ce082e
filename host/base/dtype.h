/* SPDX-License-Identifier: Apache-2.0 */
/* The element types: one row each. A new type is one row here and one block in cl/base/types.clh. */
#ifndef CLQ_BASE_DTYPE_H
#define CLQ_BASE_DTYPE_H

#include <dlpack/dlpack.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* DLPack's codes since its version 1.1, which older headers do not have. */
#define CLQ__DL_E4M3 10
#define CLQ__DL_E5M2 12

/* X(id, token, public name, DLPack code, bits). The token is the name in cl/base/types.clh. */
#define CLQ__TYPE_LIST(X)                                                                                    \
    X(CLQ__F32, "f32", "float32", kDLFloat, 32)                                                              \
    X(CLQ__F16, "f16", "float16", kDLFloat, 16)                                                              \
    X(CLQ__BF16, "bf16", "bfloat16", kDLBfloat, 16)                                                          \
    X(CLQ__I8, "i8", "int8", kDLInt, 8)                                                                      \
    X(CLQ__U8, "u8", "uint8", kDLUInt, 8)                                                                    \
    X(CLQ__I32, "i32", "int32", kDLInt, 32)                                                                  \
    X(CLQ__I4, "i4", "int4", kDLInt, 4)                                                                      \
    X(CLQ__U4, "u4", "uint4", kDLUInt, 4)                                                                    \
    X(CLQ__E4M3, "e4m3", "float8_e4m3fn", CLQ__DL_E4M3, 8)                                                   \
    X(CLQ__E5M2, "e5m2", "float8_e5m2", CLQ__DL_E5M2, 8)                                                     \
    X(CLQ__I64, "i64", "int64", kDLInt, 64)

/* The numbers are those of cl/args/types.h, which the kernels switch on; 0 stands for a tensor that is
 * absent. */
enum clq__type {
    CLQ__NONE,
#define CLQ__TYPE_ENUM(id, token, name, code, bits) id,
    CLQ__TYPE_LIST(CLQ__TYPE_ENUM)
#undef CLQ__TYPE_ENUM
        CLQ__TYPES,
};

/* Sets of types, for what an argument allows; the first two say what a row says. */
#define CLQ__SET(type) (1u << (type))
enum {
#define CLQ__TYPE_NIBBLE(id, token, name, code, bits)   | (bits == 4 ? CLQ__SET(id) : 0)
#define CLQ__TYPE_UNSIGNED(id, token, name, code, bits) | (code == kDLUInt ? CLQ__SET(id) : 0)
    CLQ__NIBBLES = 0 CLQ__TYPE_LIST(CLQ__TYPE_NIBBLE), /* two in a byte */
    CLQ__UNSIGNED = 0 CLQ__TYPE_LIST(CLQ__TYPE_UNSIGNED),
#undef CLQ__TYPE_NIBBLE
#undef CLQ__TYPE_UNSIGNED
    CLQ__FLOATS = CLQ__SET(CLQ__F32) | CLQ__SET(CLQ__F16) | CLQ__SET(CLQ__BF16),
    CLQ__FLOATS8 = CLQ__SET(CLQ__E4M3) | CLQ__SET(CLQ__E5M2),
    CLQ__INTEGERS = CLQ__SET(CLQ__I8) | CLQ__SET(CLQ__U8) | CLQ__SET(CLQ__I32),
    CLQ__QUANTIZED = CLQ__INTEGERS | CLQ__NIBBLES | CLQ__FLOATS8,
    CLQ__CACHES = CLQ__SET(CLQ__I8) | CLQ__SET(CLQ__U8) | CLQ__NIBBLES | CLQ__FLOATS8,
    CLQ__GROUPED = CLQ__SET(CLQ__I8) | CLQ__NIBBLES | CLQ__FLOATS8, /* what rows of groups become */
    CLQ__INDICES = CLQ__SET(CLQ__I32) | CLQ__SET(CLQ__I64),
    CLQ__ANY = (1 << CLQ__TYPES) - 2,
};

static inline bool clq__type_is(enum clq__type type, unsigned set)
{
    return (set >> type & 1) != 0;
}

/* Of a cache's type, the middle of its range: where absmax has its zero point. */
static inline int clq__type_middle(enum clq__type type)
{
    return !clq__type_is(type, CLQ__UNSIGNED) ? 0 : clq__type_is(type, CLQ__NIBBLES) ? 8 : 128;
}

/* Of a cache's type, the steps from there to the end of the range: those that absmax fills. */
static inline unsigned clq__type_steps(enum clq__type type)
{
    return type == CLQ__E5M2 ? 57344 : type == CLQ__E4M3 ? 448 : clq__type_is(type, CLQ__NIBBLES) ? 7 : 127;
}

/* CLQ__NONE where it is none of ours. Types of four bits may have 1, 2 or 8 lanes (views of tensor.h), all others
 * have one. */
enum clq__type clq__type_of(DLDataType dtype);
bool clq__same_dtype(DLDataType a, DLDataType b);
const char *clq__type_token(enum clq__type type);
const char *clq__type_name(enum clq__type type);
/* For a sentence: the name, or of what is none of ours code, bits and lanes. size_bytes is at least
 * CLQ__DTYPE_TEXT. */
#define CLQ__DTYPE_TEXT 48
const char *clq__dtype_text(DLDataType dtype, char *text, size_t size_bytes);
/* The names in a set, "float32, float16 or bfloat16", for a sentence. */
const char *clq__type_names(unsigned set, char *text, size_t size_bytes);

/* Bytes of one storage element: what strides and byte offsets count in. Packed types of four bits count nibbles;
 * their offset bytes. */
static inline size_t clq__storage_bytes(DLDataType dtype)
{
    const size_t bits = (size_t)dtype.bits * dtype.lanes;

    return bits < 8 ? 1 : bits / 8;
}

/* The same as a shift, for a division would be felt in every call. Of our types, all a power of two. */
static inline int clq__storage_shift(DLDataType dtype)
{
    return __builtin_ctzll(clq__storage_bytes(dtype));
}

#endif

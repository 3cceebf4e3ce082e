/* SPDX-License-Identifier: Apache-2.0 */
/* The element types, whose rows are those of cl/args/type_rows.h. */
#ifndef CLQ_BASE_DTYPE_H
#define CLQ_BASE_DTYPE_H

#include "args/type_rows.h"

#include <dlpack/dlpack.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 0 stands for a tensor that is absent. */
enum clq__type {
    CLQ__NONE,
#define CLQ__TYPE_ENUM(t, id) CLQ__##id,
    CLQ_TYPES(CLQ__TYPE_ENUM)
#undef CLQ__TYPE_ENUM
        CLQ__TYPES,
};

/* Sets of types, for what an argument allows: each says what a row says. */
#define CLQ__SET(type)           (1u << (type))
#define CLQ__SET_IF(id, holds)   | ((holds) ? CLQ__SET(CLQ__##id) : 0)
#define CLQ__IS_SCALE(t, id)     CLQ__SET_IF(id, CLQ_TYPE_ROLES(t) & CLQ_ROLE_SCALE)
#define CLQ__IS_PARAMETER(t, id) CLQ__SET_IF(id, CLQ_TYPE_ROLES(t) & (CLQ_ROLE_SCALE | CLQ_ROLE_PARAMETER))
#define CLQ__IS_QUANTIZED(t, id) CLQ__SET_IF(id, CLQ_TYPE_ROLES(t) & CLQ_ROLE_QUANTIZED)
#define CLQ__IS_CACHED(t, id)    CLQ__SET_IF(id, CLQ_TYPE_ROLES(t) & CLQ_ROLE_CACHED)
#define CLQ__IS_GROUPED(t, id)   CLQ__SET_IF(id, CLQ_TYPE_ROLES(t) & CLQ_ROLE_GROUPED)
#define CLQ__IS_INTEGER(t, id)   CLQ__SET_IF(id, CLQ_TYPE_ROLES(t) & CLQ_ROLE_ZERO_POINT)
#define CLQ__IS_INDEX(t, id)     CLQ__SET_IF(id, CLQ_TYPE_ROLES(t) & CLQ_ROLE_INDEX)
#define CLQ__IS_CPU(t, id)       CLQ__SET_IF(id, CLQ_TYPE_ROLES(t) & CLQ_ROLE_CPU)
#define CLQ__IS_BLOCK(t, id)     CLQ__SET_IF(id, CLQ_TYPE_ROLES(t) & CLQ_ROLE_BLOCK)
#define CLQ__IS_SHARING(t, id)   CLQ__SET_IF(id, CLQ_TYPE_BITS(t) < 8)
#define CLQ__IS_WHOLE(t, id)     CLQ__SET_IF(id, CLQ_TYPE_WHOLE(t))
#define CLQ__IS_UNSIGNED(t, id)  CLQ__SET_IF(id, CLQ_TYPE_CODE(t) == kDLUInt)
#define CLQ__IS_ZEROS(t, id)     CLQ__SET_IF(id, CLQ_TYPE_SIGNED_ZERO(t))
enum {
    CLQ__FLOATS = 0 CLQ_TYPES(CLQ__IS_SCALE),
    CLQ__SCALES = 0 CLQ_TYPES(CLQ__IS_PARAMETER), /* what scales are read from */
    CLQ__QUANTIZED = 0 CLQ_TYPES(CLQ__IS_QUANTIZED),
    CLQ__CACHES = 0 CLQ_TYPES(CLQ__IS_CACHED),
    CLQ__GROUPED = 0 CLQ_TYPES(CLQ__IS_GROUPED), /* what rows of groups become */
    CLQ__INTEGERS = 0 CLQ_TYPES(CLQ__IS_INTEGER),
    CLQ__INDICES = 0 CLQ_TYPES(CLQ__IS_INDEX),
    CLQ__CPU = 0 CLQ_TYPES(CLQ__IS_CPU),         /* what cl/cpu names */
    CLQ__BLOCKS = 0 CLQ_TYPES(CLQ__IS_BLOCK),    /* blocks of values that carry their scales */
    CLQ__SHARING = 0 CLQ_TYPES(CLQ__IS_SHARING), /* several elements share a byte */
    CLQ__WHOLE = 0 CLQ_TYPES(CLQ__IS_WHOLE),     /* whole numbers: neither fractions nor -0 */
    CLQ__UNSIGNED = 0 CLQ_TYPES(CLQ__IS_UNSIGNED),
    CLQ__SIGNED_ZERO = 0 CLQ_TYPES(CLQ__IS_ZEROS),
    CLQ__ANY = (1 << CLQ__TYPES) - 2,
};

static inline bool clq__type_is(enum clq__type type, unsigned set)
{
    return (set >> type & 1) != 0;
}

/* For a cache's type: how many steps lead from the least value to the largest, where these are whole; the
 * middle of its range, where absmax has its zero point; and how many steps lead from there to the end, which
 * are those that absmax fills. */
unsigned clq__type_levels(enum clq__type type);
int clq__type_middle(enum clq__type type);
unsigned clq__type_steps(enum clq__type type);

/* Elements that share a byte, as a power of two: 1 of a type of four bits, 2 of two; 0 of all others. */
int clq__type_share_bits(enum clq__type type);

/* CLQ__NONE where it is none of ours. Types that share bytes may have 1 lane, or those of a byte or a word of
 * 32 bits (views of tensor.h), blocks have their bytes, and all others one. */
enum clq__type clq__type_of(DLDataType dtype);
bool clq__same_dtype(DLDataType a, DLDataType b);
const char *clq__type_token(enum clq__type type);
const char *clq__type_name(enum clq__type type);
/* clq_dtype_parse and clq_dtype_name of tensor.h. */
DLDataType clq__dtype_parse(const char *name);
const char *clq__dtype_name(DLDataType dtype);
/* For a sentence: the name, or of what is none of ours code, bits and lanes. size_bytes is at least
 * CLQ__DTYPE_TEXT. */
#define CLQ__DTYPE_TEXT 48
const char *clq__dtype_text(DLDataType dtype, char *text, size_t size_bytes);
/* The names in a set, "float32, float16 or bfloat16", for a sentence; size_bytes is CLQ__NAMES_TEXT,
 * in which all fit. */
#define CLQ__TEXT(word)        CLQ__TEXT_PASTED(word)
#define CLQ__TEXT_PASTED(word) #word
#define CLQ__NAME_BYTES(t, id) +(int)sizeof(CLQ__TEXT(CLQ_TYPE_NAME(t)) " or ")
enum { CLQ__NAMES_TEXT = 0 CLQ_TYPES(CLQ__NAME_BYTES) };
const char *clq__type_names(unsigned set, char *text, size_t size_bytes);

/* Bytes of one storage element: what strides and byte offsets count in. Packed elements that share a byte
 * count one by one; their offset counts bytes. */
static inline size_t clq__storage_bytes(DLDataType dtype)
{
    const size_t bits = (size_t)dtype.bits * dtype.lanes;

    return bits < 8 ? 1 : bits / 8;
}

#endif

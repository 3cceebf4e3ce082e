/* SPDX-License-Identifier: Apache-2.0 */
/* The table of element types, of their rows. */
#include "base/dtype.h"

#include "base/error.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* The storage elements of views of types that share bytes. */
enum { BYTE_BITS = 8, WORD_BITS = 32 };

struct row {
    const char *token, *name;
    float top, lowest;
};

static const struct row rows[CLQ__TYPES] = {
#define ROW(t, id) [CLQ__##id] = {#t, CLQ__TEXT(CLQ_TYPE_NAME(t)), CLQ_TYPE_TOP(t), CLQ_TYPE_LOWEST(t)},
    CLQ_TYPES(ROW)
#undef ROW
};

/* Kernels know these: base/types.clh, base/blocks.clh. */
#define CHECK_BITS(t, id)                                                                                    \
    _Static_assert(CLQ_TYPE_BITS(t) >= 8 || CLQ_TYPE_BITS(t) == 4 || CLQ_TYPE_BITS(t) == 2,                  \
                   #t ": elements that share a byte have 4 or 2 bits");
#define CHECK_BLOCK(t, id)                                                                                   \
    _Static_assert(CLQ_BLOCK_IS_WHOLE(t),                                                                    \
                   #t ": kernels store no such codes, or its bits are not those of d and the codes");
CLQ_VALUE_TYPES(CHECK_BITS)
CLQ_BLOCK_TYPES(CHECK_BLOCK)
#undef CHECK_BITS
#undef CHECK_BLOCK

_Static_assert(kDLInt == 0 && kDLUInt == 1 && kDLFloat == 2 && kDLBfloat == 4,
               "the rows have DLPack's codes");

unsigned clq__type_levels(enum clq__type type)
{
    return clq__type_is(type, CLQ__WHOLE) ? (unsigned)(rows[type].top - rows[type].lowest) : 0;
}

int clq__type_middle(enum clq__type type)
{
    return clq__type_is(type, CLQ__UNSIGNED) ? (int)(clq__type_levels(type) / 2 + 1) : 0;
}

unsigned clq__type_steps(enum clq__type type)
{
    return (unsigned)rows[type].top - (unsigned)clq__type_middle(type);
}

enum clq__type clq__type_of(DLDataType dtype)
{
    const int bits = dtype.bits * dtype.lanes;
    const bool is_view = bits == BYTE_BITS || bits == WORD_BITS;

    switch (dtype.code << 8 | dtype.bits) {
#define CASE(t, id)                                                                                          \
    case CLQ_TYPE_CODE(t) << 8 | CLQ_TYPE_BITS(t) / CLQ_TYPE_LANES(t):                                       \
        return dtype.lanes == CLQ_TYPE_LANES(t) || (CLQ_TYPE_BITS(t) < 8 && is_view) ? CLQ__##id : CLQ__NONE;
        CLQ_TYPES(CASE)
#undef CASE
    default:
        return CLQ__NONE;
    }
}

bool clq__same_dtype(DLDataType a, DLDataType b)
{
    return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

const char *clq__type_token(enum clq__type type)
{
    return rows[type].token;
}

const char *clq__type_name(enum clq__type type)
{
    return rows[type].name;
}

/* The names of types, and of the views of those that share bytes, by the bits of a storage element; 0: the
 * type's own. */
static const struct view {
    int bits;
    unsigned types;
    const char *names[CLQ__TYPES];
} views[] = {
#define NAME(t, id)  [CLQ__##id] = CLQ__TEXT(CLQ_TYPE_NAME(t)),
#define BYTES(t, id) [CLQ__##id] = CLQ__TEXT(CLQ_TYPE_NAME(t)) "_bytes",
#define WORDS(t, id) [CLQ__##id] = CLQ__TEXT(CLQ_TYPE_NAME(t)) "_words",
    {0, CLQ__ANY, {CLQ_TYPES(NAME)}},
    {BYTE_BITS, CLQ__SHARING, {CLQ_TYPES(BYTES)}},
    {WORD_BITS, CLQ__SHARING, {CLQ_TYPES(WORDS)}},
#undef NAME
#undef BYTES
#undef WORDS
};

static const DLDataType dtypes[CLQ__TYPES] = {
#define DTYPE(t, id)                                                                                         \
    [CLQ__##id] = {CLQ_TYPE_CODE(t), CLQ_TYPE_BITS(t) / CLQ_TYPE_LANES(t), CLQ_TYPE_LANES(t)},
    CLQ_TYPES(DTYPE)
#undef DTYPE
};

int clq__type_share_bits(enum clq__type type)
{
    return dtypes[type].bits < BYTE_BITS ? 3 - __builtin_ctz(dtypes[type].bits) : 0;
}

/* For a type's view. */
static DLDataType dtype_of(enum clq__type type, const struct view *view)
{
    DLDataType dtype = dtypes[type];

    if (view->bits > 0)
        dtype.lanes = (uint16_t)(view->bits / dtype.bits);
    return dtype;
}

DLDataType clq__dtype_parse(const char *name)
{
    for (size_t view = 0; name != NULL && view < CLQ_COUNT(views); view++)
        for (int type = CLQ__NONE + 1; type < CLQ__TYPES; type++)
            if (clq__type_is((enum clq__type)type, views[view].types) &&
                strcmp(name, views[view].names[type]) == 0)
                return dtype_of((enum clq__type)type, &views[view]);
    return (DLDataType){255, 255, 0};
}

const char *clq__dtype_name(DLDataType dtype)
{
    const enum clq__type type = clq__type_of(dtype);

    for (size_t view = 0; view < CLQ_COUNT(views); view++)
        if (type != CLQ__NONE && dtype_of(type, &views[view]).lanes == dtype.lanes)
            return views[view].names[type];
    return NULL;
}

const char *clq__dtype_text(DLDataType dtype, char *text, size_t size_bytes)
{
    const enum clq__type type = clq__type_of(dtype);

    if (type == CLQ__NONE)
        snprintf(text, size_bytes, "(code %d, bits %d, lanes %d)", dtype.code, dtype.bits, dtype.lanes);
    else
        snprintf(text, size_bytes, "%s%s", rows[type].name,
                 dtype.lanes == dtypes[type].lanes       ? ""
                 : dtype.bits * dtype.lanes == BYTE_BITS ? " in bytes"
                                                         : " in words");
    return text;
}

const char *clq__type_names(unsigned set, char *text, size_t size_bytes)
{
    struct clq__text out = clq__text(text, size_bytes);
    unsigned left = 0;

    for (int type = CLQ__NONE + 1; type < CLQ__TYPES; type++)
        left += set >> type & 1;
    for (int type = CLQ__NONE + 1; type < CLQ__TYPES; type++) {
        if (!(set >> type & 1))
            continue;
        clq__text_add(&out, rows[type].name);
        left--;
        if (left > 0)
            clq__text_add(&out, left > 1 ? ", " : " or ");
    }
    return text;
}

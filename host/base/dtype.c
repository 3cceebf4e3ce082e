/* SPDX-License-Identifier: Apache-2.0 */
/* The table of element types. */
#include "base/dtype.h"

#include "base/error.h"
#include "base/text.h"

#include <stdio.h>

struct row {
    const char *token, *name;
};

static const struct row rows[CLQ__TYPES] = {
#define ROW(id, token, name, code, bits) [id] = {token, name},
    CLQ__TYPE_LIST(ROW)
#undef ROW
};

enum clq__type clq__type_of(DLDataType dtype)
{
    const bool one_lane = dtype.lanes == 1, views = dtype.lanes == 2 || dtype.lanes == 8;

    switch (dtype.code << 8 | dtype.bits) {
#define CASE(id, token, name, code, bits)                                                                    \
    case code << 8 | bits:                                                                                   \
        return one_lane || (bits == 4 && views) ? id : CLQ__NONE;
        CLQ__TYPE_LIST(CASE)
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

const char *clq__dtype_text(DLDataType dtype, char *text, size_t size_bytes)
{
    const enum clq__type type = clq__type_of(dtype);

    if (type == CLQ__NONE)
        snprintf(text, size_bytes, "(code %d, bits %d, lanes %d)", dtype.code, dtype.bits, dtype.lanes);
    else
        snprintf(text, size_bytes, "%s%s", rows[type].name,
                 dtype.lanes == 1   ? ""
                 : dtype.lanes == 2 ? " in bytes"
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

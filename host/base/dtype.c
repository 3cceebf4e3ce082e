/* The table of element types. */
#include "base/dtype.h"

#include "base/error.h"
#include "base/text.h"

struct row {
    const char *token, *name;
    uint8_t code, bits;
};

static const struct row rows[CLQ__TYPES] = {
#define ROW(id, token, name, code, bits) [id] = {token, name, code, bits},
    CLQ__TYPE_LIST(ROW)
#undef ROW
};

enum clq__type clq__type_of(DLDataType dtype)
{
    const bool one_lane = dtype.lanes == 1;

    for (int type = CLQ__NONE + 1; type < CLQ__TYPES; type++)
        if (rows[type].code == dtype.code && rows[type].bits == dtype.bits)
            return one_lane || (type == CLQ__I4 && (dtype.lanes == 2 || dtype.lanes == 8))
                       ? (enum clq__type)type
                       : CLQ__NONE;
    return CLQ__NONE;
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

size_t clq__storage_bytes(DLDataType dtype)
{
    const size_t bits = (size_t)dtype.bits * dtype.lanes;

    return bits < 8 ? 1 : bits / 8;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of an operator's descriptor, as data: a row a field, in the order of the fields, with its
 * name, its kind, its range and a sentence. The library checks by these rows what a field can say alone, and
 * commands and bindings read them instead of writing them down again.
 *
 *   size_t count;
 *   const struct clq_option *options = clq_operator_options("quantize", &count);
 *
 * The rows are constant, and live as long as the library. */
#ifndef CLQUANT_OPTIONS_H
#define CLQUANT_OPTIONS_H

#include <clquant/status.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The operators. Whatever stands in C once for each of them is made from this list, and CMake reads it. */
#define CLQ_OPERATOR_LIST(X)                                                                                 \
    X(quantize)                                                                                              \
    X(dequantize)                                                                                            \
    X(group_quantize)                                                                                        \
    X(quantize_scatter)                                                                                      \
    X(dynamic_quantize)                                                                                      \
    X(dynamic_quantize_scatter)                                                                              \
    X(find_scales)                                                                                           \
    X(move_rows)

/* The kind of a field in C, and what it may be. A kind never gets another number; new ones follow. */
enum clq_option_kind {
    CLQ_OPTION_INPUT = 1,     /* const DLTensor *, which is read */
    CLQ_OPTION_OUTPUT = 2,    /* const DLTensor *, which is written */
    CLQ_OPTION_BUFFER = 3,    /* cl_mem, and behind it a uint64_t: its offset in bytes; NULL: none */
    CLQ_OPTION_FLAG = 4,      /* uint32_t, 0 or 1 */
    CLQ_OPTION_NUMBER = 5,    /* uint32_t, from least to most */
    CLQ_OPTION_POWER = 6,     /* uint32_t, 0 or a power of two from least to most */
    CLQ_OPTION_WORD = 7,      /* uint32_t, the place of one of the words */
    CLQ_OPTION_REAL = 8,      /* float, from least to most */
    CLQ_OPTION_AXIS = 9,      /* int32_t (clquant/tensor.h, at CLQ_AXIS_FIRST) */
    CLQ_OPTION_TYPE = 10,     /* DLDataType */
    CLQ_OPTION_RESERVED = 11, /* uint32_t or uint64_t, one or several: zeros */
};

struct clq_option_word {
    const char *word; /* divide; NULL ends a list */
    const char *name; /* CLQ_DIVIDE */
};

struct clq_option {
    const char *name; /* the field's */
    const char *help; /* one sentence, without a point */
    const struct clq_option_word *words;
    double least, most;
    double fallback; /* what 0 means; of an axis -1 for the last */
    uint32_t kind;   /* enum clq_option_kind */
    uint32_t offset_bytes, size_bytes;
    uint32_t optional; /* a tensor that may be NULL */
};

/* The rows of the operator of that name, as in clq_NAME; NULL and 0 where there is none. The last row ends
 * where the descriptor does. */
CLQ_API const struct clq_option *clq_operator_options(const char *name, size_t *count);

#ifdef __cplusplus
}
#endif
#endif

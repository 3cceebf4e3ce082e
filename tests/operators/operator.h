/* SPDX-License-Identifier: Apache-2.0 */
/* One description an operator, which every test is made from and which shares nothing with the library: its
 * tensors, a random call that is right, its rules, its reference. A new operator is one file here. */
#ifndef CLQUANT_OPERATORS_OPERATOR_H
#define CLQUANT_OPERATORS_OPERATOR_H

#include "reference.h"

#include <clquant/clquant.h>

enum { OPERATOR_MOST_TENSORS = 8, OPERATOR_DESC_BYTES = 256 };

/* Sets of types. */
#define TYPE_SET(type)         (1u << REFERENCE_##type)
#define TYPE_IN_SET(t, header) | TYPE_SET(t)
#define TYPES_FLOAT            (TYPE_SET(F32) | TYPE_SET(F16) | TYPE_SET(BF16))
/* Of scales that are read. */
#define TYPES_SCALE     (TYPES_FLOAT | TYPE_SET(E4M3) | TYPE_SET(E8M0))
#define TYPES_INTEGER   (TYPE_SET(I8) | TYPE_SET(U8) | TYPE_SET(I32))
#define TYPES_PACKED    (0u REFERENCE_PACKED_INTEGERS(TYPE_IN_SET))
#define TYPES_SMALL     (0u REFERENCE_SMALL_FLOATS(TYPE_IN_SET))
#define TYPES_QUANTIZED (TYPES_INTEGER | TYPES_PACKED | TYPES_SMALL)
#define TYPES_CACHE     (TYPE_SET(I8) | TYPE_SET(U8) | TYPES_PACKED | TYPES_SMALL)
#define TYPES_GROUPED   (TYPE_SET(I8) | TYPES_PACKED | TYPES_SMALL)
#define TYPES_BLOCK     (0u REFERENCE_BLOCKS(TYPE_IN_SET))
#define TYPES_ANY       ((1u << REFERENCE_TYPES) - 1)
#define TYPES_INDEX     (TYPE_SET(I32) | TYPE_SET(I64))

/* What each rule asks for (enum clq_scale_rule). */
#define TYPES_MX    TYPES_SMALL
#define TYPES_NVFP4 TYPE_SET(E2M1)

enum operand_use { OPERAND_READ, OPERAND_WRITTEN };

struct call;
struct judge;

struct operator_row {
    const char *name;
    const char *options_of; /* the operator whose descriptor it has; NULL: it has its own */
    unsigned src, dst;      /* types of what it reads and writes, among which a wish chooses */
    /* The descriptor's tensors. The order is that of what two tensors that share bytes are called. */
    struct operand {
        const char *name; /* NULL: there are no more */
        unsigned types;
        enum operand_use use;
        bool optional;
        size_t at; /* of its pointer in the descriptor */
    } operands[OPERATOR_MOST_TENSORS + 1];
    bool in_place;            /* what it writes may share bytes with the first operand */
    size_t report, workspace; /* a cl_mem, and behind it the offset in bytes; 0 where it has none */

    /* Makes the tensors and the descriptor's numbers: all that a right call may have. */
    void (*draw)(struct call *call);
    /* The types of operand t, where others decide on them; NULL: those of its row. */
    unsigned (*types)(const struct call *call, int t);
    /* Every rule that the call breaks, but those of each tensor alone and of buffers. */
    void (*judge)(struct judge *judge);
    /* What check_indices says of a right call; NULL: there is no such function. */
    void (*judge_indices)(struct judge *judge);
    /* What it copies ahead of all else, which stays where a later command fails, into the expected bytes;
     * false: this call copies nothing. NULL: no call does. */
    bool (*copy)(const struct call *call);
    /* What the call writes, into the expected bytes. */
    struct reference_report (*reference)(const struct call *call);

    /* The library's, of a descriptor of this operator; NULL where it has none. */
    clq_status (*enqueue)(clq_context *context, cl_command_queue queue, const void *desc, cl_uint num_wait,
                          const cl_event *wait, cl_event *done);
    clq_status (*build)(clq_context *context, const void *desc);
    clq_status (*check)(const void *desc);
    clq_status (*plan)(clq_context *context, const void *desc, clq_plan **plan);
    clq_status (*workspace_bytes)(clq_context *context, const void *desc, size_t *size_bytes);
    clq_status (*check_indices)(clq_context *context, cl_command_queue queue, const void *desc,
                                cl_uint num_wait, const cl_event *wait);
};

#define OPERATOR_DECLARE(name) extern const struct operator_row operator_##name;
CLQ_OPERATOR_LIST(OPERATOR_DECLARE)
#undef OPERATOR_DECLARE

#define OPERATOR_COUNT(name) +1
enum { OPERATORS = CLQ_OPERATOR_LIST(OPERATOR_COUNT) };
#undef OPERATOR_COUNT

/* The rows of its descriptor's fields. */
struct option_list {
    const struct clq_option *rows;
    size_t count;
};
struct option_list operator_options(const struct operator_row *op);
/* The field of that name; NULL: it has none. */
void *operator_field(const struct operator_row *op, void *desc, const char *name);
/* Whether it is one of the descriptor's numbers, which is no tensor, and means something. */
bool option_is_number(const struct clq_option *option);

extern const struct operator_row *const operators[OPERATORS];
/* NULL: there is none of this name. */
const struct operator_row *operator_find(const char *name);

/* An operator's row, of its own functions draw and reference, of the library's, which every operator has, and
 * of what stands behind: its types, its tensors by AT(field), its judge. */
#define OPERATOR_ROW(op, ...)                                                                                \
    static clq_status enqueue(clq_context *context, cl_command_queue queue, const void *desc,                \
                              cl_uint num_wait, const cl_event *wait, cl_event *done)                        \
    {                                                                                                        \
        return clq_##op(context, queue, desc, num_wait, wait, done);                                         \
    }                                                                                                        \
    static clq_status build(clq_context *context, const void *desc)                                          \
    {                                                                                                        \
        return clq_##op##_build(context, desc);                                                              \
    }                                                                                                        \
    static clq_status check(const void *desc)                                                                \
    {                                                                                                        \
        return clq_##op##_check(desc);                                                                       \
    }                                                                                                        \
    static clq_status plan(clq_context *context, const void *desc, clq_plan **made)                          \
    {                                                                                                        \
        return clq_##op##_plan(context, desc, made);                                                         \
    }                                                                                                        \
    static clq_status workspace_bytes(clq_context *context, const void *desc, size_t *size_bytes)            \
    {                                                                                                        \
        return clq_##op##_workspace(context, desc, size_bytes);                                              \
    }                                                                                                        \
    const struct operator_row operator_##op = {.name = #op,                                                  \
                                               .draw = draw,                                                 \
                                               .reference = reference,                                       \
                                               .enqueue = enqueue,                                           \
                                               .build = build,                                               \
                                               .check = check,                                               \
                                               .plan = plan,                                                 \
                                               .workspace = offsetof(struct clq_##op##_desc, workspace),     \
                                               .workspace_bytes = workspace_bytes,                           \
                                               __VA_ARGS__};

/* Ahead of the row of an operator that looks at indices, and in it. */
#define OPERATOR_CHECK_INDICES(op)                                                                           \
    static clq_status check_indices(clq_context *context, cl_command_queue queue, const void *desc,          \
                                    cl_uint num_wait, const cl_event *wait)                                  \
    {                                                                                                        \
        return clq_##op##_check_indices(context, queue, desc, num_wait, wait);                               \
    }
#define OPERATOR_INDICES(judged) .report = AT(report), .judge_indices = judged, .check_indices = check_indices

#endif

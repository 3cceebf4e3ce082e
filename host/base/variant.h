/* SPDX-License-Identifier: Apache-2.0 */
/* A variant: one kernel of one file with its plugs. It is the dispatch, packed into 64 bits, for every call
 * looks its kernel up; as text, "quantize.cl SRC=f16 DST=i8 MODE=multiply", it is what users say and logs
 * tell, and mapped to an identifier the kernel's name. */
#ifndef CLQ_BASE_VARIANT_H
#define CLQ_BASE_VARIANT_H

#include "base/dtype.h"
#include "base/text.h"

#include <clquant/status.h>

/* More than twice the longest text. */
#define CLQ__VARIANT_BYTES 240

/* The files that hold a kernel, without the folder of their kind: "quantize.cl" is cl/static/quantize.cl.
 * The ones of cpu/ are for PoCL's CPUs: each has the meaning of the file of its name, and no plugs that
 * depend on the device. */
#define CLQ__KERNEL_LIST(X)                                                                                  \
    X(CLQ__CLAIM_CL, "claim.cl")                                                                             \
    X(CLQ__CONVERT_ROWS_CL, "convert_rows.cl")                                                               \
    X(CLQ__COPY_CL, "copy.cl")                                                                               \
    X(CLQ__CPU_CLAIM_CL, "cpu/claim.cl")                                                                     \
    X(CLQ__CPU_DEQUANTIZE_CL, "cpu/dequantize.cl")                                                           \
    X(CLQ__CPU_DEQUANTIZE_BLOCKS_CL, "cpu/dequantize_blocks.cl")                                             \
    X(CLQ__CPU_DEQUANTIZE_ROTATED_CL, "cpu/dequantize_rotated.cl")                                           \
    X(CLQ__CPU_DYNAMIC_QUANTIZE_CL, "cpu/dynamic_quantize.cl")                                               \
    X(CLQ__CPU_FIND_SCALES_CL, "cpu/find_scales.cl")                                                         \
    X(CLQ__CPU_QUANTIZE_BLOCKS_CL, "cpu/quantize_blocks.cl")                                                 \
    X(CLQ__CPU_QUANTIZE_CL, "cpu/quantize.cl")                                                               \
    X(CLQ__CPU_QUANTIZE_RULE_CL, "cpu/quantize_rule.cl")                                                     \
    X(CLQ__DEQUANTIZE_CL, "dequantize.cl")                                                                   \
    X(CLQ__DEQUANTIZE_BLOCKS_CL, "dequantize_blocks.cl")                                                     \
    X(CLQ__DEQUANTIZE_ROTATED_CL, "dequantize_rotated.cl")                                                   \
    X(CLQ__DYNAMIC_QUANTIZE_CL, "dynamic_quantize.cl")                                                       \
    X(CLQ__FIND_SCALES_CL, "find_scales.cl")                                                                 \
    X(CLQ__FINISH_SCALES_CL, "finish_scales.cl")                                                             \
    X(CLQ__MOVE_ROWS_CL, "move_rows.cl")                                                                     \
    X(CLQ__PLACES_CL, "places.cl")                                                                           \
    X(CLQ__QUANTIZE_BLOCKS_CL, "quantize_blocks.cl")                                                         \
    X(CLQ__QUANTIZE_CL, "quantize.cl")                                                                       \
    X(CLQ__QUANTIZE_RULE_CL, "quantize_rule.cl")                                                             \
    X(CLQ__VALUES_CL, "values.cl")                                                                           \
    X(CLQ__WIDEN_CL, "widen.cl")

/* Plugs in the order in which a text has them: X(id, name, values, numbered as below). Which kernel has which
 * is said by cl/variants.txt. The values of SRC and DST are the tokens of enum clq__type. */
#define CLQ__PLUG_LIST(X)                                                                                    \
    X(CLQ__SRC, "SRC", {0})                                                                                  \
    X(CLQ__DST, "DST", {0})                                                                                  \
    X(CLQ__MODE, "MODE", {"multiply", "divide"})                                                             \
    X(CLQ__PARAMS, "PARAMS", {"one", "each", "both"})                                                        \
    X(CLQ__SMOOTH, "SMOOTH", {"0", "1"})                                                                     \
    X(CLQ__ROTATE, "ROTATE", {"0", "1"})                                                                     \
    X(CLQ__REDUCE, "REDUCE", {"runs", "columns"})                                                            \
    X(CLQ__RANGE, "RANGE", {"finite", "numbers"})                                                            \
    X(CLQ__FORM, "FORM", {"item", "group"})                                                                  \
    X(CLQ__ARITHMETIC, "ARITHMETIC", {"exact", "native", "fused"})

enum clq__kernel {
    CLQ__NO_KERNEL,
#define CLQ__KERNEL_ENUM(id, file) id,
    CLQ__KERNEL_LIST(CLQ__KERNEL_ENUM)
#undef CLQ__KERNEL_ENUM
        CLQ__KERNELS,
};

enum clq__plug {
#define CLQ__PLUG_ENUM(id, name, ...) id,
    CLQ__PLUG_LIST(CLQ__PLUG_ENUM)
#undef CLQ__PLUG_ENUM
        CLQ__PLUGS,
};

/* Values that are not 0 or 1. */
enum clq__arithmetic { CLQ__EXACT, CLQ__NATIVE, CLQ__FUSED };
enum clq__params { CLQ__PARAMS_ONE, CLQ__PARAMS_EACH, CLQ__PARAMS_BOTH };

/* The lowest byte is the kernel; then for each plug some bits: 0 where it has none, or one more than the
 * value. SRC and DST have room for 62 types, the others for 14 values. */
struct clq__variant {
    uint64_t bits;
};

/* The place of a plug's bits, and how many of them: SRC and DST, which come first,
 * have two more than the others. */
static inline int clq__plug_shift(enum clq__plug plug)
{
    return 8 + 4 * (int)plug + 2 * (plug > CLQ__SRC) + 2 * (plug > CLQ__DST);
}

static inline uint64_t clq__plug_mask(enum clq__plug plug)
{
    return plug <= CLQ__DST ? 63 : 15;
}

static inline void clq__variant_begin(struct clq__variant *variant, enum clq__kernel kernel)
{
    variant->bits = kernel;
}

/* For a plug that it does not have so far. */
static inline void clq__variant_define(struct clq__variant *variant, enum clq__plug plug, unsigned value)
{
    variant->bits |= (uint64_t)(value + 1) << clq__plug_shift(plug);
}

/* The plug's value; -1 where it has none. */
static inline int clq__variant_value(const struct clq__variant *variant, enum clq__plug plug)
{
    return (int)(variant->bits >> clq__plug_shift(plug) & clq__plug_mask(plug)) - 1;
}

/* Its text, for a sentence: it lives as long as the expression that asks for it. */
struct clq__variant_text {
    char data[CLQ__VARIANT_BYTES];
};
struct clq__variant_text clq__variant_text(const struct clq__variant *variant);

/* The file's name, the -D options and the kernel's name, each into its own text. */
void clq__variant_file(const struct clq__variant *variant, struct clq__text *out);
void clq__variant_options(const struct clq__variant *variant, struct clq__text *out);
void clq__variant_kernel(const struct clq__variant *variant, struct clq__text *out);
/* The options as lines of a source, "#define SRC f16", whose kernel has this name. */
void clq__variant_defines(const struct clq__variant *variant, const char *kernel, struct clq__text *out);

/* From such a text; false where it has a word that is none of the lists above. */
bool clq__variant_parse(struct clq__variant *variant, const char *text);

/* Reads a user's text: the file's name and then words in any order, blanks and tabs between; a word may have
 * several values, NAME=a|b. The list is that of cl/variants.txt, in whose order `out` becomes such a text;
 * what it leaves out of FORM and ARITHMETIC is device_plugs', " NAME=value NAME=value", or without them all
 * that the list has. CLQ_ERROR_VALUE says which word is not one of the list, or missing. Nothing else reaches
 * a compiler's options. (variant_read.c) */
clq_status clq__variant_read(struct clq__text *out, const char *list, const char *device_plugs,
                             const char *text);

/* Each variant of what was read, in order, until one is not CLQ_OK. (variant_read.c) */
typedef clq_status (*clq__variant_visit)(void *user, const struct clq__variant *variant);
clq_status clq__variant_each(const char *text, clq__variant_visit visit, void *user);

#endif

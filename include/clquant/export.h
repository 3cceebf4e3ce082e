/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for devices whose compiler is a program of the vendor's, that runs before yours does: FPGAs,
 * locked-down phones.
 *
 * Each variant is one source that stands for itself. A vendor's compiler makes an object of it, and links
 * objects into one binary, for no two kernels have one name. clq_context_add_binary of clquant/context.h
 * takes that binary. `clquant cache export` does this with files. docs/without_a_compiler.md has the whole
 * way.
 *
 * A kernel's name ends with a hash of its source: a binary of another version of clquant, whose kernels may
 * have other arguments, has none of the names that this one asks for. */
#ifndef CLQUANT_EXPORT_H
#define CLQUANT_EXPORT_H

#include <clquant/status.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One variant. All that it points to lives until the function that got it returns. */
struct clq_exported {
    const char *variant; /* "quantize.cl SRC=f16 DST=i8 MODE=divide PARAMS=one FORM=group ARITHMETIC=fused" */
    const char *kernel;  /* letters, digits and underscores */
    const char *options; /* which the compiler must be given, or what means the same to it */
    const char *source;  /* OpenCL C 1.2, NUL-terminated: no include and no -D is needed */
    size_t source_bytes; /* without the NUL */
};

/* Returns CLQ_OK to go on. Any other status ends the export, which returns it. */
typedef clq_status (*clq_export_visit)(void *user, const struct clq_exported *exported);

/* Calls visit for each variant that text names, in the order of cl/variants.txt. text is as for
 * clq_context_build, and opens no device: where FORM or ARITHMETIC is left out, all values come. NULL: all
 * variants but those for PoCL's CPUs, some 1,500. With visit NULL the text is only checked.
 * Errors   CLQ_ERROR_VALUE: a word of text is wrong, and the sentence says which. CLQ_ERROR_MEMORY. The
 *          value that visit returned.
 * Threads  any. */
CLQ_API clq_status clq_export_variants(const char *text, clq_export_visit visit, void *user);

#ifdef __cplusplus
}
#endif
#endif

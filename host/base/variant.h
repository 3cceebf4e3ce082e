/* A variant: one kernel of one file with its plugs. The text is the dispatch, the key of the program cache
 * and, mapped to an identifier, the kernel's name: "quantize.cl SRC=f16 DST=i8 MODE=multiply". */
#ifndef CLQ_BASE_VARIANT_H
#define CLQ_BASE_VARIANT_H

#include "base/text.h"

#include <clquant/status.h>

/* More than twice the longest. */
#define CLQ__VARIANT_BYTES 240

struct clq__variant {
    char data[CLQ__VARIANT_BYTES];
    size_t length;
};

/* file is a kernel file of cl/, such as "quantize.cl". */
void clq__variant_begin(struct clq__variant *variant, const char *file);
void clq__variant_define(struct clq__variant *variant, const char *name, const char *value);
/* Adds what is already written. */
void clq__variant_add(struct clq__variant *variant, const char *part, size_t length);

/* Reads a user's text: the file's name and then words in any order, blanks and tabs between. The list is that of
 * cl/variants.txt, in whose order the variant is; what the text leaves out is device_plugs', " NAME=value NAME=value".
 * CLQ_ERROR_VALUE says which word is not one of the list, or missing. Nothing else reaches a compiler's options.
 * (variant_read.c) */
clq_status clq__variant_read(struct clq__variant *variant, const char *list, const char *device_plugs,
                             const char *text);

/* For tables in memory: eight bytes at a time, since every call needs it. */
uint64_t clq__variant_hash(const struct clq__variant *variant);

/* The file's name, the -D options and the kernel's name, each into its own text. */
void clq__variant_file(const struct clq__variant *variant, struct clq__text *out);
void clq__variant_options(const struct clq__variant *variant, struct clq__text *out);
void clq__variant_kernel(const struct clq__variant *variant, struct clq__text *out);

#endif

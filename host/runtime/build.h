/* SPDX-License-Identifier: Apache-2.0 */
/* From a variant to a built cl_program: of a binary that was added, out of the cache, or from source. */
#ifndef CLQ_RUNTIME_BUILD_H
#define CLQ_RUNTIME_BUILD_H

#include "base/variant.h"
#include "runtime/context.h"
#include "runtime/export.h"

struct clq__build {
    cl_program program;
    char kernel[CLQ__EXPORTED_BYTES]; /* the kernel's name in it */
    char *key;                        /* of the binary cache, malloc'ed; NULL where there is none */
    bool from_cache;                  /* or of a binary that was added: it needs not be kept again */
};

/* use_cache false leaves an entry alone that was tried and is of no use; the new binary takes its place. */
clq_status clq__build(clq_context *context, const struct clq__variant *variant, bool use_cache,
                      struct clq__build *build);

/* Puts the program's binary where the context keeps them. A failure is only logged. */
void clq__build_keep(clq_context *context, cl_program program, const char *key);

#endif

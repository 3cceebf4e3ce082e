/* SPDX-License-Identifier: Apache-2.0 */
/* The place of a tensor's bytes, who may use them, and whether two tensors share some. */
#ifndef CLQ_RUNTIME_MEMORY_H
#define CLQ_RUNTIME_MEMORY_H

#include "base/view.h"

#include <clquant/context.h>

/* A buffer, or the part of its parent that a sub-buffer is. */
struct clq__memory {
    cl_mem buffer, root;
    size_t origin_bytes, size_bytes;
};
clq_status clq__memory_of(const char *name, cl_mem buffer, struct clq__memory *memory);

/* Refuses a buffer smaller than the view's byte_offset and extent ask. */
clq_status clq__memory_check(const struct clq__view *view, const struct clq__memory *memory);

/* Refuses a buffer of another cl_context, which some drivers take and spoil, and one that was created, or
 * whose parent was, with one of the flags that are forbidden. */
clq_status clq__memory_check_use(const char *name, cl_mem buffer, cl_context context, cl_mem_flags forbidden);

/* Everything about the tensors of a call: each buffer present, of the context, large enough and made for what
 * kernels do with it: write the outputs, which are the first, and read all others. The outputs are apart from
 * all others; but where `in_place` is given, the first two views may share bytes, and it says whether they
 * do. That test is conservative: two tensors in one buffer must have disjoint byte ranges. Views without a
 * tensor, and empty ones, are left out. */
clq_status clq__memory_check_all(const clq_context *context, const struct clq__view *const *views,
                                 int outputs, int count, bool *in_place);

/* The same of buffers that kernels both read and write, which are the first. Behind them stand the tensors
 * that they must be apart from, which were checked before. */
clq_status clq__memory_check_sides(const clq_context *context, const struct clq__view *const *views,
                                   int sides, int count);

#endif

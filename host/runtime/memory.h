/* Where the bytes of a tensor really are, and whether two tensors share some. */
#ifndef CLQ_RUNTIME_MEMORY_H
#define CLQ_RUNTIME_MEMORY_H

#include "base/view.h"

#include <clquant/context.h>

/* A buffer, or the part of its parent that a sub-buffer is. */
struct clq__memory {
    cl_mem root;
    size_t origin_bytes, size_bytes;
};
clq_status clq__memory_of(const char *name, cl_mem buffer, struct clq__memory *memory);

/* Refuses a buffer smaller than the view's byte_offset and extent ask. */
clq_status clq__memory_check(const struct clq__view *view, const struct clq__memory *memory);

/* Everything about the buffers of a call: each present and large enough, and the outputs, which are the first,
 * apart from all others. The test is conservative: two tensors in one buffer must have disjoint byte ranges.
 * Views without a tensor, and empty ones, are left out. */
clq_status clq__memory_check_all(const struct clq__view *const *views, int outputs, int count);

#endif

/* The pages that a buffer stands on, where that is the host's memory. */
#ifndef CLQ_RUNTIME_PAGES_H
#define CLQ_RUNTIME_PAGES_H

#include "runtime/context.h"

/* Asks the system for large pages for a new buffer whose bytes nobody has written yet. A wish: what fails leaves the
 * buffer as it is, and no sentence. */
void clq__pages_enlarge(const clq_context *context, cl_mem buffer, size_t size_bytes);

#endif

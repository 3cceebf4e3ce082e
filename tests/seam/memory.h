/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers of a launch that runs on the host: every access is checked against their bounds, and a byte that
 * may be written once is written once. */
#ifndef CLQUANT_SEAM_MEMORY_H
#define CLQUANT_SEAM_MEMORY_H

#include "base/dtype.h"
#include "runtime/launch.h"
#include "tensors.h"

/* A launch while it runs. The first thing that is wrong is told, and nothing is read or written after it. */
struct run {
    const struct clq__launch *launch;
    char failure[256]; /* "" while all is well */
};

void run_fail(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline bool run_failed(const struct run *run)
{
    return run->failure[0] != '\0';
}

/* Nothing is written by this launch yet. No byte is touched for it, for a call may have many launches. */
void memory_begin(const struct clq__launch *launch);

/* Element number i of the launch's buffer number `buffer`, widened to float; 0 where that is outside.
 * Not of int4. */
float run_load(struct run *run, unsigned buffer, enum clq__type type, int64_t i);
/* An index, int64 where `wide`. */
int64_t run_load_index(struct run *run, unsigned buffer, bool wide, int64_t i);
/* The bytes of element i, of so many bytes, to be read; NULL where they are outside. */
const void *run_read(struct run *run, unsigned buffer, int64_t i, size_t bytes);
/* Writes them: no other work-item may do so in this launch. */
void run_write(struct run *run, unsigned buffer, int64_t i, size_t bytes, const void *from);
/* A word that many work-items change by atomic operations; NULL where it is outside. */
uint32_t *run_word(struct run *run, unsigned buffer, int64_t i);

#endif

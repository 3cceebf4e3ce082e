/* SPDX-License-Identifier: Apache-2.0 */
/* The bare OpenCL calls that what a call costs the host is measured beside,
 * and the gate behind which that is done. */
#ifndef CLQUANT_BENCH_BARE_H
#define CLQUANT_BENCH_BARE_H

#include "bench.h"

enum { BARE_BUFFERS = 8 };

/* All arguments of an operator's kernel, and its enqueue. */
struct bare {
    const char *name; /* of bench.cl */
    size_t args_bytes;
    cl_uint num_buffers;
    cl_mem buffers[BARE_BUFFERS]; /* NULL: the operator's kernel does not touch it */
    cl_kernel kernel;
};

/* As many buffers and bytes of arguments as the kernel of rows that find their scales has, or that of all
 * others; the buffers are still to be given. */
struct bare bare_of(bool dynamic);
/* Builds the kernel. A driver that refuses one with NULL is given another of its buffers. */
bool bare_begin(struct bench *bench, struct bare *bare);
void bare_end(struct bare *bare);
cl_int bare_enqueue(struct bench *bench, const struct bare *bare);

/* Everything that is enqueued from now on waits for the gate. */
bool gate_close(struct bench *bench, cl_event *gate);
/* Opens it, releases it, and waits for what was enqueued. */
bool gate_open(struct bench *bench, cl_event gate);

#endif

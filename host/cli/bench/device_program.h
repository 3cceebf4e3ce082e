/* SPDX-License-Identifier: Apache-2.0 */
/* The bench's own kernels, of bench.cl. */
#ifndef CLQUANT_BENCH_DEVICE_PROGRAM_H
#define CLQUANT_BENCH_DEVICE_PROGRAM_H

#include "bench.h"

/* One kernel of bench.cl, built for these numbers; the caller releases it. */
bool device_kernel(struct bench *bench, const char *name, size_t reads, size_t writes, size_t args_longs,
                   cl_kernel *kernel);

#endif

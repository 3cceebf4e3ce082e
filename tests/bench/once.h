/* SPDX-License-Identifier: Apache-2.0 */
/* One call of a row of the bench, whose bytes are looked at; the lab does so too. */
#ifndef CLQUANT_TEST_BENCH_ONCE_H
#define CLQUANT_TEST_BENCH_ONCE_H

#include "call.h"

/* Into a y that holds this byte everywhere; of rows that move within y, its second half is that of x. */
bool call_once(struct bench *bench, struct bench_call *call, unsigned char byte);

bool data_read(struct bench *bench, cl_mem buffer, size_t at, void *bytes, size_t size_bytes);

#endif

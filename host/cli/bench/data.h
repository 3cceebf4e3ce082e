/* SPDX-License-Identifier: Apache-2.0 */
/* The tensors' memory. It is the same for the operator and for what it is compared with: on a CPU the host's
 * loops work on the very bytes of the device's buffers, mapped, so that pages and caches are alike. */
#ifndef CLQUANT_BENCH_DATA_H
#define CLQUANT_BENCH_DATA_H

#include "bench.h"

enum { DATA_UNWRITTEN = 0xa5 }; /* each byte of y while it holds no result */

/* Two buffers as large as was asked for and the device allows, and scales. */
bool data_create(struct bench *bench);
void data_destroy(struct bench *bench);

/* Fills x with random finite values of the type, between 2^-6 and 8 in size, unless it holds such already;
 * and writes all of y, so that its pages are there. */
bool data_fill(struct bench *bench, enum reference_type src);

/* MOST_SCALES new scales between a half and three halves of around. */
bool data_fill_scales(struct bench *bench, float around);

/* Makes y hold no result. */
bool data_spoil(struct bench *bench);

/* x_host and y_host are valid between the two. */
bool data_begin_host(struct bench *bench);
bool data_end_host(struct bench *bench);

/* Where in x a piece of so many bytes begins, on a page, that comes after the last one that any contestant
 * took, in a ring: what one of them has just read is in the caches for nobody. */
size_t data_next_piece(struct bench *bench, size_t bytes);

bool data_read(struct bench *bench, cl_mem buffer, size_t at, void *bytes, size_t size_bytes);

#endif

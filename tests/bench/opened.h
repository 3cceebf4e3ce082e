/* SPDX-License-Identifier: Apache-2.0 */
/* The bench's device and data, opened once for a program that checks its checks. */
#ifndef CLQUANT_TEST_BENCH_OPENED_H
#define CLQUANT_TEST_BENCH_OPENED_H

#include "data.h"

/* Its caller draws a progress line and writes files; nothing here does. */
extern struct bench bench;

/* Set-up and tear-down of a group of tests. */
int opened_start(void **state);
int opened_stop(void **state);

/* Of the output, at that byte. */
void opened_flip_bit(size_t at);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The bench's device and data, opened once for a program of tests. */
#ifndef CLQUANT_TEST_BENCH_OPENED_H
#define CLQUANT_TEST_BENCH_OPENED_H

#include "once.h"

/* Its caller draws a progress line and writes files; nothing here does. */
extern struct bench bench;

/* Set-up and tear-down of a group of tests. */
int opened_start(void **state);
int opened_stop(void **state);

#endif

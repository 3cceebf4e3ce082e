/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files that compare results. */
#ifndef CLQUANT_BENCH_CHECK_H
#define CLQUANT_BENCH_CHECK_H

#include "call.h"

/* Says what is wrong of a row, and returns false. */
bool call_is_wrong(struct bench *bench, const struct call *call, int64_t row, const char *what);

/* Of blocks along two axes, dense. (check_squares.c) */
bool call_check_squares(struct bench *bench, const struct call *call);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Divisors for kernels, which multiply instead (struct clq_divisor). */
#ifndef CLQ_PLAN_SHARES_DIVISOR_H
#define CLQ_PLAN_SHARES_DIVISOR_H

#include "args/entries.h"

/* d is from 1 on. */
struct clq_divisor clq__divisor(int64_t d);

/* Sets the divisors by the sizes of so many dimensions: all but the outermost, which divides nothing. */
void clq__divide_dims(struct clq_dim *dim, uint32_t dims);
/* Sets the divisors of entries, once nothing of them changes any more. */
void clq__divide_entries(struct clq_entries *entries);

#endif

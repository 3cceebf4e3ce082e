/* SPDX-License-Identifier: Apache-2.0 */
/* Division that rounds up: how many pieces of b hold a. */
#ifndef CLQ_BASE_CEIL_DIV_H
#define CLQ_BASE_CEIL_DIV_H

#include <stdint.h>

/* For a of at least 0 and b of at least 1. Small calls ask for one piece, and would feel the divisions. */
static inline int64_t clq__ceil_div(int64_t a, int64_t b)
{
    return a <= b ? a > 0 : a / b + (a % b != 0);
}

#endif

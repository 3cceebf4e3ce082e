/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic quantization where what shares a scale is no part of a row: by another axis, or all of x. The
 * scales are found as clq_find_scales finds them, but for the formula, and x is then quantized with them as
 * clq_quantize does. Thus too where x is divided by its scale, also of a row. */
#ifndef CLQ_PLAN_DYNAMIC_SCALES_FIRST_H
#define CLQ_PLAN_DYNAMIC_SCALES_FIRST_H

#include "plan/find/find_scales.h"
#include "plan/static/static.h"

struct clq__scales_first {
    struct clq__scales scales;
    struct clq__checked_call checked; /* as static quantization sees it */
    struct clq__static quantized;
};

void clq__scales_first_describe(struct clq__scales_first *call, const struct clq__checked_call *checked);
/* Fills both lists. Returns the rounds of a work-item. */
int64_t clq__scales_first_cut(struct clq__scales_first *call, const struct clq__checked_call *checked,
                              struct clq__launches *finds, struct clq__launches *quantizes,
                              const struct clq__traits *traits);

#endif

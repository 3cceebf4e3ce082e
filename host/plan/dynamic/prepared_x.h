/* SPDX-License-Identifier: Apache-2.0 */
/* Values that are made ready first (cl/dynamic/values.cl): x times smooth scales, turned. Dynamic
 * quantization does this on its way, but where what shares a scale is no part of a row, or only a part of
 * what is turned. */
#ifndef CLQ_PLAN_DYNAMIC_PREPARED_X_H
#define CLQ_PLAN_DYNAMIC_PREPARED_X_H

#include "args/values.h"
#include "plan/belongs/checked_call.h"
#include "plan/launches.h"

struct clq__values {
    struct values_args args;
    struct clq__checked_call checked; /* the same with x for the values, and nothing to be done of them */
    DLTensor tensor;                  /* the values: dense float32, of no buffer so far */
    int64_t shape[CLQ__MAX_RANK];
    struct clq__temporary *written; /* where they are */
};

bool clq__values_needed(const struct clq__checked_call *checked);
void clq__values_describe(struct clq__values *values, const struct clq__checked_call *checked);
/* Fills the launches. Returns the rounds of a work-item. */
int64_t clq__values_cut(struct clq__values *values, const struct clq__checked_call *checked,
                        struct clq__launches *launches, const struct clq__traits *traits);
/* Every launch of a list that reads the values. */
void clq__values_read(const struct clq__values *values, struct clq__launches *launches);

#endif

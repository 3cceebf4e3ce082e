/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic quantization, and the way back of rows that are turned, from their tensors to what is launched. */
#ifndef CLQ_PLAN_DYNAMIC_DYNAMIC_H
#define CLQ_PLAN_DYNAMIC_DYNAMIC_H

#include "args/dynamic_quantize.h"
#include "plan/belongs/checked_call.h"
#include "plan/belongs/parameter.h"
#include "plan/dynamic/prepared_x.h"
#include "plan/dynamic/scales_first.h"
#include "plan/launches.h"
#include "runtime/launch.h"

struct clq__plan;

struct clq__dynamic_tensors {
    const DLTensor *x, *y, *scale, *offset, *smooth, *group_index;
    uint32_t symmetric;
    struct clq__scale_rule rule;
    const DLTensor *global_scale;
    float top;
    struct clq__blocks blocks;
    uint32_t rotate;                            /* neighbours of a row that are turned, 0: none */
    const struct clq__placement_rules *entries; /* of a cache; NULL: none */
};

/* Every rule of the tensors alone and of x, y, scale and offset as rows; those between x and y are the
 * operator's. */
clq_status clq__dynamic_check(struct clq__checked_call *checked, const struct clq__dynamic_tensors *tensors);

/* Rows, or blocks of them, that find their scales on the way. The rest of a dimension behind whole blocks is
 * a kernel of its own. */
struct clq__rows {
    struct dynamic_quantize_args parts[CLQ__MOST_RANGES];
    int num_parts;
};

/* Folds the layout of x and y that have elements, and fills the arguments but for
 * what depends on the device. */
void clq__rows_describe(struct clq__rows *call, const struct clq__checked_call *checked);

/* Cuts the call into work-items, and fills its launches. Returns the rounds of a work-item. */
int64_t clq__rows_cut(struct clq__rows *call, const struct clq__checked_call *checked,
                      struct clq__launches *launches, const struct clq__traits *traits);

/* A call: its values first where they must be ready, and then rows, or scales and then what they quantize. */
struct clq__dynamic {
    struct clq__values values;
    const struct clq__checked_call *checked; /* the call's, or that of its values */
    union {
        struct clq__rows rows;
        struct clq__scales_first scales_first;
    };
};

bool clq__dynamic_describe(struct clq__plan *plan);
void clq__dynamic_cut(struct clq__plan *plan, const struct clq__traits *traits);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* clq_find_scales from what was checked to what is launched: find reduces x to ranges, and finish the ranges
 * to scales. Either may have nothing to do, and has no groups then. */
#ifndef CLQ_PLAN_FIND_FIND_SCALES_H
#define CLQ_PLAN_FIND_FIND_SCALES_H

#include "args/find_scales.h"
#include "args/finish_scales.h"
#include "plan/belongs/checked_call.h"
#include "plan/launches.h"
#include "runtime/launch.h"

#include <clquant/find_scales.h>

struct clq__scales {
    /* The rest of a dimension behind whole blocks has kernels of its own. */
    struct clq__scales_part {
        struct find_scales_args find_args;
        struct finish_scales_args finish_args;
        bool columns;                    /* else runs: what find's work-items take */
        int64_t rows;                    /* of one unit, as they were laid together */
        int64_t together;                /* rows that became one */
        struct clq__launch find, finish; /* the kernels */
        int64_t ranges;                  /* how many find writes */
        bool finish_group;               /* finish takes the group form */
        bool own;                        /* find is the CPU's own kernel */
    } parts[CLQ__MOST_RANGES];
    int num_parts;
};

/* Folds the layout, and fills the arguments but for what depends on the device. */
bool clq__scales_describe(struct clq__scales *call, const struct clq__checked_call *checked);

/* Cuts both kernels into work-items, and fills the launches. Returns the rounds of a work-item. */
int64_t clq__scales_cut(struct clq__scales *call, const struct clq__checked_call *checked,
                        struct clq__launches *launches, const struct clq__traits *traits);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Static quantization, and the way back, from what was checked to what is launched. */
#ifndef CLQ_PLAN_STATIC_H
#define CLQ_PLAN_STATIC_H

#include "args/quantize.h"
#include "base/fold.h"
#include "plan/work.h"
#include "runtime/launch.h"

struct clq__plan;

/* Where one of scales and zero points is read from. */
struct clq__source {
    const struct clq__parameter *parameter;
    bool per_element; /* differs along a row: the kernel wants dense float32 then */
    bool widen;       /* and gets it from cl/widen.cl */
};

struct clq__static {
    const struct clq__work *work;
    struct clq__fold fold;
    struct clq__source scale, zero_point;
    int64_t repeats; /* of those that are widened, one after the other */
    struct quantize_args args;
};

/* Folds the layout, and fills the arguments but for what depends on the device. */
bool clq__static_describe(struct clq__plan *plan);

/* Cuts the call into work-items, and fills its launches. */
void clq__static_cut(struct clq__plan *plan, const struct clq__traits *traits);

/* How many rows became one, 1 where none did, and how often their scales must stand one after the other then. */
struct clq__joined {
    int64_t rows, repeats;
};

/* Rows that lie one behind the other in x and y and share their scales become one row, whose scales begin again
 * after each, or where these `may_repeat` after as many as are whole steps; the dimensions that entries place stay. */
struct clq__joined clq__static_join(struct quantize_args *args, bool may_repeat);

#endif

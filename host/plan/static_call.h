/* SPDX-License-Identifier: Apache-2.0 */
/* A call of static quantization between its steps: from what was checked to what is launched. */
#ifndef CLQ_PLAN_STATIC_CALL_H
#define CLQ_PLAN_STATIC_CALL_H

#include "base/fold.h"
#include "plan/launches.h"
#include "plan/static_quantize.h"

/* Where one of scales and zero points is read from. */
struct clq__static_source {
    const struct clq__static_parameter *parameter;
    bool per_element; /* differs along a row: the kernel wants dense float32 then */
    bool widen;       /* and gets it from cl/widen.cl */
};

struct clq__static_call {
    const struct clq__static_work *work;
    struct clq__fold fold;
    struct clq__static_source scale, zero_point;
    int64_t repeats; /* of those that are widened, one after the other */
    struct quantize_args args;
    struct clq__launches launches;
};

/* Folds the layout, and fills the arguments and the kernel's variant, but for what depends on the device. */
void clq__static_describe(struct clq__static_call *call, const struct clq__static_work *work);

/* All that is enqueued, on a device of these traits: describes the call, cuts it into work-items and fills its launches.
 * x must have elements. The buffers in them are what the tensors' data says. */
void clq__static_launches(struct clq__static_call *call, const struct clq__static_work *work,
                          const struct clq__traits *traits);

/* How many rows became one, 1 where none did, and how often their scales must stand one after the other then. */
struct clq__joined {
    int64_t rows, repeats;
};

/* Rows that lie one behind the other in x and y and share their scales become one row, whose scales begin again
 * after each, or where these `may_repeat` after as many as are whole steps; the dimensions that entries place stay. */
struct clq__joined clq__static_join(struct quantize_args *args, bool may_repeat);

/* The words of the table of last entries that the call needs; 0 where it needs none. */
int64_t clq__static_owner_words(const struct clq__static_call *call);

#endif

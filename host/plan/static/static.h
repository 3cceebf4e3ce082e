/* SPDX-License-Identifier: Apache-2.0 */
/* Static quantization, and the way back, from what was checked to what is launched. */
#ifndef CLQ_PLAN_STATIC_STATIC_H
#define CLQ_PLAN_STATIC_STATIC_H

#include "args/quantize.h"
#include "base/fold.h"
#include "plan/belongs/checked_call.h"
#include "plan/launches.h"
#include "runtime/launch.h"

struct clq__plan;

/* The source of scales or zero points: as they are, or from what cl/added/widen.cl makes of them. */
struct clq__source {
    const struct clq__parameter *parameter;
    bool per_element;              /* differs along a row: the kernel wants dense float32 then */
    int64_t stride[CLQ__MAX_RANK]; /* as the parameter's, of what is read */
    int64_t block[CLQ__MAX_RANK];  /* likewise */
    int64_t row_stride;            /* likewise */
    bool widen, negate;            /* the kernel adds what is to be subtracted, or else */
    /* Widened, or per element: the parameter's elements in the order in which they are written. */
    struct clq__fold from;
};

/* Dimensions of x, innermost first, as they are walked: all but those that entries place. */
struct clq__order {
    int dims;
    int dim[CLQ__MAX_RANK];
    bool keep; /* the innermost one, even of one element */
};

struct clq__static {
    const struct clq__checked_call *checked;
    struct clq__order order;
    struct clq__source scale, zero_point;
    int64_t repeats; /* of those that are widened, one after the other */
    /* The rest of a dimension behind whole blocks is a kernel of its own. */
    struct clq__part {
        struct quantize_args args;
        int64_t rows;
    } parts[CLQ__MOST_RANGES];
    int num_parts;
};

/* Folds the layout of x and y that have elements, and fills the arguments but for
 * what depends on the device. */
void clq__static_describe_checked(struct clq__static *call, const struct clq__checked_call *checked);
/* For a whole call; false where there is nothing to do. */
bool clq__static_describe(struct clq__plan *plan);

/* The source of scales and zero points, for the order of the walk. (static/sources.c) */
void clq__static_place(struct clq__static *call);

/* Cuts the call into work-items, and fills its launches. */
void clq__static_cut_launches(struct clq__static *call, struct clq__launches *launches,
                              const struct clq__traits *traits);
void clq__static_cut(struct clq__plan *plan, const struct clq__traits *traits);

/* How many rows became one, 1 where none did, and how often their scales must stand
 * one after the other then. */
struct clq__joined {
    int64_t rows, repeats;
};

/* Merges contiguous rows into one long row. Its scales repeat with the old row's length; with may_repeat,
 * with a multiple of it that fills whole steps. Dimensions that entries place stay. */
struct clq__joined clq__static_join(struct quantize_args *args, bool may_repeat);

#endif

/* One call of static quantization, checked: what the host's steps hand to one another. */
#ifndef CLQ_OPS_STATIC_QUANTIZE_WORK_H
#define CLQ_OPS_STATIC_QUANTIZE_WORK_H

#include "args/quantize.h"
#include "base/fold.h"
#include "base/view.h"
#include "ops/static_quantize.h"
#include "runtime/launch.h"
#include "runtime/memory.h"

struct clq__static_work {
    struct clq__view x, scales, zero_points, y; /* zero_points.tensor is NULL where there are none */
    uint32_t mode;
    bool per_axis; /* scales or zero_points differ along axis, an index of x's dimensions */
    int axis;
    int64_t scale_stride, zero_point_stride; /* in memory, along the axis; 0 for one element */
};

/* Every rule, once. */
clq_status clq__static_quantize_check(const struct clq__static_quantize *call, struct clq__static_work *work);

/* Tiles and work-groups, from the layout in args. */
void clq__static_quantize_size(struct quantize_args *args, struct clq__launch *launch,
                               struct clq__traits traits);

#endif

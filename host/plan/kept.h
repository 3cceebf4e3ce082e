/* SPDX-License-Identifier: Apache-2.0 */
/* A plan that its caller keeps: the call's own copy of a descriptor, its steps,
 * and kernels whose arguments stay set. */
#ifndef CLQ_PLAN_KEPT_H
#define CLQ_PLAN_KEPT_H

#include "plan/plan.h"
#include "plan/record.h"

#include <clquant/plan.h>

enum { CLQ__MOST_DESC_BYTES = 192, CLQ__MOST_BINDINGS = 10 };

struct clq_plan {
    clq_context *context;
    const struct clq__operator *op;
    const struct clq__names *names;
    _Alignas(max_align_t) unsigned char desc[CLQ__MOST_DESC_BYTES];
    struct clq__kept_tensor {
        DLTensor dl;
        int64_t shape[CLQ__MAX_RANK], strides[CLQ__MAX_RANK];
    } tensors[CLQ__MOST_BINDINGS]; /* where the descriptor has one, in the order of its fields */
    struct clq__plan call;
    struct clq__launch *launches[CLQ__MOST_KEPT]; /* of the call, all that have kernels */
    struct clq__kept kept[CLQ__MOST_KEPT];        /* theirs */
    unsigned num_kept;
    struct clq_binding before[CLQ__MOST_BINDINGS]; /* what the last bindings exchanged */
    size_t num_before;
    struct clq__record *records;
    bool is_made;  /* the call is that of what is bound */
    bool is_set;   /* and so are the kernels' arguments */
    bool scratch;  /* it has a buffer for each time that it is enqueued */
    bool is_taken; /* it is about to be enqueued */
};

/* For an operator's descriptor. */
clq_status clq__plan_keep(clq_context *context, const struct clq__operator *op,
                          const struct clq__names *names, const void *desc, clq_plan **out);

/* Puts the bindings in the place of what is bound. If that fails the plan is as it was before, and so it
 * is once more by clq__plan_unbind. */
clq_status clq__plan_bind(clq_plan *plan, size_t num, const struct clq_binding *bindings);
void clq__plan_unbind(clq_plan *plan);

/* Makes the buffers and sets the arguments of the next enqueue, which is left to do no more than that; then
 * it is to be given. If that fails, nothing is left. */
clq_status clq__plan_take(clq_plan *plan);
void clq__plan_give(clq_plan *plan);

#endif

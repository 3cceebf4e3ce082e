/* SPDX-License-Identifier: Apache-2.0 */
/* A call on its road, step by step: checked, described, cut, and then enqueued or built. All that it enqueues
 * is known before its first command, and but for the check of its memory without a device.
 *
 * It points into itself: it may not move once it is described. Not zeroed: clearing all
 * of it costs a measurable share of a small call. Each step sets the members it owns. */
#ifndef CLQ_PLAN_PLAN_H
#define CLQ_PLAN_PLAN_H

#include "base/error.h"
#include "plan/added/copy.h"
#include "plan/belongs/checked_call.h"
#include "plan/dynamic/dynamic.h"
#include "plan/find/find_scales.h"
#include "plan/launches.h"
#include "plan/moves/moves.h"
#include "plan/options.h"
#include "plan/static/static.h"

#include <stddef.h>

#define CLQ__MOST_TENSORS 7
#define CLQ__MOST_AHEAD   2

/* The differences from operator to operator. */
struct clq__operator {
    size_t desc_bytes; /* of its descriptor, whose fields are these (CLQ__DESCRIPTOR) */
    const struct clq_option *options;
    size_t num_options;

    /* Every rule but those of buffers and of one field alone, once. */
    clq_status (*check)(struct clq__checked_call *checked, const void *desc);
    /* Views in struct clq__checked_call, in the order in which their buffers are looked at (CLQ__TENSOR): the
     * outputs, which share no byte with any other, and then inputs. 0 ends them, for no view is there. */
    size_t tensors[CLQ__MOST_TENSORS];
    int outputs;
    bool may_be_in_place; /* the first output may share bytes with the first input: work.in_place says so */
    /* The kernels' arguments; false where there is nothing to do. */
    bool (*describe)(struct clq__plan *plan);
    /* Work-items and launches, on a device of these traits, of a call that has something to do. */
    void (*cut)(struct clq__plan *plan, const struct clq__traits *traits);
};
#define CLQ__DESCRIPTOR(rows)                                                                                \
    .desc_bytes = sizeof(struct CLQ__DESC), .options = (rows), .num_options = CLQ_COUNT(rows)
#define CLQ__TENSOR(view) offsetof(struct clq__checked_call, view)

struct clq__plan {
    const struct clq__operator *op;
    struct clq__checked_call checked;
    bool idle;              /* nothing is to be done but the copy */
    size_t workspace_bytes; /* of its temporaries */
    int64_t rounds; /* of the longest loops of a work-item, where they may be more than a device does */
    union {         /* what the operator describes */
        struct clq__static of_static;
        struct clq__dynamic of_dynamic;
        struct clq__scales of_scales;
        struct clq__moves of_moves;
    };
    struct clq__launches launches;               /* of a plan that is not idle */
    struct clq__launches ahead[CLQ__MOST_AHEAD]; /* and what is done ahead of them, one after the other */
    unsigned num_ahead;
    struct clq__temporaries temporaries; /* of all these */
    cl_mem made; /* where they are, of an enqueue that goes on; NULL: in the workspace, or there are none */
    bool copies; /* the input, into y, before all else */
    struct clq__copy copy;
};

/* The steps, in order. There is a descriptor. */
clq_status clq__plan_check(struct clq__plan *plan, const struct clq__operator *op,
                           const struct clq__names *names, const void *desc);
void clq__plan_describe(struct clq__plan *plan);
/* It knows then how much of a workspace is needed. */
clq_status clq__plan_cut(struct clq__plan *plan, const struct clq__traits *traits);
/* Both, with the buffers looked at on the way: tensors before the cut, report and workspace behind it. */
clq_status clq__plan_fit(struct clq__plan *plan, const clq_context *context);
/* Puts the temporaries into the workspace, or where they are in a buffer for the call. */
void clq__plan_place(struct clq__plan *plan);

/* All of them, for the context's device. */
clq_status clq__plan_make(struct clq__plan *plan, const clq_context *context, const struct clq__operator *op,
                          const struct clq__names *names, const void *desc);

/* Makes the buffer for the call, before the first command: where that fails, nothing was enqueued. It is left
 * to the driver by clq__plan_release, also where this fails, which keeps it until the commands are done. */
clq_status clq__plan_prepare(struct clq__plan *plan, clq_context *context);
void clq__plan_release(struct clq__plan *plan);
/* The buffer alone; *made stays as it is where none is needed. */
clq_status clq__plan_make_temporaries(const struct clq__plan *plan, clq_context *context, cl_mem *made);
/* Enqueues what was prepared. */
clq_status clq__plan_enqueue(struct clq__plan *plan, clq_context *context, cl_command_queue queue,
                             cl_uint num_wait, const cl_event *wait, cl_event *done);
/* Builds every kernel. */
clq_status clq__plan_build(const struct clq__plan *plan, clq_context *context);

#endif

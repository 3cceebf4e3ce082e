/* SPDX-License-Identifier: Apache-2.0 */
/* What a call enqueues, as data. It is described without a device, from what was checked and the device's traits, and
 * then enqueued or built. It points into itself and to the kernel's arguments, which its owner holds beside it: neither
 * may move between the two steps. */
#ifndef CLQ_PLAN_LAUNCHES_H
#define CLQ_PLAN_LAUNCHES_H

#include "args/claim.h"
#include "args/widen.h"
#include "plan/placement.h"
#include "runtime/launch.h"

#define CLQ__MOST_BEFORE 3

/* A buffer for the call, which one command writes and the kernel reads: as these arguments of theirs. */
struct clq__scratch {
    int64_t elements;
    size_t element_bytes;
    cl_mem *written, *read;
};

struct clq__launches {
    struct clq__launch before[CLQ__MOST_BEFORE]; /* each starts on the caller's wait list */
    unsigned num_before;
    struct clq__launch
        kernel; /* follows on the events of all of them, so that a queue out of order is right too */
    struct clq__scratch scratch[CLQ__MOST_BEFORE];
    unsigned num_scratch;
    bool claims; /* the last one before the kernel is claim.cl's, whose table is cleared ahead of it */
    struct widen_args widen[2];
    struct claim_args claim;
};

/* No command before the kernel, of which nothing is set. */
void clq__launches_init(struct clq__launches *launches);

/* A command before the kernel, which writes a buffer for the call, its argument number `written`. The kernel reads it as
 * its argument number `read`. */
struct clq__launch *clq__launches_add(struct clq__launches *launches);
void clq__launches_scratch(struct clq__launches *launches, int64_t elements, size_t element_bytes,
                           unsigned written, unsigned read);

/* The elements of scales or zero points in order, as dense float32, as often one after the other as `repeats` says; one
 * element stands for all. (widen.c) */
void clq__launches_widen(struct clq__launches *launches, const struct clq__view *view, int64_t elements,
                         int64_t repeats, const struct clq__traits *traits, unsigned read);

/* The table of last entries that entries->owner_words asks for, in the workspace or in a buffer for the call; sets
 * entries->owner_offset. The last command that is added. (claim.c) */
void clq__launches_claim(struct clq__launches *launches, const struct clq__placement *placement,
                         struct clq_entries *entries, const struct clq__traits *traits, unsigned read);

/* Makes the buffers for the call, which are the driver's to keep until its commands are done, and enqueues it. */
clq_status clq__launches_enqueue(struct clq__launches *launches, clq_context *context, cl_command_queue queue,
                                 cl_uint num_wait, const cl_event *wait, cl_event *done);
/* Builds every kernel. */
clq_status clq__launches_build(const struct clq__launches *launches, clq_context *context);

#endif

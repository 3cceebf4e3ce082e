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

#include <assert.h>

#define CLQ__MOST_BEFORE  3
#define CLQ__MOST_KERNELS 2

#define CLQ__MOST_PLACES 5

/* A buffer for the call, which one command writes and others read: as these arguments of theirs. */
struct clq__scratch {
    int64_t elements;
    size_t element_bytes;
    cl_mem *places[CLQ__MOST_PLACES];
    unsigned num_places;
};
static inline void clq__scratch_use(struct clq__scratch *scratch, cl_mem *place)
{
    assert(scratch->num_places < CLQ__MOST_PLACES);
    scratch->places[scratch->num_places++] = place;
}
/* Makes the buffer, to be released by clq__scratch_release, and puts it where it is used. */
clq_status clq__scratch_make(clq_context *context, const struct clq__scratch *scratch, cl_mem *buffer);

struct clq__launches {
    struct clq__launch before[CLQ__MOST_BEFORE]; /* each starts on the caller's wait list */
    unsigned num_before;
    /* The first follows on the events of all of them, and each on the one before it, so that a queue out of order is right
     * too. */
    struct clq__launch kernels[CLQ__MOST_KERNELS];
    unsigned num_kernels;
    struct clq__scratch scratch[CLQ__MOST_BEFORE];
    unsigned num_scratch;
    cl_mem made[CLQ__MOST_BEFORE]; /* the buffers of an enqueue that goes on */
    unsigned num_made;
    bool claims; /* the last one before the kernel is claim.cl's, whose table is cleared ahead of it */
    struct widen_args widen[2];
    struct claim_args claim;
};

/* No command before the kernel, and one kernel, of which nothing is set. */
void clq__launches_init(struct clq__launches *launches);

/* A command before the kernels, which writes a buffer for the call, its argument number `written`. `read` is the argument
 * of a kernel that reads it. */
struct clq__launch *clq__launches_add(struct clq__launches *launches);
void clq__launches_scratch(struct clq__launches *launches, int64_t elements, size_t element_bytes,
                           unsigned written, cl_mem *read);

/* One kernel more, with all buffers of the first one. */
struct clq__launch *clq__launches_repeat(struct clq__launches *launches);

/* Elements of the view as dense float32, in the order of `from` (the strides are those of its first tensor), as often one
 * after the other as `repeats` says. The arguments are returned for what is rarely set. (widen.c) */
struct widen_args *clq__launches_widen(struct clq__launches *launches, const struct clq__view *view,
                                       const struct clq__fold *from, int64_t repeats,
                                       const struct clq__traits *traits, unsigned read);

/* All of the view's elements, in row-major order. (widen.c) */
void clq__launches_widen_flat(struct clq__launches *launches, const struct clq__view *view,
                              const struct clq__traits *traits, unsigned read);

/* The table of last entries that entries->owner_words asks for, in the workspace or in a buffer for the call; sets
 * entries->owner_offset. The last command that is added. (claim.c) */
void clq__launches_claim(struct clq__launches *launches, const struct clq__placement *placement,
                         struct clq_entries *entries, const struct clq__traits *traits, unsigned read);

/* Makes the buffers for the call, before the first command: where one fails, nothing was enqueued. So are the kernels built of
 * a call that writes outputs with `several`, for the first one would write before the last one is built. */
clq_status clq__launches_prepare(struct clq__launches *launches, clq_context *context, bool several);
/* Enqueues what was prepared. */
clq_status clq__launches_enqueue(struct clq__launches *launches, clq_context *context, cl_command_queue queue,
                                 cl_uint num_wait, const cl_event *wait, cl_event *done);
/* Leaves the buffers to the driver, which keeps them until its commands are done. */
void clq__launches_release(struct clq__launches *launches);
/* Builds every kernel. */
clq_status clq__launches_build(const struct clq__launches *launches, clq_context *context);

#endif

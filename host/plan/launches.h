/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of a call, as data. They are described without a device, from the checked descriptor and the
 * device's traits, and then enqueued or built. The struct points into itself and to the kernel's
 * arguments, which its owner holds beside it: neither may move between the two steps. */
#ifndef CLQ_PLAN_LAUNCHES_H
#define CLQ_PLAN_LAUNCHES_H

#include "args/claim.h"
#include "args/widen.h"
#include "plan/added/temporary.h"
#include "plan/belongs/checked_call.h"
#include "plan/belongs/placement.h"
#include "runtime/launch.h"

#include <assert.h>

#define CLQ__MOST_BEFORE  CLQ__MOST_RANGES
#define CLQ__MOST_KERNELS CLQ__MOST_RANGES

struct clq__launches {
    struct clq__launch before[CLQ__MOST_BEFORE]; /* each starts on the caller's wait list */
    unsigned num_before;
    /* The first follows on the events of all of them, and each on the one before it, so that a queue out of
     * order is right too. */
    struct clq__launch kernels[CLQ__MOST_KERNELS];
    unsigned num_kernels;
    struct clq__temporaries *temporaries; /* of the call */
    bool claims; /* the last one before the kernel is claim.cl's, whose table is cleared ahead of it */
    struct widen_args widen[2];
    struct claim_args claim;
};

/* No command before the kernel, and one kernel, of which nothing is set. */
void clq__launches_init(struct clq__launches *launches, struct clq__temporaries *temporaries);

/* A command before the kernels. */
struct clq__launch *clq__launches_add(struct clq__launches *launches);
/* A temporary that the last of them writes, as its argument number `written`, and a kernel reads, as this
 * argument; each has the offset in its struct. */
struct clq__temporary *clq__launches_temporary(struct clq__launches *launches, int64_t elements,
                                               size_t element_bytes, unsigned written,
                                               int64_t *written_offset, cl_mem *read, int64_t *read_offset);

/* One kernel more, with all buffers of the first one, and a struct of the same type. */
struct clq__launch *clq__launches_repeat(struct clq__launches *launches, void *args);

/* Elements of the view as dense float32, in the order of `from` (the strides are those of its first tensor),
 * as often one after the other as `repeats` says, for the first kernel's argument `read`. The arguments are
 * returned for what is rarely set. (widen.c) */
struct widen_args *clq__launches_widen(struct clq__launches *launches, const struct clq__view *view,
                                       const struct clq__fold *from, int64_t repeats,
                                       const struct clq__traits *traits, unsigned read, int64_t *read_offset);

/* All of the view's elements, in row-major order. (widen.c) */
void clq__launches_widen_flat(struct clq__launches *launches, const struct clq__view *view,
                              const struct clq__traits *traits, unsigned read, int64_t *read_offset);

/* The table of last entries that entries->owner_words asks for. The last command that is added. (claim.c) */
void clq__launches_claim(struct clq__launches *launches, const struct clq__placement *placement,
                         struct clq_entries *entries, const struct clq__traits *traits, unsigned read);

/* Builds the kernels of a call that writes outputs with several of them, for the first one would write before
 * the last one is built. */
clq_status clq__launches_prepare(const struct clq__launches *launches, clq_context *context);
clq_status clq__launches_enqueue(const struct clq__launches *launches, clq_context *context,
                                 cl_command_queue queue, cl_uint num_wait, const cl_event *wait,
                                 cl_event *done);
/* Builds every kernel. */
clq_status clq__launches_build(const struct clq__launches *launches, clq_context *context);

#endif

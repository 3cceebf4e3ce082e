/* SPDX-License-Identifier: Apache-2.0 */
/* The commands before an operator's kernel. Each starts on the caller's wait list or on another one's event,
 * and the kernel follows on the events of all, so that an out-of-order queue is right too. */
#ifndef CLQ_OPS_CHAIN_H
#define CLQ_OPS_CHAIN_H

#include "ops/placement.h"
#include "runtime/launch.h"

struct clq__chain {
    clq_context *context;
    cl_command_queue queue;
    cl_uint num_wait; /* the caller's */
    const cl_event *wait;
    cl_mem scratch[3];
    cl_event events[4];
    cl_uint num_scratch, num_events;
};

/* Buffers and events are the driver's to keep until the commands are done. */
void clq__chain_release(struct clq__chain *chain);

/* A buffer for the call. */
clq_status clq__chain_scratch(struct clq__chain *chain, int64_t elements, size_t element_bytes,
                              cl_mem *buffer);

/* A command on the caller's wait list: the kernel follows on its event. */
clq_status clq__chain_add(struct clq__chain *chain, const struct clq__launch *launch);
/* The kernel. */
clq_status clq__chain_finish(struct clq__chain *chain, const struct clq__launch *launch, cl_event *done);

/* The elements of scales or zero points in order, as dense float32, as often one after the other as `repeats` says; one
 * element stands for all. (widen.c) */
clq_status clq__chain_widen(struct clq__chain *chain, const struct clq__view *view, int64_t elements,
                            int64_t repeats, cl_mem *buffer);
clq_status clq__widen_build(clq_context *context);

/* The table of last entries that entries->owner_words asks for, cleared and then claimed, in the workspace or
 * in a buffer for the call; sets entries->owner_offset. (claim.c) */
clq_status clq__chain_claim(struct clq__chain *chain, const struct clq__placement *placement,
                            struct clq_entries *entries, cl_mem *owners);
clq_status clq__claim_build(clq_context *context);

#endif

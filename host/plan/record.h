/* SPDX-License-Identifier: Apache-2.0 */
/* The records of a plan in command buffers. */
#ifndef CLQ_PLAN_RECORD_H
#define CLQ_PLAN_RECORD_H

#include "plan/plan.h"
#include "runtime/recorder.h"

enum {
    CLQ__MOST_KEPT =
        1 + (1 + CLQ__MOST_AHEAD) * (CLQ__MOST_BEFORE + CLQ__MOST_KERNELS) /* kernels, with the copy's */
};

struct clq__record;

/* Records the call, which waits for what the recorder was given, and adds what that needs for as long as the
 * command buffer is used. */
clq_status clq__record_make(struct clq__record **records, struct clq__recorder *recorder,
                            clq_context *context, struct clq__plan *call);
void clq__records_release(struct clq__record *records, clq_context *context);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The documented calls of clquant/npu.h: a call of the general operator, made by their arguments. */
#ifndef CLQUANT_OPERATORS_DOCUMENTED_H
#define CLQUANT_OPERATORS_DOCUMENTED_H

#include "call.h"

struct documented_call {
    const char *name;
    const struct operator_row *general;
    int dst, smooth; /* what its calls have, as a wish has it */
    /* Takes away what the documented call has no argument for; false where it cannot say what is left. */
    bool (*fit)(struct call *call);
    /* Of the general operator's descriptor. */
    clq_status (*enqueue)(clq_context *context, cl_command_queue queue, const void *desc, cl_uint num_wait,
                          const cl_event *wait, cl_event *done);
    clq_status (*check)(const void *desc);
    /* Where its bytes are others than the general operator's; else NULL. */
    struct reference_report (*reference)(const struct call *call);
};

enum { DOCUMENTED_CALLS = 15 };
extern const struct documented_call documented_calls[DOCUMENTED_CALLS];

/* As call_draw does, until there is a call that fits. `row` takes the place of the general operator's. */
void documented_draw(struct call *call, const struct documented_call *documented, struct operator_row *row,
                     int64_t elements);

#endif

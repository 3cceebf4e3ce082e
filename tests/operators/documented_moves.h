/* SPDX-License-Identifier: Apache-2.0 */
/* The documented calls over rows that move, as rows of documented_calls have them: of the general operator's
 * descriptor, and without a context checked alone. */
#ifndef CLQUANT_OPERATORS_DOCUMENTED_MOVES_H
#define CLQUANT_OPERATORS_DOCUMENTED_MOVES_H

#include "call.h"

bool fit_nd_copy(struct call *call);
bool fit_nd_in_place(struct call *call);
bool fit_update_copy(struct call *call);
bool fit_update_in_place(struct call *call);
bool fit_pages(struct call *call);

#define DOCUMENTED_MOVE(name)                                                                                \
    clq_status name(clq_context *context, cl_command_queue queue, const void *general, cl_uint num_wait,     \
                    const cl_event *wait, cl_event *done);
DOCUMENTED_MOVE(npu_scatter_nd_update)
DOCUMENTED_MOVE(npu_scatter_nd_update_)
DOCUMENTED_MOVE(scatter_update)
DOCUMENTED_MOVE(scatter_update_)
DOCUMENTED_MOVE(npu_scatter_pa_kv_cache)
#undef DOCUMENTED_MOVE

#endif

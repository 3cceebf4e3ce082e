/* SPDX-License-Identifier: Apache-2.0 */
/* Attention of one step, by CLBlast: outputs = softmax(queries · keys / sqrt(head size)) · values. */
#ifndef CLQ_KV_CACHE_ATTENTION_H
#define CLQ_KV_CACHE_ATTENTION_H

#include "loop.h"

#include <stdbool.h>

/* Over the first tokens of loop->wide, into loop->outputs. Keys and values that are rotated: the queries are
 * rotated alike, which leaves the scores as they are, and the outputs back. */
clq_status attention_run(const struct loop *loop, int64_t step, int64_t tokens, bool rotated, cl_event *done);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The scalar arguments of claim.cl. */
#ifndef CLQ_ARGS_CLAIM_H
#define CLQ_ARGS_CLAIM_H

#include "args/entries.h"
#include "args/source.h"

/* A work-item claims a position of an entry: u of entry i is number i * length + u. An entry without a source
 * claims none. */
struct claim_args {
    struct clq_entries entries;
    struct clq_divisor by_length;
    struct clq_source source;
};
CLQ_SAME_SIZE(claim_args, 336);

#endif

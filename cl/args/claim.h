/* SPDX-License-Identifier: Apache-2.0 */
/* The scalar arguments of claim.cl. */
#ifndef CLQ_ARGS_CLAIM_H
#define CLQ_ARGS_CLAIM_H

#include "args/entries.h"

struct claim_args {
    struct clq_entries entries;
};
CLQ_SAME_SIZE(claim_args, 216);

#endif

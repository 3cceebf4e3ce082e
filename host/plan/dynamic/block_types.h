/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of block types (CLQ__BLOCKS of base/dtype.h), which carry their scales. */
#ifndef CLQ_PLAN_DYNAMIC_BLOCK_TYPES_H
#define CLQ_PLAN_DYNAMIC_BLOCK_TYPES_H

#include "plan/belongs/parameter.h"

/* The fields of a descriptor, of which a block type leaves nothing to choose. */
struct clq__carried {
    const DLTensor *scales, *offsets, *group_index;
    const struct clq__blocks *blocks;
    uint32_t symmetric;
};

/* Once y's type is known, and where its rows are placed. Scales and offsets are absent then, and y's rows are
 * cut at its blocks. */
clq_status clq__block_type_check(struct clq__checked_call *checked, const struct clq__carried *given);

#endif

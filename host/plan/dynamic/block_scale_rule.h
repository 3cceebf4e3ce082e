/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks whose scales a rule of MX or NVFP4 finds (cl/dynamic/quantize_rule.cl): rows along any dimension. */
#ifndef CLQ_PLAN_DYNAMIC_BLOCK_SCALE_RULE_H
#define CLQ_PLAN_DYNAMIC_BLOCK_SCALE_RULE_H

#include "args/rules.h"
#include "plan/dynamic/dynamic.h"

/* The demands of a rule on the call, whose y is there, and the types of its scales. With rule 0 there is
 * none. */
clq_status clq__rule_check(struct clq__checked_call *checked, const struct clq__dynamic_tensors *tensors);
unsigned clq__rule_scale_types(const struct clq__checked_call *checked);

/* The blocks of the descriptor, or as many as the rule's format has. */
struct clq__blocks clq__rule_blocks(const struct clq__checked_call *checked, const struct clq__blocks *given);

/* For the way back, which may have scales of blocks beside one of all of q (NULL: none): its types, and once
 * the parameters were checked their places. A value times its block's scale is exact: that takes the place of
 * what an offset is added to. */
clq_status clq__global_scale_check(struct clq__checked_call *checked, const DLTensor *global_scale);
void clq__global_scale_take(struct clq__checked_call *checked);

/* Once the blocks were checked. */
clq_status clq__rule_check_layout(struct clq__checked_call *checked);

/* The number by which kernels know a rule. */
void clq__rule_fill(struct dynamic_quantize_args *args, const struct clq__scale_rule *rule);

/* Blocks along another dimension than the last one, or whose scales lie in pairs; the others are rows as any
 * (clq__rows_describe). */
void clq__rule_describe(struct clq__rows *call, const struct clq__checked_call *checked);

#endif

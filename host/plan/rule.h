/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks whose scales a rule of MX or NVFP4 finds (cl/quantize_rule.cl): rows along any dimension. */
#ifndef CLQ_PLAN_RULE_H
#define CLQ_PLAN_RULE_H

#include "args/rules.h"
#include "plan/dynamic.h"

/* What a rule asks of the call, whose y is there, and the types of its scales. With rule 0 there is none. */
clq_status clq__rule_check(struct clq__work *work, const struct clq__dynamic_tensors *tensors);
unsigned clq__rule_scale_types(const struct clq__work *work);

/* The blocks of the descriptor, or as many as the rule's format has. */
struct clq__blocks clq__rule_blocks(const struct clq__work *work, const struct clq__blocks *given);

/* Once the blocks were checked. */
clq_status clq__rule_check_layout(struct clq__work *work);

/* Blocks along another dimension than the last one; the others are rows as any (clq__rows_describe). */
void clq__rule_describe(struct clq__rows *call, const struct clq__work *work);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The rules by which a block's scale is found: numbered as enum clq_scale_rule. */
#ifndef CLQ_ARGS_RULES_H
#define CLQ_ARGS_RULES_H

enum clq_rule {
    CLQ_RULE_NONE = 0,
    CLQ_RULE_MX_FLOOR = 1,
    CLQ_RULE_MX_EVEN = 2,
    CLQ_RULE_MX_CEIL = 3,
    CLQ_RULE_MX_RCEIL = 4,
    CLQ_RULE_NVFP4 = 5,
};

#endif

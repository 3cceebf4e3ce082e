/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a descriptor by the rows of its operator. */
#ifndef CLQ_PLAN_OPTIONS_H
#define CLQ_PLAN_OPTIONS_H

#include <clquant/options.h>
#include <stdbool.h>

struct clq__operator;

/* Every rule that a field can break alone: its range, its words, and that what is reserved is 0. Tensors and
 * types are looked at where they mean something, and 0 is right in every field, for it means default. */
clq_status clq__options_check(const struct clq__operator *op, const void *desc);

static inline bool clq__option_is_tensor(const struct clq_option *option)
{
    return option->kind == CLQ_OPTION_INPUT || option->kind == CLQ_OPTION_OUTPUT;
}

#endif

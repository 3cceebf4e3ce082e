/* SPDX-License-Identifier: Apache-2.0 */
/* The operators, a row each, which the documented calls share with the library's own. */
#ifndef CLQ_OPS_OPERATORS_H
#define CLQ_OPS_OPERATORS_H

#include "plan/operator.h"

#define CLQ__DECLARE(name) extern const struct clq__operator clq__##name;
CLQ_OPERATOR_LIST(CLQ__DECLARE)
#undef CLQ__DECLARE

#endif

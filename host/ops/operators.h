/* SPDX-License-Identifier: Apache-2.0 */
/* The operators, a row each, which the documented calls share with the library's own. */
#ifndef CLQ_OPS_OPERATORS_H
#define CLQ_OPS_OPERATORS_H

#include "plan/operator.h"

extern const struct clq__operator clq__dequantize, clq__dynamic_quantize, clq__dynamic_quantize_scatter,
    clq__find_scales, clq__group_quantize, clq__move_rows, clq__quantize, clq__quantize_scatter;

#endif

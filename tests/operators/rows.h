/* SPDX-License-Identifier: Apache-2.0 */
/* What the operators that find a row's scale share. */
#ifndef CLQUANT_OPERATORS_ROWS_H
#define CLQUANT_OPERATORS_ROWS_H

#include "judge.h"

/* Smooth scales for rows of so many elements, in any shape, or none. */
uint32_t rows_draw_symmetric(struct call *call, enum reference_type type);
void rows_draw_smooth(struct call *call, int t, int64_t elements);
/* Of the rows of tensor t. */
void rule_rotate(struct judge *judge, uint32_t rotate, int t);
void rule_dynamic(struct judge *judge, int x, int smooth, int y, int scales, int offsets, uint32_t symmetric);

#endif

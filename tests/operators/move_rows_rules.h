/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of clq_move_rows, a second time. */
#ifndef CLQUANT_OPERATORS_MOVE_ROWS_RULES_H
#define CLQUANT_OPERATORS_MOVE_ROWS_RULES_H

#include "judge.h"

enum { MOVE_SRC, MOVE_SRC_INDICES, MOVE_DST_INDICES, MOVE_INPUT, MOVE_DST }; /* the operands */

void move_rows_judge(struct judge *judge);
void move_rows_judge_indices(struct judge *judge);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that are turned by the orthonormal Walsh-Hadamard matrix, in blocks of `rotate` neighbours. */
#ifndef CLQ_PLAN_DYNAMIC_ROTATE_H
#define CLQ_PLAN_DYNAMIC_ROTATE_H

#include "plan/belongs/checked_call.h"

/* Floats that are turned at once: room of a work-item by itself, and of a group (cl/dynamic/rotate.clh); and
 * of each of these where they are in registers (cl/dynamic/sixteen.clh). */
enum { CLQ__MOST_TURNED = 1024, CLQ__GROUP_TURNED = 2048, CLQ__OWN_TURNED = 16 };

/* The descriptor's field, for the rows of this tensor, which are its last dimension; sets checked->rotate. */
clq_status clq__rotate_check(struct clq__checked_call *checked, uint32_t rotate,
                             const struct clq__view *rows);

/* The bits of 1 / sqrt(rotate) as a float; 0 where nothing is turned. */
uint32_t clq__rotate_factor(uint32_t rotate);

/* Loop rounds of a work-item that shares a row's elements with so many and turns them. */
int64_t clq__rotate_rounds(uint32_t rotate, int64_t elements, int64_t lanes);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Values next to which a result changes: a code, a scale or a rounded float of the reference is halfway. */
#ifndef CLQUANT_OPERATORS_TIES_H
#define CLQUANT_OPERATORS_TIES_H

#include "call.h"

/* Moves some values of one float tensor that the call reads, each to where one step more of its last bit
 * changes the reference's bytes: every step of the arithmetic has its ties there, not only the first. Now and
 * then all other values of that tensor become subnormal. The expected bytes are as before the call.
 * call->rng stays as it is. */
void ties_meet(struct call *call, int moves);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Changes that make a right call wrong, or another right one. */
#ifndef CLQUANT_HARNESS_SPOIL_H
#define CLQUANT_HARNESS_SPOIL_H

#include "call.h"

/* One change of a tensor, a number of the descriptor, the report or the workspace; the call's memory stays
 * what it is. Returns how many it counts for: a size that several tensors have changes in all of them. */
int spoil(struct call *call);

#endif

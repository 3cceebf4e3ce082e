/* SPDX-License-Identifier: Apache-2.0 */
/* The same attention in plain C, in double: what CLBlast's is checked with, once. */
#ifndef CLQ_KV_CACHE_PLAIN_H
#define CLQ_KV_CACHE_PLAIN_H

#include "activations.h"

#include <failure.h>

/* outputs are those of the last step over the exact cache: [batch, heads, queries, head size]. Some of their
 * rows are looked at, of every head where there are not too many. */
bool plain_check(const struct setup *setup, const struct activations *activations, const float *outputs,
                 struct failure *failure);

#endif

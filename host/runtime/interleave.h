/* SPDX-License-Identifier: Apache-2.0 */
/* Views of one buffer that lie between one another: a scale beside the quants of its row, for one. */
#ifndef CLQ_RUNTIME_INTERLEAVE_H
#define CLQ_RUNTIME_INTERLEAVE_H

#include "base/view.h"

/* Whether the bytes of both, which begin at these bytes of one buffer, are proved to be apart: by a period of
 * both, a stride of which every stride that is not smaller is a multiple, and in which both have a part of
 * their own. Both lie inside of the buffer. */
bool clq__views_interleave(const struct clq__view *a, uint64_t a_begin, const struct clq__view *b,
                           uint64_t b_begin);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the calls that read indices share: pieces and their places in a cache, a report, a workspace. */
#ifndef CLQUANT_FUZZ_DESCRIPTOR_PLACES_H
#define CLQUANT_FUZZ_DESCRIPTOR_PLACES_H

#include "descriptor_rules.h"

/* Shapes that fit together, of caches and pieces whose types are known; in rows, whose last dimension is none
 * of starts, the least rank is 3, else 2. Returns a byte whose bits 5 and 6 are not used. */
unsigned make_places(struct slot *cache, struct slot *pieces, struct slot *indices, bool rows, int32_t *axis,
                     struct input *in);
bool places_agree(const struct shape *cache, const struct shape *pieces, const struct shape *indices,
                  bool rows, int32_t axis);

/* Words beside the tensors. */
enum { REPORT, WORKSPACE, SIDES };
struct sides {
    struct slot slot[SIDES];
    struct shape shape[SIDES];
    uint64_t offset[SIDES];
};
/* A report at byte 64 of a buffer, or -1, and no workspace. */
void sides_init(struct sides *sides, int report);
void sides_spoil(struct sides *sides, unsigned what, struct input *in);
void sides_finish(struct sides *sides);
/* So many words, or none; beside all tensors, and the workspace beside the report. */
bool side_is_right(struct sides *sides, int side, wide words, const struct tensors *t);
/* After a call: what the report counts, and whatever the workspace holds. */
void sides_take(struct sides *sides, const struct reference_report *report, wide workspace_words);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Which random calls the paths take: drawn and run until all kinds of launches have been seen that an
 * operator has. */
#ifndef CLQUANT_FAULTS_CHOSEN_H
#define CLQUANT_FAULTS_CHOSEN_H

#include "world.h"

/* What a call was seen to enqueue, and what its indices are. */
#define CHOSEN_KINDS(X)                                                                                      \
    X(NOTHING, "nothing to do")                                                                              \
    X(ALONE, "a kernel alone")                                                                               \
    X(WIDENED, "widened")                                                                                    \
    X(WIDENED_TWICE, "two widened")                                                                          \
    X(COPIED, "a copy of the driver's")                                                                      \
    X(COPIED_APART, "a copy with gaps")                                                                      \
    X(COPIED_ALONE, "a copy alone")                                                                          \
    X(OWNED, "a table of owners")                                                                            \
    X(HASHED, "a table of hashes")                                                                           \
    X(CLAIMED, "a table of rows that move")                                                                  \
    X(BETWEEN, "rows in between")                                                                            \
    X(COORDINATES, "places of coordinates")                                                                  \
    X(COLUMNS, "columns")                                                                                    \
    X(SHORT_ROWS, "many short rows")                                                                         \
    X(FINISHED, "two kernels")                                                                               \
    X(FINISHED_ALONE, "the second kernel alone")                                                             \
    X(CUT, "whole blocks and a rest")                                                                        \
    X(PLACED, "at indices")                                                                                  \
    X(GROUPED, "groups")                                                                                     \
    X(RIGHT, "right indices")                                                                                \
    X(WRONG, "wrong indices")
enum chosen_kind {
#define CHOSEN_BIT(name, text) CHOSEN_BIT_##name,
    CHOSEN_KINDS(CHOSEN_BIT)
#undef CHOSEN_BIT
#define CHOSEN_FLAG(name, text) CHOSEN_##name = 1 << CHOSEN_BIT_##name,
        CHOSEN_KINDS(CHOSEN_FLAG)
#undef CHOSEN_FLAG
};

struct chosen {
    const struct operator_row *op;
    uint64_t number;   /* of the seed: subject_draw makes it again */
    unsigned kinds;    /* a set */
    unsigned commands; /* how many it enqueued */
    bool longest;      /* of its operator; one in each list */
};

enum { CHOSEN_MOST = 24 };
/* Fills the list and builds what its calls need on the warm context. Returns how many there are; 0, with a
 * line, where a kind was not seen, or a call did not do what the reference does. */
size_t chosen_find(struct world *world, const struct operator_row *op, uint64_t seed,
                   struct chosen list[CHOSEN_MOST]);
void chosen_print(const struct chosen *chosen);

#endif

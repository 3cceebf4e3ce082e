/* SPDX-License-Identifier: Apache-2.0 */
/* A call of an operator in buffers, and what they may hold: what they did before it, what the reference
 * leaves, or, where the call copies first, that alone. */
#ifndef CLQUANT_FAULTS_SUBJECT_H
#define CLQUANT_FAULTS_SUBJECT_H

#include "device.h"
#include "documented.h"

struct subject {
    struct call call;
    struct operator_row row; /* of a documented call */
    struct placed placed;
    size_t table_words;                               /* of its workspace, or of what it takes without one */
    unsigned char *copied[OPERATOR_MOST_TENSORS + 2]; /* of each buffer; NULL: the call copies nothing */
};

/* Call number `number` of the seed, from few types, so that few kernels are built. With a workspace where it
 * is asked for and the call has use for one. False, with a sentence, where it cannot be made. */
bool subject_draw(struct subject *subject, const struct device *device, const struct operator_row *op,
                  uint64_t seed, uint64_t number, bool with_workspace);
/* The same of a call by hand, which `make` draws: call->op, its tensors and its numbers. */
bool subject_make(struct subject *subject, const struct device *device, void (*make)(struct call *call));
/* The same of a documented call that has something to do. */
bool subject_document(struct subject *subject, const struct device *device,
                      const struct documented_call *documented);
void subject_clear(struct subject *subject);

/* Which of these the buffers hold, a set. Every byte counts but those of the table in a workspace. */
enum subject_bytes { SUBJECT_BEFORE = 1, SUBJECT_COPIED = 2, SUBJECT_DONE = 4, SUBJECT_IN_PART = 8 };
unsigned subject_bytes(struct subject *subject);
/* What they may hold where the call failed: with blocks some of them may be written,
 * and what is left behind them not. */
unsigned subject_failed_bytes(const struct subject *subject);
/* Puts back what subject_bytes has found changed. */
void subject_reset(struct subject *subject);

/* As its descriptor has it. */
static inline const DLTensor *subject_tensor(const struct subject *subject, int t)
{
    return &subject->placed.bound.tensors[t];
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A random call, and its launches for a device of some traits. */
#ifndef CLQUANT_SEAM_DESCRIBED_H
#define CLQUANT_SEAM_DESCRIBED_H

#include "../operators/call.h"
#include "plan/plan.h"

struct described {
    struct call call;
    struct bound bound;
    struct clq__traits traits;
    struct clq__variant
        wish; /* a kernel and plugs that the call is to have where it can choose; bits 0: none */

    struct clq__plan plan; /* of one that was refused: there is nothing to do */
};

/* Makes call number `number` of the seed, for these traits or, where they are NULL, for those of an imaginary
 * device. Its tensors' memory is as before the call, and `expected` as the reference leaves it. Where the
 * library refuses it, that is the status. */
clq_status described_make(struct described *described, uint64_t seed, uint64_t number,
                          const struct clq__traits *traits, const struct clq__variant *wish);
void described_clear(struct described *described);

/* Executes its launches on host memory; false, with a sentence, where they break a rule or the bytes are not
 * the expected ones. */
bool described_run(struct described *described, char *failure, size_t failure_bytes);
/* The words of its table of last entries. */
size_t described_words(const struct described *described);
/* All of it, on standard error. */
void described_print(const struct described *described);
enum { DESCRIBED_MOST_LAUNCHES = 1 + (1 + CLQ__MOST_AHEAD) * (CLQ__MOST_BEFORE + CLQ__MOST_KERNELS) };
/* Whether it is the kernel that claims, or a CPU's own. */
bool described_claims(const struct clq__variant *variant);
/* Visits the copy's launch and all others, in order. */
unsigned described_launches(const struct described *described,
                            const struct clq__launch *launches[DESCRIBED_MOST_LAUNCHES]);

/* The library's row of an operator (ways.c). */
struct way {
    const struct operator_row *op;
    unsigned kernels; /* a bit each: those that it is made for where one of them is wished */
    const struct clq__operator *library;
};
extern const struct way ways[]; /* OPERATORS of them */

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* All that kernels and the host choose by the processor, as ways: a test takes
 * any of them on any machine. What a machine chooses by itself is one of them, and a run of the tests that
 * knew this one alone would say nothing of other machines. */
#ifndef CLQUANT_WAYS_H
#define CLQUANT_WAYS_H

#include <stdbool.h>

/* Of a processor: PoCL's CPUs have kernels of their own (cl/cpu/choices.clh). */
struct processor_way {
    const char *name;
    const char *build_options; /* of struct clq_context_desc */
    const char *target; /* what clang is told where tests/engine compiles the kernels for this processor */
    bool avx512;        /* its instructions are meant */
};
extern const struct processor_way processor_ways[]; /* the last one's name is NULL */

/* NULL: there is none of this name. */
const struct processor_way *processor_way_named(const char *name);

/* What a run takes on a device that compiles for this processor: that of $CLQ_TEST_WAY, else another one each
 * day, of those that run here. Prints it. */
const struct processor_way *processor_way_of_run(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What dynamic_quantize_scatter saves: the same rows through clq_dynamic_quantize into memory in between, then a
 * plain scatter each for q, scale and offset. It writes what the case's call writes. */
#ifndef CLQUANT_BENCH_UNFUSED_H
#define CLQUANT_BENCH_UNFUSED_H

#include "dynamic_case.h"

struct unfused {
    struct dynamic_case *fused; /* asymmetric, float16 to int4; it scatters */
    cl_kernel kernel;
    size_t q_at, scale_at, offset_at; /* the rows in between, in y */
    DLTensor q, scale, offset;
    struct clq_dynamic_quantize_desc desc;
};

/* Whether y has room for the rows in between. */
bool unfused_fits(const struct bench *bench, const struct dynamic_case *fused);

bool unfused_init(struct bench *bench, struct unfused *unfused, struct dynamic_case *fused);
void unfused_clear(struct unfused *unfused);

/* As dynamic_case_run, for a case of one call a run. */
bool unfused_run(struct bench *bench, void *self);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What dynamic_quantize_scatter saves: the same rows through clq_dynamic_quantize into memory in between, then a
 * plain scatter each for q, scale and offset. It writes what the call writes. */
#ifndef CLQUANT_LAB_UNFUSED_H
#define CLQUANT_LAB_UNFUSED_H

#include "call.h"

struct unfused {
    struct call *fused; /* asymmetric, int4 */
    cl_program program;
    cl_kernel kernel;
    size_t q_at, scale_at, offset_at; /* the rows in between, in y */
    DLTensor q, scale, offset;
    struct clq_dynamic_quantize_desc desc;
};

/* Whether the call is one of these, and y has room for the rows in between. */
bool unfused_fits(const struct bench *bench, const struct call *fused);

bool unfused_init(struct bench *bench, struct unfused *unfused, struct call *fused);
void unfused_clear(struct unfused *unfused);

/* As call_run, for a row of one call a run. */
bool unfused_run(struct bench *bench, void *self);

#endif

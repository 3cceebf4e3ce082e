/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of MX and NVFP4, as their documents say them, in binary32: numbered as enum clq_scale_rule. */
#ifndef CLQUANT_REFERENCE_RULE_H
#define CLQUANT_REFERENCE_RULE_H

#include "types.h"

enum { REFERENCE_MX_FLOOR = 1, REFERENCE_MX_EVEN, REFERENCE_MX_CEIL, REFERENCE_MX_RCEIL, REFERENCE_NVFP4 };

/* How a scale is found. */
struct reference_rule {
    int rule;    /* one of these; 0: by the range */
    float least; /* a largest magnitude below it counts as it */
};

/* What a rule looks at of a block. */
struct reference_block_range {
    float magnitude; /* the largest, NaN apart */
    bool has_nan;
};

/* The code of the block's scale; global is NVFP4's second scale, NULL where there is none. */
uint64_t reference_rule_code(struct reference_rule how, enum reference_type type,
                             struct reference_block_range range, const float *global);
/* The code of a value beside a scale of this code. */
uint64_t reference_rule_value(int rule, enum reference_type type, uint64_t code, const float *global,
                              float x);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* One call of clq_quantize: what goes in, and the check that the bytes are the reference's. */
#ifndef CLQUANT_TEST_QUANTIZE_CASE_H
#define CLQUANT_TEST_QUANTIZE_CASE_H

#include "parts.h"

enum values {
    VALUES_SPREAD, /* finite, about the output's range and beyond its ends */
    VALUES_TIES,   /* halves of the scale */
    VALUES_BITS,   /* any bits: NaN, infinities and subnormals among them */
};

struct quantize_case {
    const char *name;
    struct layout x, scales, zero_points, y;
    bool has_zero_points;
    bool multiply, round_first;
    int axis;
    enum values values;
    uint64_t seed; /* of the values */
};

/* A case with dense tensors between guards. lanes are y's; x_shape counts x's elements. The scales are 1-D of
 * scale_count elements, the zero points too, and absent where zero_count is 0. */
struct quantize_shape {
    int rank;
    int64_t x_shape[CLQ_MAX_RANK];
    int axis;
    int64_t scale_count, zero_count;
};
struct quantize_types {
    enum reference_type x, scale, zero, y;
    int lanes;
    bool multiply;
};
struct quantize_case quantize_case_of(const char *name, const struct quantize_types *types,
                                      const struct quantize_shape *shape);

/* Runs the case twice, over two different fillings of y: y must be the reference's bytes, everything around
 * and between its elements must keep its own, and the inputs must stay as they were. Safe in any thread: it
 * says on stderr what went wrong, and with which case. */
bool quantize_case_matches(const struct quantize_case *c, clq_context *context, cl_command_queue queue);
/* The same in the harness's context and queue; fails the test. */
void expect_match(const struct quantize_case *c);

/* The same for inputs that the caller fills in: images of x, scales and zero points are set, y is not. */
struct quantize_tensors {
    struct tensor x, scales, zero_points, y;
};
struct parts quantize_parts(struct quantize_tensors *t, const struct quantize_case *c);
void quantize_tensors_init(struct quantize_tensors *t, const struct quantize_case *c);
void quantize_tensors_fill(struct quantize_tensors *t, const struct quantize_case *c);
bool quantize_tensors_match(struct quantize_tensors *t, const struct quantize_case *c, clq_context *context,
                            cl_command_queue queue);
void quantize_tensors_clear(struct quantize_tensors *t);
struct clq_quantize_desc quantize_desc_of(const struct quantize_tensors *t, const struct quantize_case *c);
/* What the whole buffer of y must be, over an image of it. */
void quantize_tensors_expect(const struct quantize_tensors *t, const struct quantize_case *c,
                             unsigned char *image);
void quantize_case_print(const struct quantize_case *c);

#endif

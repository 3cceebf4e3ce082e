/* SPDX-License-Identifier: Apache-2.0 */
/* One call of clq_find_scales: what goes in, and the check that the bytes are the reference's. */
#ifndef CLQUANT_TEST_SCALES_CASE_H
#define CLQUANT_TEST_SCALES_CASE_H

#include "parts.h"

enum scales_values {
    SCALES_SPREAD,   /* finite, of all sizes */
    SCALES_NARROW,   /* of one size, with the extremes in a random place */
    SCALES_POSITIVE, /* above 0 */
    SCALES_NEGATIVE, /* below 0 */
    SCALES_TINY,     /* about 2^-100 and far below, subnormals among them */
    SCALES_HUGE,     /* near the largest, so that a range overflows */
    SCALES_BITS,     /* any bits: NaN, infinities and subnormals among them */
    SCALES_KINDS,
};

struct scales_case {
    const char *name;
    struct layout x, scales, zero_points;
    bool has_zero_points, minmax, multiply;
    enum reference_type type; /* of what x is to be quantized to */
    int axis;
    enum scales_values values;
    uint64_t seed;
};

struct scales_types {
    enum reference_type x, type, zero; /* zero is REFERENCE_I4 for none */
    bool minmax, multiply;
};

/* Dense tensors between guards; 1-D scales, one where axis is NO_AXIS. */
enum { NO_AXIS = 99 };
struct scales_case scales_case_of(const char *name, const struct scales_types *types, int rank,
                                  const int64_t *shape, int axis);

struct scales_tensors {
    struct tensor x, scales, zero_points;
};
struct parts scales_parts(struct scales_tensors *t, const struct scales_case *c);
void scales_tensors_init(struct scales_tensors *t, const struct scales_case *c);
void scales_tensors_fill(struct scales_tensors *t, const struct scales_case *c);
void scales_tensors_clear(struct scales_tensors *t);
struct clq_find_scales_desc scales_desc_of(const struct scales_tensors *t, const struct scales_case *c);
/* What the whole buffers of scales and zero points must be, over their images. */
void scales_tensors_expect(struct scales_tensors *t, const struct scales_case *c);

/* Runs the case over two different fillings of the outputs: they must be the reference's bytes, everything
 * around and between their elements must keep its own, and x must stay as it was. */
bool scales_tensors_match(struct scales_tensors *t, const struct scales_case *c, clq_context *context,
                          cl_command_queue queue);
void expect_scales(const struct scales_case *c);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* One call of clq_dynamic_quantize: what goes in, and the check that the bytes are the reference's. */
#ifndef CLQUANT_TEST_DYNAMIC_CASE_H
#define CLQUANT_TEST_DYNAMIC_CASE_H

#include "dynamic_values.h"
#include "parts.h"

struct dynamic_case {
    const char *name;
    struct layout x, smooth_scale, y, scale, offset;
    bool smooths, symmetric;
    uint32_t rotate;
    float type_max;
    enum row_kind rows;
    uint64_t seed; /* of the values */
};

struct dynamic_types {
    enum reference_type x, smooth, y; /* smooth is REFERENCE_I4 for none */
    int lanes;
    bool symmetric;
};
/* Every combination of types, by its number: source, output and view, symmetric, smooth scale. */
enum { DYNAMIC_TYPES = 3 * 4 * 2 * 4 };
struct dynamic_types dynamic_types_of(size_t number);

/* Dense tensors between guards; shape counts x's elements; rows of every kind. */
struct dynamic_case dynamic_case_of(const char *name, const struct dynamic_types *types, int rank,
                                    const int64_t *shape);
/* The layouts with other strides and offsets; gaps are watched like guards. */
void dynamic_case_stride(struct dynamic_case *c, struct random *random);

struct dynamic_tensors {
    struct tensor x, smooth_scale, y, scale, offset;
};
struct parts dynamic_parts(struct dynamic_tensors *t, const struct dynamic_case *c);
void dynamic_tensors_init(struct dynamic_tensors *t, const struct dynamic_case *c);
void dynamic_tensors_fill(struct dynamic_tensors *t, const struct dynamic_case *c);
void dynamic_tensors_clear(struct dynamic_tensors *t, const struct dynamic_case *c);
struct clq_dynamic_quantize_desc dynamic_desc_of(const struct dynamic_tensors *t,
                                                 const struct dynamic_case *c);
/* Makes the outputs' images what a call must make of buffers that were filled so, guards and all. */
void dynamic_tensors_expect(struct dynamic_tensors *t, const struct dynamic_case *c, int filling);

/* Runs the case over two different fillings of the outputs: y, scale and offset must be the reference's
 * bytes, everything around and between their elements must keep its own, and the inputs must stay as they
 * were. Safe in any thread: it says on stderr what went wrong, and with which case. */
bool dynamic_tensors_match(struct dynamic_tensors *t, const struct dynamic_case *c, clq_context *context,
                           cl_command_queue queue);
bool dynamic_case_matches(const struct dynamic_case *c, clq_context *context, cl_command_queue queue);
/* The same in the harness's context and queue; fails the test. */
void expect_dynamic(const struct dynamic_case *c);

#endif

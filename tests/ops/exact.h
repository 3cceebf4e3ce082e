/* SPDX-License-Identifier: Apache-2.0 */
/* Many values at once through clq_quantize, compared with the reference one by one; and what such tests
 * share. */
#ifndef CLQUANT_TEST_EXACT_H
#define CLQUANT_TEST_EXACT_H

#include "harness.h"
#include "tensor.h"

/* x has rows * inner elements, or where it repeats inner elements for all rows. Scales are one a row, or one
 * for each element of a row. */
struct batch {
    enum reference_type x_type, y_type;
    bool multiply, round_first;
    bool repeat_x;
    bool scale_each;
    int64_t rows, inner;
    const void *x;
    const float *scales;
    const float *zero_point; /* one, or NULL */
};

/* Fails the test with the first x and scale that give another q. */
void expect_exact(const struct batch *batch);

/* A buffer of these bytes, or of any where they are NULL; and a tensor over one. */
cl_mem exact_buffer(size_t size_bytes, const void *bytes);
DLTensor exact_tensor(cl_mem mem, enum reference_type type, int rank, int64_t *shape, int64_t *strides);

float float_of(uint32_t bits);
uint32_t bits_of(float value);

#endif

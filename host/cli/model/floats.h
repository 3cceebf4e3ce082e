/* SPDX-License-Identifier: Apache-2.0 */
/* How far floats are from those of a file. */
#ifndef CLQUANT_CLI_MODEL_FLOATS_H
#define CLQUANT_CLI_MODEL_FLOATS_H

#include <stddef.h>
#include <stdint.h>

/* Squares are of values that are finite. One that comes back as no finite number is lost: its difference is
 * itself. */
struct float_error {
    double squares, difference_squares;
    uint64_t count, not_finite, lost;
};

/* type: F32, F16 or BF16, of x as the file has it. */
void float_error_add(struct float_error *error, const char *type, const void *x, const float *back,
                     size_t count);

/* The largest magnitude but infinities and NaN. */
float float_largest(const char *type, const void *x, size_t count);

/* The root mean square of the differences over that of the values; 0 where all values are, NaN where none is
 * finite. */
double float_error_relative(const struct float_error *error);

#endif

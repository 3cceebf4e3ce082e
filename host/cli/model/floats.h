/* SPDX-License-Identifier: Apache-2.0 */
/* How far floats are from those of a file. */
#ifndef CLQUANT_CLI_MODEL_FLOATS_H
#define CLQUANT_CLI_MODEL_FLOATS_H

#include <stdbool.h>
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

/* The least and the largest of values, as integers of the type's bits in the order of its numbers; before the
 * first value those that are NaN. */
struct float_extremes {
    int32_t least, largest;
};
struct float_extremes float_extremes_of_none(const char *type);
/* NaN are left out; with finite infinities too. */
void float_extremes_add(struct float_extremes *extremes, const char *type, bool finite, const void *x,
                        size_t count);
/* Writes both in turn as values of the type. */
void float_extremes_put(const struct float_extremes *extremes, const char *type, void *x, size_t count);

/* The largest magnitude but infinities and NaN. */
float float_largest(const char *type, const void *x, size_t count);

/* The root mean square of the differences over that of the values; 0 where all values are, NaN where none is
 * finite. */
double float_error_relative(const struct float_error *error);

#endif

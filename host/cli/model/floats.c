/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of squares: four at once, in vectors, for a compiler keeps the order of sums of floats. */
#include "floats.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { LANES = 4, RUN = 64 * LANES };
enum kind { FLOAT32, FLOAT16, BFLOAT16 };

typedef float floats __attribute__((vector_size(4 * LANES)));
typedef uint32_t words __attribute__((vector_size(4 * LANES)));
typedef int32_t integers __attribute__((vector_size(4 * LANES)));
typedef uint16_t halves __attribute__((vector_size(2 * LANES)));

#define INLINE static inline __attribute__((always_inline))

/* A float16's exponent and fraction, where binary32 has them, are its magnitude times 2^-112; infinities and
 * NaN have the largest exponent. */
INLINE floats of_float16(words bits)
{
    const words magnitude = (bits & 0x7fff) << 13, sign = (bits & 0x8000) << 16;
    const words is_finite = (words)((integers)magnitude < 0x0f800000);
    const words finite = (words)((floats)magnitude * 0x1p112f), other = magnitude | 0x70000000;

    return (floats)(sign | (finite & is_finite) | (other & ~is_finite));
}

INLINE floats load(enum kind kind, const char *x)
{
    floats values;
    halves bits;

    if (kind == FLOAT32) {
        memcpy(&values, x, sizeof values);
        return values;
    }
    memcpy(&bits, x, sizeof bits);
    if (kind == FLOAT16)
        return of_float16(__builtin_convertvector(bits, words));
    return (floats)(__builtin_convertvector(bits, words) << 16);
}

static double total(const floats *sums)
{
    double sum = 0;

    for (size_t k = 0; k < LANES; k++)
        sum += (double)(*sums)[k];
    return sum;
}

/* Whether no square, nor their sum, has left the range of floats. */
static bool fits(double squares, double difference_squares)
{
    const double least = 1e-25, most = 1e30;

    return squares > least && squares < most && difference_squares < most &&
           (difference_squares > least || difference_squares == 0);
}

/* Floats add up a run, and doubles the runs. */
INLINE void add_run(struct float_error *error, enum kind kind, const char *x, const float *back, size_t count)
{
    const size_t step = LANES * (kind == FLOAT32 ? 4 : 2);
    floats squares = {0}, differences = {0};
    double all = 0, all_differences = 0;

    for (size_t i = 0; i < count; i += LANES) {
        const floats value = load(kind, x + i / LANES * step);
        const floats difference = value - load(FLOAT32, (const char *)(back + i));

        squares += value * value;
        differences += difference * difference;
    }
    all = total(&squares);
    all_differences = total(&differences);
    if (!fits(all, all_differences)) {
        all = all_differences = 0;
        for (size_t i = 0; i < count; i++) {
            const floats values = load(kind, x + i / LANES * step);
            const double value = (double)values[i % LANES];
            const bool is_finite = isfinite(value), comes_back = isfinite(back[i]);
            const double difference = comes_back ? value - (double)back[i] : value;

            all += is_finite ? value * value : 0;
            all_differences += is_finite ? difference * difference : 0;
            error->not_finite += !is_finite;
            error->lost += is_finite && !comes_back;
        }
    }
    error->squares += all;
    error->difference_squares += all_differences;
}

INLINE void add(struct float_error *error, enum kind kind, const char *x, const float *back, size_t count)
{
    const size_t size = kind == FLOAT32 ? 4 : 2, rest = count % LANES;
    char last_x[4 * LANES] = {0};
    float last_back[LANES] = {0};

    for (size_t at = 0; at < count - rest; at += RUN)
        add_run(error, kind, x + at * size, back + at, count - rest - at < RUN ? count - rest - at : RUN);
    memcpy(last_x, x + (count - rest) * size, rest * size);
    memcpy(last_back, back + (count - rest), rest * sizeof *back);
    add_run(error, kind, last_x, last_back, LANES);
}

void float_error_add(struct float_error *error, const char *type, const void *x, const float *back,
                     size_t count)
{
    error->count += count;
    if (strcmp(type, "F32") == 0)
        add(error, FLOAT32, x, back, count);
    else if (strcmp(type, "F16") == 0)
        add(error, FLOAT16, x, back, count);
    else
        add(error, BFLOAT16, x, back, count);
}

/* Magnitudes are ordered as their bits are. */
float float_largest(const char *type, const void *x, size_t count)
{
    const int32_t *wide = x;
    const uint16_t *half = x, infinity = strcmp(type, "F16") == 0 ? 0x7c00 : 0x7f80;
    int32_t most = 0;

    if (strcmp(type, "F32") == 0) {
        for (size_t i = 0; i < count; i++) {
            const int32_t magnitude = wide[i] & 0x7fffffff, finite = magnitude < 0x7f800000 ? magnitude : 0;

            most = finite > most ? finite : most;
        }
        return load(FLOAT32, (const char *)&(integers){most})[0];
    }
    for (size_t i = 0; i < count; i++) {
        const int16_t magnitude = half[i] & 0x7fff, finite = magnitude < infinity ? magnitude : 0;

        most = finite > most ? finite : most;
    }
    return load(infinity == 0x7c00 ? FLOAT16 : BFLOAT16, (const char *)&(halves){(uint16_t)most})[0];
}

double float_error_relative(const struct float_error *error)
{
    if (error->count > 0 && error->not_finite == error->count)
        return NAN;
    return error->difference_squares == 0 ? 0 : sqrt(error->difference_squares / error->squares);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of squares, in doubles. */
#include "floats.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static float of_bits(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A float16's exponent and fraction, where binary32 has them, are its magnitude times 2^-112. */
static float of_float16(uint16_t bits)
{
    const uint32_t sign = (uint32_t)(bits & 0x8000) << 16, magnitude = (uint32_t)(bits & 0x7fff) << 13;

    if (magnitude >= UINT32_C(0x0f800000)) /* infinities and NaN */
        return of_bits(sign | magnitude | UINT32_C(0x70000000));
    return copysignf(of_bits(magnitude) * 0x1p112f, of_bits(sign | UINT32_C(0x3f800000)));
}

static void add(struct float_error *error, float x, float back)
{
    const double difference = (double)x - (double)back;

    error->squares += (double)x * (double)x;
    error->difference_squares += difference * difference;
}

void float_error_add(struct float_error *error, const char *type, const void *x, const float *back,
                     size_t count)
{
    struct float_error sum = {0};
    const float *wide = x;
    const uint16_t *half = x;

    if (strcmp(type, "F32") == 0)
        for (size_t i = 0; i < count; i++)
            add(&sum, wide[i], back[i]);
    else if (strcmp(type, "F16") == 0)
        for (size_t i = 0; i < count; i++)
            add(&sum, of_float16(half[i]), back[i]);
    else
        for (size_t i = 0; i < count; i++)
            add(&sum, of_bits((uint32_t)half[i] << 16), back[i]);
    error->squares += sum.squares;
    error->difference_squares += sum.difference_squares;
}

double float_error_relative(const struct float_error *error)
{
    return error->difference_squares == 0 ? 0 : sqrt(error->difference_squares / error->squares);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The least and the largest of floats, by their bits. Bits of negative floats have the reverse order. */
#include "floats.h"

#include <string.h>

/* Its own inverse. */
static int32_t ordered(int32_t bits, int32_t magnitude)
{
    return bits < 0 ? bits ^ magnitude : bits;
}

struct float_extremes float_extremes_of_none(const char *type)
{
    return strcmp(type, "F32") == 0 ? (struct float_extremes){INT32_MAX, INT32_MIN}
                                    : (struct float_extremes){INT16_MAX, INT16_MIN};
}

/* most: the largest magnitude that counts. */
static inline __attribute__((always_inline)) void add(struct float_extremes *extremes, bool wide,
                                                      int32_t most, const void *x, size_t count)
{
    const int32_t magnitude = wide ? INT32_MAX : INT16_MAX;
    int32_t least = extremes->least, largest = extremes->largest;

    for (size_t i = 0; i < count; i++) {
        const int32_t bits = wide ? ((const int32_t *)x)[i] : ((const int16_t *)x)[i];
        const int32_t value = ordered(bits, magnitude);
        const bool counts = (bits & magnitude) <= most;

        least = counts && value < least ? value : least;
        largest = counts && value > largest ? value : largest;
    }
    *extremes = (struct float_extremes){least, largest};
}

void float_extremes_add(struct float_extremes *extremes, const char *type, bool finite, const void *x,
                        size_t count)
{
    const bool wide = strcmp(type, "F32") == 0;
    const int32_t infinity = wide ? 0x7f800000 : strcmp(type, "F16") == 0 ? 0x7c00 : 0x7f80;

    if (wide)
        add(extremes, true, infinity - finite, x, count);
    else
        add(extremes, false, infinity - finite, x, count);
}

void float_extremes_put(const struct float_extremes *extremes, const char *type, void *x, size_t count)
{
    const bool wide = strcmp(type, "F32") == 0;

    for (size_t i = 0; i < count; i++) {
        const int32_t value = i % 2 == 0 ? extremes->least : extremes->largest;

        if (wide)
            ((int32_t *)x)[i] = ordered(value, INT32_MAX);
        else
            ((int16_t *)x)[i] = (int16_t)ordered(value, INT16_MAX);
    }
}

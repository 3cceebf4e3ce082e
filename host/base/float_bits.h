/* SPDX-License-Identifier: Apache-2.0 */
/* A float as its bits: so a kernel is told of it, whose own floats may lose subnormals. */
#ifndef CLQ_BASE_FLOAT_BITS_H
#define CLQ_BASE_FLOAT_BITS_H

#include <stdint.h>
#include <string.h>

static inline uint32_t clq__float_bits(float number)
{
    uint32_t bits;

    memcpy(&bits, &number, sizeof bits);
    return bits;
}

#endif
